"""Which tests `make quick` runs for a change, in which order, and what it says of them."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests import quick
from tests.records import Record


@pytest.mark.parametrize(
    ("changed", "nearest"),
    [
        ("parte/semantics/partelang/kernel.py", "tests/semantics/partelang/test_kernel.py"),
        ("parte/semantics/partelang/syntax/grammar.lark", "tests/semantics/partelang/syntax/test_parser.py"),
        ("parte/conformance/partelang/suite/windows.cases", "tests/conformance/test_suite.py"),
        ("parte/conformance/partelang/mutants/windows.toml", "tests/conformance/test_mutants.py"),
        ("parte/conformance/partelang/engines/known/clips.jsonl", "tests/conformance/engines/test_clips.py"),
        ("docs/specification/algebra.md", "tests/test_specification.py"),
        ("tests/conformance/toy/language.py", "tests/conformance/toy/test_toy.py"),
        ("tests/conformance/toy/suite/pairs.cases", "tests/conformance/toy/test_toy.py"),
    ],
)
def test_a_changed_file_concerns_the_tests_near_what_reads_it(changed: str, nearest: str) -> None:
    paths = [test for test in quick.tests_for([changed], {}) if test != Path(__file__)]  # which names them all
    assert paths[0] == quick.ROOT / nearest


KERNEL = "tests/semantics/partelang/test_kernel.py"
FIGURES = "tests/semantics/partelang/test_rule_figures.py"
CHANGED = ["parte/semantics/partelang/kernel.py"]


def record(*, seconds: float = 2.0, tests: int = 10, finished: int = 10, failed: int = 0, at: float = 100.0) -> Record:
    return Record(at, seconds, tests, finished, failed)


def ordered(known: dict[str, Record]) -> list[str]:
    return [test.relative_to(quick.ROOT).as_posix() for test in quick.tests_for(CHANGED, known)]


def test_what_takes_long_waits_for_what_notices_as_much_sooner() -> None:
    order = ordered({KERNEL: record(seconds=1.0), FIGURES: record(seconds=1.0)})
    assert order.index(KERNEL) < order.index(FIGURES)
    order = ordered({KERNEL: record(seconds=100.0), FIGURES: record(seconds=1.0)})
    assert order.index(KERNEL) > order.index(FIGURES)


def test_what_failed_last_comes_first() -> None:
    last = ordered({})[-1]
    assert ordered({last: record(seconds=500.0, failed=1)})[0] == last


def test_a_test_that_is_changed_itself_comes_first() -> None:
    long = {KERNEL: record(seconds=500.0)}
    assert quick.tests_for([*CHANGED, KERNEL], long)[0] == quick.ROOT / KERNEL


def test_a_batch_takes_its_time_and_at_least_one_file() -> None:
    tests = [quick.ROOT / name for name in (KERNEL, FIGURES, "tests/test_new.py")]
    known = {KERNEL: record(seconds=15.0), FIGURES: record(seconds=4.0)}
    assert quick.batch_of(tests, known, 20.0) == tests[:2]
    assert quick.batch_of(tests, known, 23.0) == tests
    assert quick.batch_of(tests, known, 1.0) == tests[:1]
    assert len(quick.batch_of(tests * 20, {}, 1e6)) == quick.MOST


def test_the_share_counts_what_ran_to_its_end_in_this_run() -> None:
    tests = [quick.ROOT / name for name in (KERNEL, FIGURES, "tests/test_old.py", "tests/test_new.py")]
    known = {
        KERNEL: record(tests=30, finished=30, at=200.0),
        FIGURES: record(tests=20, finished=5, at=200.0),
        "tests/test_old.py": record(tests=10, finished=10, at=100.0),
    }
    said = "1 of 4 files of tests (25%), 35 of about 80 tests (44%)"
    assert quick.share(tests, known, started=150.0) == said
    assert quick.share(tests[:3], known, started=150.0) == "1 of 3 files of tests (33%), 35 of 60 tests (58%)"
    assert quick.share([], known, started=150.0) == "0 of 0 files of tests (none), 0 of 0 tests (none)"


@pytest.mark.parametrize("text", ["", "[]", "{", '{"tests/test_a.py": {"seconds": 1}}', '{"tests/test_a.py": 3}'])
def test_records_that_cannot_be_read_are_none(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.quick.ROOT", tmp_path)
    assert quick.records() == {}
    file = tmp_path / ".pytest_cache" / "v" / "parte" / "files"
    file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")
    assert quick.records() == {}


def test_files_of_a_folder_stand_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """pytest finds no fixture of a folder that it comes back to: 12 errors in these files, when given in this order."""
    names = ("tests/parte/test_fuzz_command.py", "tests/test_quick.py", "tests/parte/test_variant_option.py")
    commands: list[list[str]] = []

    def planned(command: list[str], **settings: Any) -> subprocess.Popen[bytes]:
        commands.append(command)
        return whole([*command, "-n", "0", "--setup-plan"], stdout=subprocess.DEVNULL, **settings)

    whole = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", planned)
    assert quick.run([quick.ROOT / name for name in names], time.time() + 60) == 0
    assert all(str(quick.ROOT / name) in commands[0] for name in names)
