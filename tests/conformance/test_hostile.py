"""Hostile engines: each yields its verdict in time, harms no other case, and leaves no process behind."""

from __future__ import annotations

import os
import pickle
import sys
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from parte.conformance.partelang.engines.reference import ReferenceEngine
from parte.conformance.partelang.engines.table import ENGINES
from parte.conformance.protocol import Found, Load, Reply
from parte.conformance.results import CaseVerdict, Report, Result, read_report, report_lines
from parte.conformance.runner.judging import Prepared, prepare
from parte.conformance.runner.processes import ProcessSession
from parte.conformance.runner.running import MOST_FAILED_STARTS, EngineRun, Settings, run_engine
from parte.conformance.runner.sessions import EngineFault, EngineSpec, Fault, LocalSession
from parte.conformance.runner.smoke import smoke
from parte.conformance.runner.specs import spec_of
from parte.conformance.suites import load_suite
from parte.languages.partelang import PARTELANG

Json = Any

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
    processes = []
    for path in Path("/proc").iterdir():
        if path.name.isdigit() and int(path.name) != os.getpid():
            try:
                environment = (path / "environ").read_bytes()
            except OSError:
                continue
            if wanted in environment.split(b"\0"):
                processes.append(int(path.name))
    return processes


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
    ("never-ends-its-line", "timeout", "10 bytes of a line that does not end", "timeout"),
    ("busy", "timeout", "no reply within", "timeout"),
    ("garbage", "error", "not UTF-8", "error"),
    ("not-json", "error", "no JSON", "error"),
    ("not-an-object", "error", "expected a JSON object", "error"),
    ("deep", "error", "nests deeper than 64", "error"),
    ("wrong-types", "error", "$.matches: expected a list", "error"),
    ("huge-number", "error", "no JSON", "error"),
    ("gigabyte", "error", "longer than", "error"),
    ("gigabyte-stderr", "timeout-or-pass", "", "pass"),
    ("close-stdin", "timeout", "no reply within", "timeout"),
    ("close-stdout", "error", "closed its standard output", "error"),
    ("wrong-seq", "error", "out of sequence", "error"),
    ("twice", "error", "after the reply there came more", "error"),
    ("second-reply-at-once", "error", "after the reply there came more", "error"),
    ("second-reply-late", "error", "after the reply there came more", "error"),
    ("says-more-after-bye", "pass", "", "error"),
    ("replies-before-requests", "error", "", "error"),
    ("ignores-signals", "timeout", "no reply within", "timeout"),
    ("stopped", "timeout", "no reply within", "timeout"),
    ("grandchild-holds-the-pipes", "error", "exit code 3", "error"),
    ("hydra", "pass", "", "pass"),
    ("floods-both", "error", "longer than", "error"),
    ("half-a-line", "error", "exit code 0", "error"),
    ("seq-as-text", "error", "$.seq: expected an integer", "error"),
    ("seq-true", "error", "$.seq: expected an integer", "error"),
    ("seq-missing", "error", "'seq' is missing", "error"),
    ("seq-of-the-last", "error", "out of sequence", "error"),
    ("seq-twice", "error", "twice in one object", "error"),
    ("empty-lines", "error", "no JSON", "error"),
    ("not-a-number", "error", "no JSON", "error"),
    ("nul", "error", "no JSON", "error"),
    ("bytes-that-are-no-text", "error", "not UTF-8", "error"),
    ("nested", "error", "nests deeper than 64", "error"),
    ("millions", "error", "more than 500,000 parts", "error"),
    ("too-many-matches", "error", "$.matches", "error"),
    ("long-string", "unsupported", "", "pass"),
    ("out-of-memory", "error", "exit code 1", "error"),
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
        ("hang-at-start", "timeout", "does it flush its output"),
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
def test_an_engine_that_is_another_after_each_start() -> None:
    first, *others = run("another-each-time", cases=CASES[:3]).results
    assert (first.verdict, first.message) == (CaseVerdict.ERROR, "the engine ended with exit code 1 without a reply")
    for result in others:
        assert result.verdict is CaseVerdict.ERROR
        assert "these would be results of two engines" in result.message


@pytest.mark.usefixtures("mark")
def test_cases_are_asked_again() -> None:
    """An engine that is right at first only passes one run of two cases, but not two."""

    def verdicts_after(repeat: int) -> list[str]:
        settings = Settings(1, PATIENCE, repeat=repeat)
        results = run_engine(hostile("right-only-at-first"), CASES[:2], settings).results
        assert [result.case for result in results] == [case.fixture.id for case in CASES[:2]]
        return [f"{result.verdict.value} {result.message}".strip() for result in results]

    assert verdicts_after(1) == ["pass", "pass"]
    assert verdicts_after(2) == ["fail asked again, it answers otherwise (pass, fail)"] * 2


