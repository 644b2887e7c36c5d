"""Hostile engines: each yields its verdict in time, harms no other case, and leaves no process behind."""

from __future__ import annotations

import os
import sys
import time
import uuid
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from parte.conformance.parte.engines.table import ENGINES
from parte.conformance.parte.language import PARTELANG
from parte.conformance.results import CaseVerdict, Report, Result, read_report, report_lines
from parte.conformance.runner.judging import Prepared, prepare
from parte.conformance.runner.processes import ProcessSession
from parte.conformance.runner.running import MOST_FAILED_STARTS, EngineRun, Settings, run_engine
from parte.conformance.runner.sessions import EngineFault, EngineSpec
from parte.conformance.runner.smoke import smoke
from parte.conformance.runner.specs import spec_of
from parte.conformance.suites import load_suite

HOSTILE = Path(__file__).with_name("hostile.py")
MARK = "PARTE_TEST_MARK"
TIMEOUT = 1.0
"""Seconds for engines that hang; the others get more, lest a busy machine break the tests."""
PATIENCE = 20.0


EMPTY = load_suite(PARTELANG).cases["empty/trace"]
"""A case without matches, which the fake engine passes when it behaves."""


def case(number: int) -> Prepared:
    return prepare(replace(EMPTY, id=f"fake/case-{number}"), PARTELANG)


CASES = [case(number) for number in range(4)]


