"""Runs the tests that a change calls for, nearest first, for at most two minutes: `make quick`.

The change is what differs from the last commit, new files included, or from the commit that is named. A test is near if
few imports lie between it and what was changed. Tests that are not finished in time are counted as skipped: `make test`
runs all.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parents[1]
SECONDS = 100.0
"""From the start until no further test is begun; the one that runs then is cut a little later (`tests/conftest.py`)."""

GRACE = 15.0
"""Seconds after which all is cut."""

BATCH = 8
FINE = (0, 5)
"""The exit codes of pytest when no test failed: 5 is that there was none."""

UNTIL = "PARTE_TESTS_UNTIL"
"""Tells the tests when that is (`tests/conftest.py`)."""


def changed(base: str) -> list[str]:
    """The files that differ from a commit, and those that git does not know yet."""
    commands = (["diff", "--name-only", base], ["ls-files", "--others", "--exclude-standard"])
    listed = [subprocess.check_output(["git", *command], cwd=ROOT, text=True) for command in commands]
    return "".join(listed).splitlines()


def module_of(path: str) -> str:
    """The module in a file below `parte`."""
    name = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return name if name.startswith("parte.") else f"parte.{name}"


def imported_by(path: Path) -> Iterator[str]:
    """The modules that a test imports, or may (`from a import b` may name two), also by way of what tests share."""
    for name in _named(path):
        yield name
        shared = ROOT / f"{name.replace('.', '/')}.py"
        if name.startswith("tests.") and shared != path and shared.is_file():
            yield from imported_by(shared)


@cache
def _named(path: Path) -> tuple[str, ...]:
    named: list[str] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            named += (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            named += (node.module, *(f"{node.module}.{alias.name}" for alias in node.names))
    return tuple(named)


def distances(graph: grimp.ImportGraph, modules: Iterable[str]) -> dict[str, int]:
    """How many imports lead from each module to one of the given; those that no import leads to are left out."""
    found = dict.fromkeys((module for module in modules if module in graph.modules), 0)
    frontier = list(found)
    while frontier:
        further = {above for module in frontier for above in graph.find_modules_that_directly_import(module)}
        frontier = [module for module in further if module not in found]
        found.update(dict.fromkeys(frontier, max(found.values()) + 1))
    return found


def home(path: str) -> tuple[Path, Path]:
    """The nearest folder above a data file that has modules, and what lies in it on the way to the file: that is what
    modules name that read it, as those that read cases name `"suite"`."""
    folder, below = Path(path).parent, Path(path)
    while folder.name and not any((ROOT / folder).glob("*.py")):
        folder, below = folder.parent, folder
    return folder, below


def readers(path: str, modules: Iterable[str]) -> Iterator[str]:
    """The modules that may read a data file: those of the folder that it lies in, or those that name its folder."""
    folder, below = home(path)
    for module in modules:
        found = ROOT / f"{module.removeprefix('parte.').replace('.', '/')}.py"
        if not found.is_file():
            continue
        beside = below == Path(path) and found.parent == ROOT / folder
        if beside or (below != Path(path) and f'"{below.name}"' in found.read_text(encoding="utf-8")):
            yield module


@cache
def imports() -> grimp.ImportGraph:
    """Which of our modules import which."""
    return grimp.build_graph("parte")


def tests_for(files: Iterable[str]) -> list[Path]:
    """The test files that a change concerns, nearest first: by imports, then by names.

    A file that is no module concerns the tests that name it or its folder, and those near its readers; one of the
    tests, those that import it or, if it is data, those beside it.
    """
    files = list(files)
    modules = [path for path in files if path.endswith(".py")]
    data = [path for path in files if not path.endswith(".py")]
    graph = imports()
    read = {module for path in data for module in readers(path, graph.modules)}
    near = distances(graph, {module_of(path) for path in modules} | read)
    near |= {path.removesuffix(".py").replace("/", "."): 0 for path in modules if path.startswith("tests/")}
    names = {Path(path).name for path in data}
    homes = {path: home(path) for path in data}
    beside = {ROOT / folder for folder, _ in homes.values()}
    folders = {f'"{(folder if below == Path(path) else below).name}"' for path, (folder, below) in homes.items()}
    scored = []
    for test in sorted((ROOT / "tests").rglob("test_*.py")):
        text = test.read_text(encoding="utf-8")
        reached = [near[name] for name in imported_by(test) if name in near]
        reached += [0 for folder in folders - {'""'} if folder in text]
        if test.relative_to(ROOT).as_posix() in files or test.parent in beside or any(name in text for name in names):
            reached.append(-1)
        if reached:
            own = {*test.relative_to(ROOT / "tests").parts[:-1], test.stem.removeprefix("test_")}
            shared = max(len(own & {*Path(path).with_suffix("").parts}) for path in files)
            scored.append((min(reached), -shared, test))
    return [test for *_, test in sorted(scored)]


def main() -> int:
    """1 if a test failed; 0 when nothing is concerned, or when what was reached in time passed."""
    started = time.monotonic()
    files = changed(sys.argv[1] if len(sys.argv) > 1 else "HEAD")
    tests = tests_for(files)
    print(f"{len(files)} files changed, {len(tests)} files of tests concerned", flush=True)
    options = ["-q", "-n", "auto", "-m", "not exhaustive", "--hypothesis-profile=ci"]
    failed = False
    reached = 0
    while reached < len(tests) and (left := started + SECONDS - time.monotonic()) > 0:
        # A few files at a time: merely to collect all tests may take longer than there is.
        batch = tests[reached : reached + BATCH]
        command = [sys.executable, "-m", "pytest", *options, *map(str, batch)]
        try:
            environment = os.environ | {UNTIL: str(time.time() + left)}
            done = subprocess.run(command, cwd=ROOT, env=environment, check=False, timeout=left + GRACE)
        except subprocess.TimeoutExpired:
            break
        failed |= done.returncode not in FINE
        reached += len(batch)
    seconds, verdict = time.monotonic() - started, "FAILED" if failed else "passed"
    print(f"{reached} of {len(tests)} files were reached in {seconds:.0f} s: {verdict}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
