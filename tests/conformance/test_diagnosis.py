"""Failures are grouped by cause: planted errors are named, alone and two at once; others come by clause or message."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from parte.conformance.diagnosis import alone
from parte.conformance.diagnosis.alone import told_apart
from parte.conformance.diagnosis.grouping import causes
from parte.conformance.fixtures import BY_HAND, Suite
from parte.conformance.kit import KIT
from parte.conformance.mutants import Mutant
from parte.conformance.partelang.engines.reference import ReferenceEngine
from parte.conformance.protocol import Engine, Found, Load, Reply
from parte.conformance.results import CaseVerdict, Cause, Result
from parte.conformance.runner.judging import Prepared, prepare
from parte.conformance.runner.running import run_engine
from parte.conformance.suites import load_suite
from parte.languages.partelang import PARTELANG
from parte.semantics.partelang.repairs import SOUND
from tests.conformance.toy.language import PAIRS
from tests.conformance.wrong_engines import Altered, Limited, spec, unaltered, without_emissions

Json = Any
SUITE = load_suite(PARTELANG)


def diagnosed(
    make: Callable[[], Engine], *areas: str, suite: Suite = SUITE, seconds: float = 60.0
) -> tuple[tuple[Cause, ...], dict[str, Result]]:
    language = PARTELANG if suite is SUITE else PAIRS
    cases = {case.id: prepare(case, language) for case in suite.select((), areas)}
    results = run_engine(spec("planted", make), list(cases.values())).results
    return causes(results, cases, language, seconds), {result.case: result for result in results}


def mutant(name: str) -> Mutant:
    return next(mutant for mutant in PARTELANG[KIT].mutants() if mutant.name == name)


CLOSES_EARLY = mutant("sound/window-closes-one-early")
IGNORES_TIES = mutant("sound/negation-of-the-past-ignores-ties")


def test_a_planted_error_is_named_and_explains_every_failure() -> None:
    causes, results = diagnosed(CLOSES_EARLY.engine, "windows", "ties")
    (cause,) = causes
    assert cause.mutant == "sound/window-closes-one-early"
    assert "windows-closed" in cause.clauses
    assert set(cause.cases) == {case for case, result in results.items() if result.verdict.bad}
    cases = SUITE.cases
    sizes = [len(cases[case].text) + len(cases[case].trace_text) for case in cause.cases]
    assert cases[cause.cases[0]].origin == BY_HAND
    assert sizes[0] == min(sizes), "the plainest case comes first"


@pytest.mark.exhaustive
def test_each_of_two_errors_is_named() -> None:
    both = replace(CLOSES_EARLY, edits=CLOSES_EARLY.edits + IGNORES_TIES.edits)
    causes, results = diagnosed(both.engine, "windows", "negation", "ties")
    assert {CLOSES_EARLY.name, IGNORES_TIES.name} <= {cause.mutant for cause in causes}
    assert {case for cause in causes for case in cause.cases} == {
        c for c, result in results.items() if result.verdict.bad
    }


@pytest.mark.exhaustive
def test_what_no_error_explains_is_grouped_by_clause() -> None:
    causes, results = diagnosed(lambda: Altered(without_emissions), "emission")
    assert all(cause.mutant == "" and len(cause.clauses) == 1 for cause in causes)
    for cause in causes:
        assert all(cause.clauses[0] in SUITE.cases[case].clauses for case in cause.cases)
    bad = sorted(case for case, result in results.items() if result.verdict.bad)
    assert sorted(case for cause in causes for case in cause.cases) == bad, "each failure has one cause"


def test_without_time_nothing_is_compared() -> None:
    causes, _ = diagnosed(CLOSES_EARLY.engine, "windows", seconds=0)
    assert {cause.mutant for cause in causes} == {""}
    assert causes[0].clauses == ("windows-closed",)


def test_what_is_no_answer_is_grouped_by_what_went_wrong() -> None:
    grouped, _ = diagnosed(lambda: Limited(unaltered, word="no ", fails=True), "negation")
    assert [cause.summary for cause in grouped] == ["error: the engine reports an error: cannot handle line"]

    said = ("Can't locate JSON in line 3", "the engine ended with exit code 12 without a reply", "cannot read 'x'")
    cases = {case.id: prepare(case, PARTELANG) for case in SUITE.select((), ["windows"])[: len(said)]}
    results = [
        Result("one", case, "core", "", CaseVerdict.ERROR, 0.1, message)
        for case, message in zip(cases, said, strict=True)
    ]
    assert {cause.summary for cause in causes(results, cases, PARTELANG)} == {
        "error: Can't locate JSON in line",
        "error: the engine ended with exit code 12 without a reply",
        "error: cannot read",
    }

    gone = "the engine ended with exit code 1 without a reply"
    written = ("at 7\nKeyError: 'timestamp'\n", "at 9\nKeyError: 'timestamp'\n", "TypeError: int of line 12", "")
    cases = {case.id: prepare(case, PARTELANG) for case in SUITE.select((), ["windows"])[: len(written)]}
    results = [
        Result("one", case, "core", "", CaseVerdict.ERROR, 0.1, gone, stderr=stderr)
        for case, stderr in zip(cases, written, strict=True)
    ]
    assert {(cause.summary, len(cause.cases)) for cause in causes(results, cases, PARTELANG)} == {
        (f"error: {gone}: KeyError: 'timestamp'", 2),
        (f"error: {gone}: TypeError: int of line …", 1),
        (f"error: {gone}", 1),
    }

    traces = ("rejects/trace-id-of-a-numbered-emission", "rejects/trace-id-of-an-emitted-event")

    class Credulous(Altered):
        def run(self, trace: Sequence[Json]) -> Reply:
            reply = self.inner.run(trace)
            return reply if isinstance(reply, Found) else Found(())

    (cause,) = diagnosed(lambda: Credulous(unaltered), *traces)[0]
    assert cause.summary == "fail: accepted what must be rejected"


class Remembering(ReferenceEngine):
    """It finds a match more from the third trace on; `wrong` finds it always, in programs that have the word."""

    runs = 0
    wrong = ""
    loaded = ""

    def load(self, request: Load) -> Reply:
        self.loaded = request.text
        return super().load(request)

    def run(self, trace: Sequence[Json]) -> Reply:
        self.runs += 1
        reply = super().run(trace)
        spoilt = self.runs > 2 or (self.wrong and self.wrong in self.loaded)
        return Found(({"rule": "R", "bindings": {}, "emits": []},)) if spoilt else reply


def asked_alone(make: Callable[[], Engine], *areas: str) -> tuple[tuple[Cause, ...], list[str], dict[str, Result]]:
    """The causes when failures are asked again, the cases that were, and the results."""
    cases = {case.id: prepare(case, PARTELANG) for case in SUITE.select((), areas)}
    results = run_engine(spec("planted", make), list(cases.values())).results
    probed: list[str] = []

    def passes_alone(case: Prepared) -> bool:
        probed.append(case.fixture.id)
        return run_engine(spec("planted", make), [case]).results[0].verdict is CaseVerdict.PASS

    again = partial(causes, cases=cases, language=PARTELANG, seconds=0)
    apart = told_apart(again(results), results, cases, passes_alone, again, 60)
    return apart, probed, {result.case: result for result in results}


def test_what_passes_alone_is_told_apart() -> None:
    causes, probed, results = asked_alone(lambda: Remembering(SOUND), "windows")
    bad = {case for case, result in results.items() if result.verdict.bad}
    (cause,) = causes
    assert cause.summary.startswith("passes alone: the engine keeps something of earlier cases")
    assert cause.clauses == ("protocol-load-replaces",)
    assert set(probed) == set(cause.cases) == bad
    assert f"{len(bad)} of these {len(bad)} cases pass" in cause.summary


def test_what_fails_alone_too_keeps_a_cause_of_its_own() -> None:
    class Both(Remembering):
        wrong = "no b"

    causes, _, results = asked_alone(lambda: Both(SOUND), "windows", "negation")
    first, *others = causes
    assert first.summary.startswith("passes alone")
    assert not any(Both.wrong in SUITE.cases[case].text for case in first.cases)
    both = [case for cause in causes for case in cause.cases]
    assert sorted(both) == sorted(case for case, result in results.items() if result.verdict.bad)
    assert others


def test_of_what_fails_alone_little_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    causes, probed, _ = asked_alone(CLOSES_EARLY.engine, "windows")
    assert probed == [case for cause in causes for case in cause.cases[: alone.PROBED]]
    assert len(probed) < sum(len(cause.cases) for cause in causes)
    monkeypatch.setattr(alone, "MOST_ASKED", 3)
    ((cause, *_), probed, _) = asked_alone(lambda: Remembering(SOUND), "windows")
    assert len(probed) == 3
    assert f"and the other {len(cause.cases) - 3} were not asked again" in cause.summary


def test_one_case_names_no_error() -> None:
    failing = "windows/two-to-five-at-5"
    (cause,) = diagnosed(CLOSES_EARLY.engine, failing)[0]
    assert (cause.mutant, cause.cases) == ("", (failing,))
    said = r"1 of the 1 case about `windows-[a-z-]+` (lacks|reports \w+) matches; "
    assert re.fullmatch(f"{said}too few to name the error; --case windows asks neighbours too\\.", cause.summary)
    passed = [result.case for result in diagnosed(CLOSES_EARLY.engine, "windows")[1].values() if not result.verdict.bad]
    (cause,) = diagnosed(CLOSES_EARLY.engine, failing, *passed)[0]
    assert cause.mutant
    assert f"in this case and in {len(passed)} others, which it passes; one failing case is little" in cause.summary


def test_known_failures_have_no_cause_left_to_find() -> None:
    cases = {case.id: prepare(case, PARTELANG) for case in SUITE.select((), ["windows"])}
    results = run_engine(spec("planted", CLOSES_EARLY.engine), list(cases.values())).results
    known = [replace(result, known=result.verdict.bad) for result in results]
    assert causes(known, cases, PARTELANG) == ()
    assert any(result.verdict is CaseVerdict.FAIL for result in results)


def test_a_guest_language_is_diagnosed_too() -> None:
    planted = PAIRS[KIT].mutants()[0]
    causes, _ = diagnosed(planted.engine, suite=load_suite(PAIRS))
    assert [cause.mutant for cause in causes] == [planted.name]


def test_the_reference_has_no_failures() -> None:
    assert diagnosed(lambda: ReferenceEngine(SOUND), "windows")[0] == ()
