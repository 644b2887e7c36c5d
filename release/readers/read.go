// Read a suite of PARTE: check the digest of each file, and count the cases. Usage: go run read.go [FOLDER]
package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	folder := "."
	if len(os.Args) > 1 {
		folder = os.Args[1]
	}
	cases, all, matches := map[string]int{}, 0, 0
	sums, err := os.ReadFile(filepath.Join(folder, "SHA256SUMS"))
	check(err)
	for _, line := range strings.Split(strings.TrimSpace(string(sums)), "\n") {
		digest, name, _ := strings.Cut(line, "  ")
		content, err := os.ReadFile(filepath.Join(folder, name))
		check(err)
		if fmt.Sprintf("%x", sha256.Sum256(content)) != digest {
			check(fmt.Errorf("%s: the digest is another one; fetch the archive again", name))
		}
		if strings.HasPrefix(name, "cases/") {
			var c struct {
				Profile string
				Expect  struct{ Matches []json.RawMessage }
			}
			check(json.Unmarshal(content, &c))
			cases[c.Profile]++
			all++
			matches += len(c.Expect.Matches)
		}
	}
	var about struct{ Version, Digest string }
	text, err := os.ReadFile(filepath.Join(folder, "suite.json"))
	check(err)
	check(json.Unmarshal(text, &about))
	fmt.Printf("suite %s (%s): %d cases, %d matches\n", about.Version, about.Digest, all, matches)
	profiles := []string{}
	for profile := range cases {
		profiles = append(profiles, profile)
	}
	sort.Strings(profiles)
	for _, profile := range profiles {
		fmt.Printf("%s: %d\n", profile, cases[profile])
	}
}
