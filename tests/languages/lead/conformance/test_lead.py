"""LEAD in the kit: its suite, mutants, engines and fuzzing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache

import pytest

from parte.conformance.casefiles.cases import Answers
from parte.conformance.fuzz.campaign import Limits, fuzz
from parte.conformance.kit import KIT
from parte.conformance.lint import lint_suite
from parte.conformance.mutants.killing import judge, outcomes
from parte.conformance.protocol import Load, Rejected, Unsupported
from parte.conformance.results import CaseVerdict
from parte.conformance.runner.judging import Prepared, prepare
from parte.conformance.runner.running import Settings, run_engine
from parte.conformance.runner.sessions import EngineSpec, LocalSession
from parte.conformance.runner.smoke import smoke
from parte.conformance.runner.specs import spec_of
from parte.conformance.suites import load_suite
from parte.languages.lead import LEAD
from parte.languages.lead.conformance.engine import LeadEngine
from parte.languages.lead.conformance.mutants import AS_PUBLISHED, mutants
from parte.languages.lead.conformance.notation import NOTATION
from parte.semantics.rulebook.listing import RULES

SUITE = load_suite(LEAD)


@cache
def prepared() -> Sequence[Prepared]:
    return [prepare(case, LEAD) for case in SUITE.cases.values()]


def test_the_suite_is_faultless_and_covers_the_language() -> None:
    assert list(lint_suite(LEAD)) == []
    assert sum(case.origin == "hand" for case in SUITE.cases.values()) >= 150


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["definition", "sound"])
def test_a_model_is_right_about_every_case(name: str) -> None:
    spec = EngineSpec(name, name, lambda: LocalSession(LeadEngine(name)))
    assert {result.verdict for result in run_engine(spec, prepared()).results} == {CaseVerdict.PASS}


def test_a_model_speaks_the_protocol() -> None:
    assert all(check.passed for check in smoke(spec_of("model:sound", LEAD[KIT].engines()), Settings(), LEAD))


@pytest.mark.exhaustive
def test_the_suite_kills_every_mutant() -> None:
    assert [outcome.fault for outcome in outcomes(mutants(), LEAD[KIT].suite, LEAD) if outcome.fault] == []


def test_every_rule_has_a_mutant() -> None:
    lead_mutants = mutants()
    assert len(lead_mutants) >= 40
    assert {rule for mutant in lead_mutants for rule in mutant.rules} == set(LEAD[RULES].rules)
    assert all(mutant.killer in SUITE.cases for mutant in lead_mutants)


def test_as_published_fails() -> None:
    assert any(judge(AS_PUBLISHED, case).verdict is not CaseVerdict.PASS for case in prepared())


@pytest.mark.exhaustive
def test_the_fuzzer_finds_a_mutant_and_makes_the_case_small() -> None:
    planted = next(mutant for mutant in mutants() if mutant.name == "sound/without-outer-join")
    spec = EngineSpec("planted", "planted", lambda: LocalSession(planted.engine()))
    (finding,) = fuzz(spec, Settings(), Limits(120.0, 2000, 1), LEAD, seed=1).findings
    assert finding.named is not None
    assert finding.rule == "LEAD/OR"
    assert len(finding.fixture.trace) <= 2


def test_wrong_input_is_rejected_with_its_place() -> None:
    engine = LeadEngine("sound")
    reply = engine.load(Load("FROM A MATCH A ->", None))
    assert isinstance(reply, Rejected)
    assert reply.diagnostics[0]["code"] == "syntax-error"
    engine.load(Load("FROM A MATCH A", None))
    reply = engine.run([{"template": "A", "timestamp": 1}, {"template": "A", "timestamp": 0}])
    assert isinstance(reply, Rejected)
    assert reply.diagnostics[0].get("line") == 2
    assert isinstance(LeadEngine("definition").feed([]), Unsupported)


def test_matches_are_written_and_read_again() -> None:
    matches = (
        {"rule": "rule", "bindings": {"A": "a0", "l": [{"B": "b1"}, {}, {"m": []}]}, "end": 5, "emits": []},
        {"rule": "rule", "bindings": {}, "end": -1, "emits": []},
        {"rule": "rule", "bindings": {"A": "a b"}, "end": 0, "emits": []},
        {"rule": "other", "bindings": {"l": [{"k": [{}]}]}, "end": "0", "emits": [1]},
    )
    lines = NOTATION.write(Answers(matches))
    assert json.dumps(NOTATION.read(lines)[0]) == json.dumps(matches)
    assert lines[:2] == ["5: A=a0 l=[B=b1; -; m=[]]", "-1:"]
