// Read a suite of PARTE: check the digest of each file, and count the cases. Usage: node read.mjs [FOLDER]
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.argv[2] ?? ".";
const cases = new Map();
let matches = 0;
for (const line of readFileSync(join(folder, "SHA256SUMS"), "utf8").trimEnd().split("\n")) {
  const [digest, name] = line.split(/ {2}(.*)/);
  const content = readFileSync(join(folder, name));
  if (createHash("sha256").update(content).digest("hex") !== digest) {
    console.error(`${name}: the digest is another one; fetch the archive again`);
    process.exit(1);
  }
  if (name.startsWith("cases/")) {
    const { profile, expect } = JSON.parse(content);
    cases.set(profile, (cases.get(profile) ?? 0) + 1);
    matches += (expect.matches ?? []).length;
  }
}

const about = JSON.parse(readFileSync(join(folder, "suite.json")));
const all = [...cases.values()].reduce((sum, number) => sum + number, 0);
console.log(`suite ${about.version} (${about.digest}): ${all} cases, ${matches} matches`);
for (const profile of [...cases.keys()].sort()) console.log(`${profile}: ${cases.get(profile)}`);
