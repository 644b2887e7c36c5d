"""Runs the tests that a change calls for, for at most two minutes, those first that are likeliest to notice it for the
time that they take: `make quick`.

The change is what differs from the last commit, new files included, or from the commit that is named. A test is near if
few imports lie between it and what was changed. How long a file of tests takes, and whether it failed, is known from
the last run of `make quick` or `make test` on this machine (`tests/records.py`). What is not finished in time is
counted and said: `make test` runs all.
"""

from __future__ import annotations

import ast
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

import grimp

from tests.records import KEY, QUICK, Record

ROOT = Path(__file__).resolve().parents[1]
SECONDS = 100.0
"""From the start until no further test is begun; the one that runs then is cut a little later (`tests/conftest.py`)."""

GRACE = 15.0
"""Seconds after which all is cut."""

FAREWELL = 10.0
"""Seconds that pytest has to say what it knows when it is cut."""

BATCH = 10.0
"""Seconds of tests, in each process, that one run of pytest is to take; to start it takes some too."""

MOST = 24
"""Files that one run of pytest takes: merely to collect all may take longer than there is."""

UNKNOWN = 4.0
"""Seconds that a file is thought to take that was never run here."""

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
    known = dict.fromkeys((module for module in modules if module in graph.modules), 0)
    frontier = list(known)
    while frontier:
        further = {above for module in frontier for above in graph.find_modules_that_directly_import(module)}
        frontier = [module for module in further if module not in known]
        known.update(dict.fromkeys(frontier, max(known.values()) + 1))
    return known


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
        file = ROOT / f"{module.replace('.', '/')}.py"
        if not file.is_file():
            continue
        beside = below == Path(path) and file.parent == ROOT / folder
        if beside or (below != Path(path) and f'"{below.name}"' in file.read_text(encoding="utf-8")):
            yield module


@cache
def imports() -> grimp.ImportGraph:
    """Which of our modules import which."""
    return grimp.build_graph("parte")


def tests_for(files: Iterable[str], known: Mapping[str, Record]) -> list[Path]:
    """The test files that a change concerns, those first that notice most for their time.

    A file that is no module concerns the tests that name it or its folder, and those near its readers; one of the
    tests, those that import it or, if it is data, those beside it. Those are first that are changed themselves or that
    failed last, as far as that is `known`.
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
        name, text = _name(test), test.read_text(encoding="utf-8")
        reached = [near[module] for module in imported_by(test) if module in near]
        reached += [0 for folder in folders - {'""'} if folder in text]
        if name in files or test.parent in beside or any(word in text for word in names):
            reached.append(-1)
        if reached:
            own = {*test.relative_to(ROOT / "tests").parts[:-1], test.stem.removeprefix("test_")}
            shared = max(len(own & {*Path(path).with_suffix("").parts}) for path in files)
            record = known.get(name)
            first = name in files or (record is not None and record.failed > 0)
            scored.append((not first, -_worth(min(reached), shared) / (1 + _seconds(record)), test))
    return [test for *_, test in sorted(scored)]


def _worth(distance: int, shared: int) -> float:
    """How likely a file of tests is to notice a change, beside others: each import between them halves it, each part of
    the path that both have in common adds to it."""
    return float((1 + shared) * 2.0**-distance)


def _seconds(record: Record | None) -> float:
    return UNKNOWN if record is None else record.seconds


def records() -> dict[str, Record]:
    """What is known of each file of tests. Nothing if nothing was written, or not by this version of it."""
    try:
        written = json.loads((ROOT / ".pytest_cache" / "v" / KEY).read_text(encoding="utf-8"))
        return {name: Record(**record) for name, record in written.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def batch_of(tests: Sequence[Path], known: Mapping[str, Record], seconds: float) -> list[Path]:
    """The first files that take so many seconds together: at least one, and not many."""
    batch: list[Path] = []
    for test in tests[:MOST]:
        seconds -= _seconds(known.get(_name(test)))
        if batch and seconds < 0:
            break
        batch.append(test)
    return batch


def _name(test: Path) -> str:
    return test.relative_to(ROOT).as_posix()


def run(batch: Sequence[Path], until: float) -> int:
    """The exit code of pytest on some files, none of whose tests begin after a time, in seconds since 1970.

    When it does not end by itself it is interrupted, and says what it knows so far. The files of a folder stand
    together: pytest loses the fixtures of a folder that it comes back to.
    """
    options = ["-q", "-n", "auto", "-m", QUICK, "--hypothesis-profile=quick"]
    command = [sys.executable, "-m", "pytest", *options, *map(str, sorted(batch, key=lambda test: (test.parent, test)))]
    process = subprocess.Popen(command, cwd=ROOT, env=os.environ | {UNTIL: str(until)})
    try:
        return process.wait(max(until - time.time(), 0) + GRACE)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(FAREWELL)
        return 0  # what failed by then is in the records
    finally:
        process.kill()
        process.wait()


def share(tests: Sequence[Path], known: Mapping[str, Record], started: float) -> str:
    """How many of the files and tests that a change concerns were run to their end since a time."""
    done = {name: record for name, record in known.items() if record.at >= started}
    chosen = [_name(test) for test in tests]
    files = sum(name in done and done[name].finished == done[name].tests for name in chosen)
    finished = sum(done[name].finished for name in chosen if name in done)
    counted = [known[name].tests for name in chosen if name in known]
    total = round(sum(counted) * len(chosen) / len(counted)) if counted else 0
    about = "" if len(counted) == len(chosen) else "about "
    return (
        f"{files} of {len(chosen)} files of tests ({_percent(files, len(chosen))}), "
        f"{finished} of {about}{total} tests ({_percent(finished, total)})"
    )


def _percent(part: int, whole: int) -> str:
    return f"{part / whole:.0%}" if whole else "none"


def main() -> int:
    """1 if a test failed; 0 when nothing is concerned, or when what was reached in time passed."""
    started, begun = time.monotonic(), time.time()
    files = changed(sys.argv[1] if len(sys.argv) > 1 else "HEAD")
    tests = tests_for(files, records())
    print(f"{len(files)} files changed, {len(tests)} files of tests concerned", flush=True)
    failed = False
    waiting = list(tests)
    while waiting and (left := started + SECONDS - time.monotonic()) > 0:
        batch = batch_of(waiting, records(), BATCH * (os.cpu_count() or 1))
        failed |= run(batch, time.time() + left) not in FINE
        waiting = waiting[len(batch) :]
    known = records()
    failed |= any(known[name].at >= begun and known[name].failed for name in map(_name, tests) if name in known)
    verdict = "FAILED" if failed else "passed"
    print(f"{verdict}: {share(tests, known, begun)} were finished in {time.monotonic() - started:.0f} s")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
