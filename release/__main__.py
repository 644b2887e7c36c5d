"""`python -m release`: builds a release into `dist/` and tries it.

Builds sdist and wheel twice from the files that git has, which must give the same bytes; installs each in an empty
environment, and runs there the demo, the examples and a smoke of the suite; writes an archive of the suite of every
language, and reads it with its readers; and writes `dist/report.md`: digests, what ran and what did not, licences, and
the known vulnerabilities of the pinned packages.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import venv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from docs.generate import _table as table
from docs.licences_page import licences_page
from parte.languages.registry import languages
from release.archives import EPOCH, ROOT, repacked, suite_archive, write

DIST: Final = ROOT / "dist"
_BUILD: Final = (
    "from setuptools import build_meta as b; import sys; print(getattr(b, 'build_' + sys.argv[1])(sys.argv[2]))"
)
READERS: Final = {"read.py": (sys.executable,), "read.mjs": ("node",), "read.go": ("go", "run")}
MOST_LINES: Final = 30
"""The last lines of the audit that the report has."""
_SMOKE: Final = ("conform", "model:sound", "--profile", "core")


class Failed(Exception):
    """A step of the release that did not succeed; the text says what and shows its output."""


def run(command: Sequence[str | Path], where: Path, **environment: str) -> str:
    """Run a command and return its standard output. Raise Failed with its output if its exit code is not 0.

    Variables of Python, such as a PYTHONPATH that names the checkout, are not passed on.
    """
    words = list(map(str, command))
    passed = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        words, cwd=where, env=passed | environment, capture_output=True, text=True, timeout=1800, check=False
    )
    if done.returncode:
        raise Failed(f"{' '.join(words)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def _sources(folder: Path) -> Path:
    """Copy the files that git has, so that nothing else of the checkout gets into a release."""
    listed = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True)
    for name in filter(None, listed.split("\0")):
        copy = folder / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, copy, follow_symlinks=False)
    return folder


def build(work: Path) -> dict[str, bytes]:
    """Return the sdist and the wheel by their names, built from a fresh copy of the sources."""
    sources, out = _sources(work / "sources"), work / "out"
    out.mkdir()
    for kind in ("sdist", "wheel"):
        # The mask of new files and the order of a dictionary must not get into an archive.
        run([sys.executable, "-c", _BUILD, kind, out], sources, SOURCE_DATE_EPOCH=str(EPOCH), PYTHONHASHSEED="0")
    built = {path.name: path.read_bytes() for path in out.iterdir()}
    return {name: repacked(content) if name.endswith(".tar.gz") else content for name, content in built.items()}


def tried(file: Path, work: Path) -> Iterator[tuple[str, str]]:
    """Install a file in an empty environment, and yield what was run there with the last line that it printed."""
    home = work / "environment"
    venv.create(home, with_pip=True)
    parte = home / "bin" / "parte"
    run([home / "bin" / "python", "-m", "pip", "install", "--quiet", file], work)
    place = run([home / "bin" / "python", "-c", "import parte; print(parte.__file__)"], work).strip()
    if not Path(place).is_relative_to(home):
        raise Failed(f"{file.name}: {place} is imported, which is not in the new environment")
    yield "parte demo", _last(run([parte, "demo"], work))
    for line in run([parte, "examples"], work).splitlines():
        name = line.partition(":")[0]
        folder = work / "examples" / name
        run([parte, "examples", name, "--out", folder], work)
        readme = (folder / "README.md").read_text(encoding="utf-8")
        line_of_run = re.search(r"^parte (run .*trace\.jsonl.*)$", readme, re.MULTILINE)
        if line_of_run is None or not (folder / "trace.jsonl").exists():
            yield f"parte examples {name}", f"{len(list(folder.iterdir()))} files"
            continue
        words = line_of_run[1]
        printed = run([parte, *shlex.split(words)], work if "examples/" in words else folder)
        if printed != (folder / "expected.jsonl").read_text(encoding="utf-8"):
            raise Failed(f"{file.name}: `parte {words}` in the example {name} printed\n{printed}")
        yield f"parte {words} ({name})", f"{len(printed.splitlines())} lines, as expected.jsonl"
    yield f"parte {' '.join(_SMOKE)}", _last(run([parte, *_SMOKE], work))


def _last(text: str) -> str:
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")


def read(archive: Path, work: Path) -> Iterator[tuple[str, str]]:
    """Unpack the archive of a suite, and yield each reader with its first line. All must print the same."""
    with tarfile.open(archive) as tar:
        tar.extractall(work, filter="data")
    folder = work / archive.name.removesuffix(".tar.gz")
    printed = {}
    for reader, command in READERS.items():
        if shutil.which(command[0]):
            printed[reader] = run([*command, reader], folder)
        yield reader, printed[reader].splitlines()[0] if reader in printed else f"not run: there is no `{command[0]}`"
    if len(set(printed.values())) != 1:
        raise Failed(f"{archive.name}: the readers disagree: {printed}")


def audited(work: Path) -> str:
    """Return what `make audit` prints, or why it could not be asked. Its environment is in `work`."""
    command = ["make", "--silent", "audit", f"VENV={work}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1800, check=False)
    said = "\n".join((done.stdout + done.stderr).strip().splitlines()[-MOST_LINES:])
    outcome = "" if not done.returncode else "The audit did not succeed.\n\n"
    return f"{outcome}```text\n{said}\n```"


def main() -> int:
    """Build and try the release. Return the exit code."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    runs: list[tuple[str, str, str]] = []
    try:
        with tempfile.TemporaryDirectory() as name:
            work = Path(name)
            for folder in ("first", "second"):
                (work / folder).mkdir()
            first, second = build(work / "first"), build(work / "second")
            if first != second:
                raise Failed(f"two builds differ: {', '.join(key for key in first if first[key] != second.get(key))}")
            packages = [write(DIST, key, content) for key, content in first.items()]
            archives = []
            for language in languages():
                (place := work / language.name).mkdir()
                archives.append(write(DIST, *suite_archive(language, place)))
            for number, file in enumerate((*packages, *archives)):
                (place := work / f"try-{number}").mkdir()
                steps = tried(file, place) if file in packages else read(file, place)
                runs += [(file.name, step, said) for step, said in steps]
            vulnerabilities = audited(work)
    except Failed as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 1
    files = [(path.name, f"{path.stat().st_size:,}", _digest(path)) for path in (*packages, *archives)]
    report = (
        f"# PARTE {version}\n\nsdist and wheel were built twice, with the same bytes.\n\n"
        f"{table(('file', 'bytes', 'SHA-256'), files)}\n## Runs\n\n{table(('file', 'run', 'result'), runs)}\n"
        f"## Known vulnerabilities\n\n{vulnerabilities}\n\n## Licences\n\n{licences_page(table)}"
    )
    print(write(DIST, "report.md", report.encode()))
    return 0


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    sys.exit(main())
