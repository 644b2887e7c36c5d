"""Read a suite of PARTE: check the digest of each file, and count the cases. Usage: python3 read.py [FOLDER]"""

import hashlib
import json
import sys
from collections import Counter
from pathlib import Path

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
cases: Counter[str] = Counter()
matches = 0
for line in (folder / "SHA256SUMS").read_text(encoding="utf-8").splitlines():
    digest, name = line.split("  ", 1)
    content = (folder / name).read_bytes()
    if hashlib.sha256(content).hexdigest() != digest:
        sys.exit(f"{name}: the digest is another one; fetch the archive again")
    if name.startswith("cases/"):
        case = json.loads(content)
        cases[case["profile"]] += 1
        matches += len(case["expect"].get("matches", []))

about = json.loads((folder / "suite.json").read_text(encoding="utf-8"))
print(f"suite {about['version']} ({about['digest']}): {sum(cases.values())} cases, {matches} matches")
for profile, number in sorted(cases.items()):
    print(f"{profile}: {number}")