def test_an_engine_that_depends_on_the_order_is_found_in_another() -> None:
    class Ordered(ReferenceEngine):
        """It finds nothing for a program that comes after another which is greater."""

        loaded = greatest = ""

        def load(self, request: Load) -> Reply:
            self.loaded, self.greatest = request.text, max(self.greatest, request.text)
            return super().load(request)

        def run(self, trace: Sequence[Json]) -> Reply:
            return super().run(trace) if self.loaded == self.greatest else Found(())

    some = load_suite(PARTELANG).select(cases=["windows"])[:12]
    chosen = sorted((prepare(case, PARTELANG) for case in some), key=lambda case: case.load.text)
    spec = EngineSpec("ordered", "ordered", lambda: LocalSession(Ordered()), alone=True)
    assert {result.verdict for result in run_engine(spec, chosen).results} == {CaseVerdict.PASS}
    shuffled = run_engine(spec, chosen, Settings(shuffle=1)).results
    assert [result.case for result in shuffled] == [prepared.fixture.id for prepared in chosen]
    assert any(result.verdict is CaseVerdict.FAIL for result in shuffled)


@pytest.mark.usefixtures("mark")
def test_whatever_goes_wrong_in_judging_ends_one_case() -> None:
    def overflowing(match: object) -> str:
        return str(match) if match is None else overflowing(match)

    broken = replace(CASES[0], key=overflowing)
    result = run("spurious", cases=[broken, CASES[1]]).results
    assert verdicts(result) == ["error", "fail"]  # the second is asked of a new process, which errs once too
    assert "cannot be judged: RecursionError" in result[0].message


def test_judging_has_the_time_of_the_case() -> None:
    def slow(match: object) -> str:
        time.sleep(0.3)
        return str(match)

    slowly = replace(CASES[0], key=slow)
    answer = Found(({"rule": "R"},))

    class Finding(ReferenceEngine):
        def run(self, trace: Sequence[Json]) -> Reply:
            assert not trace
            return answer

    spec = EngineSpec("finding", "finding", lambda: LocalSession(Finding()), alone=True)
    (result,) = run_engine(spec, [slowly], Settings(timeout=0.2)).results
    assert (result.verdict.value, result.message) == ("timeout", "its replies were not read and judged within 0.2 s")


@pytest.mark.usefixtures("mark")
def test_an_engine_of_this_project_is_interrupted_too() -> None:
    """Named on a command line it is another process: a program that takes it minutes ends with the timeout."""
    patterns = ", ".join(f"{name} : A" for name in "abcdefg")
    windows = " ".join(f"{name} in a [-1000 ms, 1000 ms]" for name in "bcdefg")
    trace = tuple({"id": f"a{n}", "template": "A", "timestamp": n, "source": "s"} for n in range(40))
    fixture = replace(EMPTY, program=(f"template A {{}} rule R where {patterns} when {windows}",), trace=trace)
    spec = spec_of("model:algebra", ENGINES, PARTELANG.name)
    started = time.monotonic()
    first, second = run_engine(spec, [prepare(fixture, PARTELANG), CASES[1]], Settings(timeout=4.0)).results
    assert (first.verdict.value, second.verdict.value) == ("timeout", "pass")
    assert time.monotonic() - started < 30


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


def test_smoke_shows_a_reply_as_it_was_written() -> None:
    class Remembering(ReferenceEngine):
        """It finds in a trace what it found in the one before, too."""

        previous: tuple[Json, ...] = ()

        def run(self, trace: Sequence[Json]) -> Reply:
            reply = super().run(trace)
            assert isinstance(reply, Found)
            self.previous = (*self.previous, *reply.matches)
            return Found(self.previous)

    spec = EngineSpec("remembering", "remembering", lambda: LocalSession(Remembering()), alone=True)
    *_, last = smoke(spec, Settings(), PARTELANG)
    assert (last.name, last.passed) == ("has forgotten the first trace", False)
    assert last.outcome.startswith("expected no matches of an empty trace, for a load begins anew; it replied ")
    assert '{"reply": "matches", "matches": [{"rule": ' in last.outcome


@pytest.mark.usefixtures("mark")
def test_a_session_is_over_after_close() -> None:
    session = ProcessSession([sys.executable, str(HOSTILE), "ignores-bye"])
    session.close(politely=True)
    session.close()
    with pytest.raises(EngineFault):
        ProcessSession(["/nonexistent/engine"])


def test_a_fault_crosses_between_processes() -> None:
    """Else a pool would wait for ever, or die of the rebuilding, where an engine is missing."""
    engine_fault = EngineFault(Fault.CRASH, "it ended", "its last words", unasked=True)
    restored = pickle.loads(pickle.dumps(engine_fault))
    assert isinstance(restored, EngineFault)
    assert (str(restored), vars(restored)) == (str(engine_fault), vars(engine_fault))
