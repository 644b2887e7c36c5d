"""What engines declare to have: what cases need, in every language, and where answers contradict a declaration."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest

from parte.conformance.constructs import constructs_of
from parte.conformance.diagnosis.declarations import remarks
from parte.conformance.languages import AnyLanguage, languages
from parte.conformance.messages import reply_from_json, reply_to_json
from parte.conformance.parte.language import PARTELANG
from parte.conformance.protocol import Greeting
from parte.conformance.results import CaseVerdict, Result
from parte.conformance.runner.judging import prepare
from parte.conformance.suites import load_suite
from tests.conformance.toy.language import PAIRS

CASES = {case.id: prepare(case, PARTELANG) for case in load_suite(PARTELANG).select((), ["negation", "functions"])}


@pytest.mark.parametrize("language", [*languages(), cast(AnyLanguage, PAIRS)], ids=lambda language: language.name)
def test_what_a_case_needs_may_be_declared(language: AnyLanguage) -> None:
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
    found = list(remarks(sorted(declared), results, CASES, constructs_of(PARTELANG)))
    assert found[0] == "it declares 'negatoin', which is no construct; did you mean 'negation'?"
    assert any(line.startswith("it does not declare 'functions', but answers") for line in found)
    assert found[-1] == (
        "it declares all that 1 case (negation/nothing-came) need, but does not support them: no absences"
    )
    everything = sorted(constructs_of(PARTELANG))
    assert list(remarks(everything, results[:-2], CASES, everything)) == []


def test_a_declaration_is_part_of_the_greeting() -> None:
    for greeting in (Greeting("one"), Greeting("one", constructs=()), Greeting("one", constructs=("core",))):
        assert reply_from_json(reply_to_json(greeting, 1), 1) == greeting
    assert "constructs" not in reply_to_json(Greeting("one"), 1)
