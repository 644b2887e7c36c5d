"""Archives with the same bytes each time, and those of the suites: for engines that have no Python."""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from parte.conformance.exporting import export_suite
from parte.conformance.suites import SCHEMA_FILE, SUITE_FILE, load_suite
from parte.languages.language import Language
from parte.semantics.events.files import write_whole

ROOT: Final = Path(__file__).parents[1]
READERS: Final = Path(__file__).parent / "readers"
EPOCH: Final = 1_704_067_200
"""The time of every file in an archive, in seconds: 2024-01-01T00:00:00Z."""
_ABOUT = """\
# The conformance suite of {language}, version {version}

{cases} cases in `cases/`, a JSON file each: a program, a trace, and the matches that an engine must find. `{schema}`
describes the files, `{suite}` has the version and the digest, and `SHA256SUMS` the digest of every file.

A case has the `program` as parts of its text, its elaborated tree as `ast`, the `trace` in order of arrival, with
timestamps in milliseconds, and in `expect` the `matches`, or the code of the error with which the program or the trace
is `rejected`.

`read.py`, `read.mjs` and `read.go` read the suite in Python, JavaScript (Node) and Go, check the digests and count the
cases: begin with the one of your language. The licence is in `LICENSE`.
"""


def packed(files: Mapping[str, bytes], top: str) -> bytes:
    """Return a tar.gz archive of files in a folder `top`, by their names: equal files give equal bytes."""
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, content in sorted(files.items()):
            member = tarfile.TarInfo(f"{top}/{name}")
            member.size, member.mtime, member.mode = len(content), EPOCH, 0o644
            archive.addfile(member, io.BytesIO(content))
    return gzip.compress(tar.getvalue(), mtime=EPOCH)


def repacked(archive: bytes) -> bytes:
    """Return a tar.gz archive of the same files without what depends on the time and the user of its making."""
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        members = [member for member in tar.getmembers() if member.isfile()]
        contents = {member.name: tar.extractfile(member) for member in members}
        files = {name: file.read() for name, file in contents.items() if file is not None}
    (top,) = {name.split("/")[0] for name in files}
    return packed({name.removeprefix(f"{top}/"): content for name, content in files.items()}, top)


def suite_archive(language: Language, work: Path) -> tuple[str, bytes]:
    """Return the name and the archive of the suite of a language; `work` is an empty folder for its files."""
    suite = load_suite(language)
    export_suite(suite, work, language)
    exported = {path.relative_to(work).as_posix(): path.read_bytes() for path in work.rglob("*") if path.is_file()}
    files = {name if name in {SCHEMA_FILE, SUITE_FILE} else f"cases/{name}": text for name, text in exported.items()}
    about = {"version": suite.version, "cases": len(suite.cases), "schema": SCHEMA_FILE, "suite": SUITE_FILE}
    files["README.md"] = _ABOUT.format(language=language.name, **about).encode()
    files["LICENSE"] = (ROOT / "LICENSE").read_bytes()
    files |= {path.name: path.read_bytes() for path in READERS.iterdir()}
    sums = (f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in sorted(files.items()))
    files["SHA256SUMS"] = "".join(sums).encode()
    name = f"parte-suite-{language.name.lower()}-{suite.version}"
    return f"{name}.tar.gz", packed(files, name)


def write(folder: Path, name: str, content: bytes) -> Path:
    """Write a file of the release."""
    write_whole(folder / name, content)
    return folder / name