@pytest.fixture
def mark(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Marks all processes that a test starts, and fails if any is left."""
    value = uuid.uuid4().hex
    monkeypatch.setenv(MARK, value)
    yield value
    deadline = time.monotonic() + 5
    while (left := marked(value)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not left, "processes are left behind"


def marked(value: str) -> list[int]:
    wanted = f"{MARK}={value}".encode()
    found = []
    for path in Path("/proc").iterdir():
        if path.name.isdigit() and int(path.name) != os.getpid():
            try:
                environment = (path / "environ").read_bytes()
            except OSError:
                continue
            if wanted in environment.split(b"\0"):
                found.append(int(path.name))
    return found


def hostile(mode: str) -> EngineSpec:
    return spec_of(f"{sys.executable} {HOSTILE} {mode}", ENGINES)


def run(mode: str, *, jobs: int = 1, timeout: float = PATIENCE, cases: list[Prepared] = CASES) -> EngineRun:
    return run_engine(hostile(mode), cases, Settings(jobs, timeout))


def verdicts(results: tuple[Result, ...]) -> list[str]:
    return [result.verdict.value for result in results]


MODES = [
    # what it does at its first run, the verdict on the case, words in the message, the verdict on the next case
    ("crash", "error", "exit code 7", "error"),
    ("killed", "error", "SIGKILL", "error"),
    ("hang", "timeout", "no reply within", "timeout"),
    ("busy", "timeout", "no reply within", "timeout"),
    ("garbage", "error", "not UTF-8", "error"),
    ("not-json", "error", "no JSON", "error"),
    ("not-an-object", "error", "expected a JSON object", "error"),
    ("deep", "error", "no JSON", "error"),
    ("wrong-types", "error", "$.matches: expected a list", "error"),
    ("huge-number", "error", "no JSON", "error"),
    ("gigabyte", "error", "longer than", "error"),
    ("gigabyte-stderr", "timeout-or-pass", "", "pass"),
    ("close-stdin", "timeout", "no reply within", "timeout"),
    ("close-stdout", "error", "closed its standard output", "error"),
    ("wrong-seq", "error", "out of sequence", "error"),
    ("twice", "pass", "", "error"),
    ("wrong-reply", "error", "no reply to 'run'", "pass"),
    ("drip", "timeout", "no reply within", "timeout"),
    ("spurious", "fail", "", "pass"),
    ("nonsense", "fail", "", "pass"),
    ("surrogates", "error", "", "error"),
    ("forks", "pass", "", "pass"),
    ("daemons", "error", "exit code 0", "error"),
    ("ignores-bye", "pass", "", "pass"),
]


@pytest.mark.usefixtures("mark")
@pytest.mark.parametrize(("mode", "verdict", "words", "after"), MODES, ids=[mode for mode, *_ in MODES])
def test_misbehaviour_in_a_case(mode: str, verdict: str, words: str, after: str) -> None:
    started = time.monotonic()
    timeout = TIMEOUT if verdict.startswith("timeout") else PATIENCE
    result = run(mode, timeout=timeout, cases=CASES[:2]).results
    assert time.monotonic() - started < 2 * (timeout + 4)
    first, second = result
    if verdict == "timeout-or-pass":
        assert first.verdict in (CaseVerdict.TIMEOUT, CaseVerdict.PASS)
        return
    assert first.verdict.value == verdict, first
    assert words in first.message
    assert second.verdict.value == after, second
    # Whatever the engine said fits into a report, and comes back from it.
    report = Report("1.0", "d", "now", (), result)
    assert read_report(report_lines(report)).results[0].verdict is first.verdict
    if verdict in ("error", "timeout", "fail"):
        assert first.rerun.endswith(f"--case fake/case-0 --timeout {timeout:g}")


@pytest.mark.usefixtures("mark")
@pytest.mark.parametrize(
    ("mode", "verdict", "words"),
    [
        ("crash-at-start", "error", "exit code 1"),
        ("hang-at-start", "timeout", "no reply within"),
        ("never-reads", "timeout", "no reply within"),
        ("chatty-at-start", "error", "no JSON"),
        ("old-protocol", "error", "protocol 0"),
    ],
)
def test_misbehaviour_at_the_start(mode: str, verdict: str, words: str) -> None:
    """After some failed starts nobody waits any longer."""
    started = time.monotonic()
    timeout = TIMEOUT if verdict == "timeout" else PATIENCE
    results = run(mode, timeout=timeout, cases=[case(n) for n in range(8)]).results
    assert time.monotonic() - started < MOST_FAILED_STARTS * (timeout + 1) + 4
    assert verdicts(results) == [verdict] * MOST_FAILED_STARTS + ["error"] * (8 - MOST_FAILED_STARTS)
    assert words in results[0].message
    assert "not tried" in results[-1].message
    if mode == "crash-at-start":
        assert "cannot find my configuration" in results[0].stderr


@pytest.mark.usefixtures("mark")
def test_a_crash_leaves_the_last_words() -> None:
    first = run("crash").results[0]
    assert "about to crash" in first.stderr


@pytest.mark.usefixtures("mark")
def test_an_engine_that_does_not_read_a_large_request() -> None:
    trace = [{"template": "A", "timestamp": n, "attributes": {"k": n}} for n in range(50_000)]
    large = replace(CASES[0], fixture=replace(CASES[0].fixture, trace=tuple(trace)))
    assert verdicts(run("stops-reading", timeout=TIMEOUT, cases=[large]).results) == ["timeout"]


@pytest.mark.usefixtures("mark")
def test_several_workers_give_the_results_in_order() -> None:
    cases = [case(number) for number in range(12)]
    results = run("well", jobs=3, cases=cases).results
    assert [result.case for result in results] == [prepared.fixture.id for prepared in cases]
    assert verdicts(results) == ["pass"] * 12


@pytest.mark.usefixtures("mark")
@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupted_run_leaves_nothing(jobs: int) -> None:
    def interrupt(_result: Result) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_engine(hostile("forks"), CASES, Settings(jobs, PATIENCE), interrupt)


@pytest.mark.usefixtures("mark")
def test_smoke_names_what_fails() -> None:
    def failed(mode: str, seconds: float = PATIENCE) -> list[str]:
        return [check.name for check in smoke(hostile(mode), Settings(1, seconds), PARTELANG) if not check.passed]

    assert failed("crash-at-start") == ["starts and answers hello"]
    assert failed("well") == ["finds one match"]
    assert failed("hang", 2.0) == ["finds one match"]


@pytest.mark.usefixtures("mark")
def test_a_session_is_over_after_close() -> None:
    session = ProcessSession([sys.executable, str(HOSTILE), "ignores-bye"])
    session.close(politely=True)
    session.close()
    with pytest.raises(EngineFault):
        ProcessSession(["/nonexistent/engine"])
