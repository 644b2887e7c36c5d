"""Runs the tests that a change calls for, nearest first, for at most two minutes: `make quick`.

The change is what differs from the last commit, new files included, or from the commit that is named. A test is near if
few imports lie between it and what was changed. Tests that are not reached in time are counted as skipped: `make test`
runs all.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parents[1]
SECONDS = 110.0
"""Until no further test is begun."""

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
    """The modules that a test imports, or may: `from a import b` may name two."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def distances(graph: grimp.ImportGraph, modules: Iterable[str]) -> dict[str, int]:
    """How many imports lead from each module to one of the given; those that no import leads to are left out."""
    found = dict.fromkeys((module for module in modules if module in graph.modules), 0)
    frontier = list(found)
    while frontier:
        further = {above for module in frontier for above in graph.find_modules_that_directly_import(module)}
        frontier = [module for module in further if module not in found]
        found.update(dict.fromkeys(frontier, max(found.values()) + 1))
    return found


def tests_for(files: Iterable[str]) -> list[Path]:
    """The test files that a change concerns, nearest first; one that is no module concerns the tests that name it."""
    files = list(files)
    near = distances(grimp.build_graph("parte"), (module_of(path) for path in files if path.endswith(".py")))
    names = [Path(path).name for path in files if not path.endswith(".py")]
    scored = []
    for test in sorted((ROOT / "tests").rglob("test_*.py")):
        relative = test.relative_to(ROOT).as_posix()
        reached = [near[name] for name in imported_by(test) if name in near]
        if relative in files or any(name in test.read_text(encoding="utf-8") for name in names):
            reached.append(-1)
        if reached:
            scored.append((min(reached), test))
    return [test for _, test in sorted(scored)]


def main() -> int:
    """Exit code of pytest; 0 when nothing is concerned, or when what was reached in time passed."""
    files = changed(sys.argv[1] if len(sys.argv) > 1 else "HEAD")
    tests = tests_for(files)
    print(f"{len(files)} files changed, {len(tests)} files of tests concerned", flush=True)
    if not tests:
        return 0
    options = ["-q", "-n", "auto", "-m", "not exhaustive", "--hypothesis-profile=ci"]
    command = [sys.executable, "-m", "pytest", *options, *map(str, tests)]
    return subprocess.run(
        command, cwd=ROOT, env=os.environ | {UNTIL: str(time.time() + SECONDS)}, check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
