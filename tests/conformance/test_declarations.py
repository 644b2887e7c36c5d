"""What engines declare to have: what cases need, in every language, and where answers contradict a declaration."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from parte.conformance.constructs import constructs_of, declarable, unknown
from parte.conformance.diagnosis.declarations import earned, lacking, remarks
from parte.conformance.messages import reply_from_json, reply_to_json
from parte.conformance.protocol import Greeting
from parte.conformance.results import CaseVerdict, Earned, Result
from parte.conformance.runner.judging import prepare
from parte.conformance.suites import load_suite
from parte.languages.language import Language
from parte.languages.partelang import PARTELANG
from parte.languages.registry import languages
from tests.conformance.toy.language import PAIRS

CASES = {case.id: prepare(case, PARTELANG) for case in load_suite(PARTELANG).select((), ["negation", "functions"])}


@pytest.mark.parametrize("language", [*languages(), PAIRS], ids=lambda language: language.name)
def test_what_a_case_needs_may_be_declared(language: Language) -> None:
    known = constructs_of(language)
    cases = list(load_suite(language).cases.values())
    for case in cases[:: max(1, len(cases) // 60)]:
        needs = prepare(case, language).needs()
        assert needs, case.id
        assert needs <= known, case.id
        assert case.expected.rejected is None or needs & {"rejects"}


def result(case: str, verdict: CaseVerdict, **more: Any) -> Result:
    return replace(Result("one", case, "core", "", verdict, 0.1), **more)


def test_answers_that_contradict_a_declaration_are_told() -> None:
    results = [
        *(result(case, CaseVerdict.PASS) for case in CASES if case.startswith("functions/")),
        result("negation/nothing-came", CaseVerdict.UNSUPPORTED, message="no absences"),
        result("negation/equal-contents", CaseVerdict.UNSUPPORTED, message="not asked: the engine declares no x"),
    ]
    declared = CASES["negation/nothing-came"].needs() | CASES["negation/equal-contents"].needs() | {"negatoin"}
    remark_lines = list(remarks(sorted(declared), results, CASES, constructs_of(PARTELANG)))
    assert remark_lines[0] == "it declares 'negatoin', which is no construct; did you mean 'negation'?"
    assert any(line.startswith("it does not declare 'functions', but answers") for line in remark_lines)
    assert remark_lines[-1] == (
        "it declares all that 1 case (negation/nothing-came) need, but does not support them: no absences"
    )
    everything = sorted(constructs_of(PARTELANG))
    assert list(remarks(everything, results[:-2], CASES, everything)) == []


def test_what_an_engine_may_declare_is_what_most_cases_pass_of() -> None:
    """A construct is left out of which most cases fail, but not those beside it."""
    results = [
        result(case, CaseVerdict.UNSUPPORTED if "functions" in prepared.needs() else CaseVerdict.PASS)
        for case, prepared in CASES.items()
    ]
    results[0] = replace(results[0], verdict=CaseVerdict.FAIL)
    others = {name for case in results[1:] if case.verdict is CaseVerdict.PASS for name in CASES[case.case].needs()}
    assert "functions" not in others
    summary = earned(results, CASES)
    assert set(summary.constructs) == others
    assert summary.asked == sum(CASES[case.case].needs() <= others for case in results)
    assert summary.passed == sum(case.verdict is CaseVerdict.PASS for case in results)
    assert earned([replace(result, verdict=CaseVerdict.FAIL) for result in results], CASES) == Earned((), 0, 0)


def test_what_is_lacking_most_comes_first() -> None:
    (name, count), *_ = lacking({"negation"}, CASES.values())
    assert (name, count) == ("ast:scalar", sum("ast:scalar" in case.needs() for case in CASES.values()))


def test_constructs_of_other_languages_are_constructs_too() -> None:
    assert constructs_of(PARTELANG) < declarable(PARTELANG)
    for language in languages():
        assert constructs_of(language) <= declarable(PARTELANG)
    assert unknown(["ast:comparisn"], declarable(PARTELANG)) == [
        "'ast:comparisn', which is no construct; did you mean 'ast:comparison'?"
    ]


def test_a_declaration_is_part_of_the_greeting() -> None:
    for greeting in (Greeting("one"), Greeting("one", constructs=()), Greeting("one", constructs=("core",))):
        assert reply_from_json(reply_to_json(greeting, 1), 1) == greeting
    assert "constructs" not in reply_to_json(Greeting("one"), 1)
