"""CEL in the kit: its suite, mutants, engines and fuzzing."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from parte.conformance.casefiles.cases import Answers
from parte.conformance.fuzz.campaign import Limits, fuzz
from parte.conformance.kit import KIT
from parte.conformance.lint import lint_suite
from parte.conformance.messages import request_from_json, request_to_json
from parte.conformance.mutants.killing import judge, outcomes
from parte.conformance.protocol import Accepted, Engine, Found, Greeting, Load, Rejected, Reply, Unsupported
from parte.conformance.results import CaseVerdict
from parte.conformance.runner.judging import Judgement, prepare
from parte.conformance.runner.running import Settings, judged, run_engine
from parte.conformance.runner.sessions import EngineSpec, LocalSession
from parte.conformance.runner.smoke import smoke
from parte.conformance.runner.specs import spec_of
from parte.conformance.suites import load_suite
from parte.languages.cel import CEL
from parte.languages.cel.conformance.engine import CelEngine
from parte.languages.cel.conformance.mutants import AS_PUBLISHED, mutants
from parte.languages.cel.conformance.notation import NOTATION
from parte.languages.cel.semantics.repairs import SOUND
from parte.languages.cel.semantics.text import parsed
from parte.semantics.rulebook.listing import RULES

SUITE = load_suite(CEL)
CASES = [prepare(case, CEL) for case in SUITE.cases.values()]


def test_the_suite_is_faultless_and_covers_the_language() -> None:
    assert list(lint_suite(CEL)) == []
    assert sum(case.origin == "hand" for case in SUITE.cases.values()) >= 150


@pytest.mark.parametrize("name", CEL[KIT].models)
def test_every_model_speaks_the_protocol(name: str) -> None:
    spec = spec_of(f"model:{name}", CEL[KIT].engines())
    checks = {check.name: check.passed for check in smoke(spec, Settings(), CEL)}
    results = run_engine(spec, CASES).results
    verdicts = {result.verdict for result in results}
    if name == "published":
        assert CaseVerdict.FAIL in verdicts
    else:
        assert all(checks.values())
        assert verdicts <= {CaseVerdict.PASS, CaseVerdict.UNSUPPORTED}
        refused = {result.case for result in results if result.verdict is CaseVerdict.UNSUPPORTED}
        assert len(refused) == (3 if name == "sound" else 0)


def test_the_suite_kills_every_mutant() -> None:
    cel_mutants = mutants()
    assert len(cel_mutants) >= 40
    assert [outcome.fault for outcome in outcomes(cel_mutants, CEL[KIT].suite, CEL) if outcome.fault] == []
    assert {rule for mutant in cel_mutants for rule in mutant.rules} == set(CEL[RULES].rules)


def test_as_published_fails() -> None:
    assert any(judge(AS_PUBLISHED, case).verdict is not CaseVerdict.PASS for case in CASES)


def test_the_fuzzer_finds_a_mutant_and_makes_the_case_small() -> None:
    planted = next(mutant for mutant in mutants() if mutant.name == "sound/within-less")
    spec = EngineSpec("planted", "planted", lambda: LocalSession(planted.engine()))
    (finding,) = fuzz(spec, Settings(), Limits(120.0, 2000, 1), CEL, seed=1).findings
    assert finding.named is not None
    assert finding.named.mutant == planted
    assert finding.rule == "CORE/Q-WITHIN"
    assert len(finding.fixture.trace) <= 2
    sound = spec_of("model:sound", CEL[KIT].engines())
    assert fuzz(sound, Settings(), Limits(60.0, 300), CEL, seed=1).divergent == 0


@pytest.mark.exhaustive
def test_the_fuzzer_finds_the_choice_of_another_engine_unaided() -> None:
    """C++ CORE cedb3e11, as its source reads: unions ordered by the greatest starts of the wholes."""
    planted = next(mutant for mutant in mutants() if mutant.name == "sound/union-not-by-the-right")
    spec = EngineSpec("planted", "planted", lambda: LocalSession(planted.engine()))
    (finding,) = fuzz(spec, Settings(), Limits(300.0, 20_000, 1), CEL, seed=1).findings
    assert finding.named is not None
    assert finding.named.mutant == planted
    assert finding.rule == "CORE/TECS-UNION"


def test_a_machine_is_fed_line_by_line() -> None:
    engine = CelEngine("sound")
    engine.load(Load("SELECT * WHERE A; B", None))
    lines = [{"id": name.lower(), "template": name, "timestamp": 0} for name in "ACB"]
    assert engine.feed(lines[:2]) == Found(())
    assert engine.feed(lines[2:]) == Found(({"start": 0, "end": 2, "events": ["a", "b"]},))
    assert engine.advance() == engine.feed([])
    assert isinstance(CelEngine("definition").feed(lines), Unsupported)


def test_wrong_input_is_rejected_with_its_place() -> None:
    engine = CelEngine("sound")
    reply = engine.load(Load("SELECT * WHERE A;", None))
    assert isinstance(reply, Rejected)
    assert reply.diagnostics[0]["code"] == "syntax-error"
    engine.load(Load("SELECT * WHERE A WITHIN 1 MS", None))
    reply = engine.run([{"template": "A", "timestamp": 1}, {"template": "A", "timestamp": 0}])
    assert isinstance(reply, Rejected)
    assert reply.diagnostics[0].get("line") == 2


def test_a_case_of_shares_is_put_to_each_process() -> None:
    """specification: protocol-shares."""
    case = next(case for case in CASES if case.fixture.id == "shares/balanced")
    greeting = CelEngine("sound").hello()

    def judgement_of(engine: Engine, greeting: Greeting = greeting) -> Judgement:
        return judged(LocalSession(engine), greeting, case, Settings())

    assert judgement_of(CelEngine("definition")).verdict is judgement_of(CelEngine("sound")).verdict is CaseVerdict.PASS
    unbalanced = judgement_of(CelEngine(SOUND.without("balanced-shares")))
    assert unbalanced.verdict is CaseVerdict.FAIL
    assert unbalanced.message == "the processes report 2 2 0 matches, and their shares are 2 1 1"
    repeated = judgement_of(_Whole("sound"))
    assert repeated.verdict is CaseVerdict.FAIL
    assert len(repeated.spurious) == 8
    alone = judgement_of(CelEngine("sound"), replace(greeting, features=()))
    assert (alone.verdict, alone.message) == (
        CaseVerdict.UNSUPPORTED,
        "the engine has no options; asked for are shares",
    )


class _Whole(CelEngine):
    """An engine that promises shares and reports everything."""

    def load(self, request: Load) -> Reply:
        return CelEngine.load(self, replace(request, options={}))


def test_which_process_an_engine_is_reaches_it() -> None:
    load = Load("SELECT * WHERE A", None, options={"processes": "2", "index": "1"})
    _, bye = request_from_json(request_to_json(load, 1))
    assert isinstance(bye, Load)
    assert bye.options == load.options
    engine = CelEngine("sound")
    engine.load(bye)
    assert engine.run([{"template": "A", "timestamp": 0}]) == Found(())
    for options in (
        {"processes": "2", "index": "2"},
        {"processes": "2"},
        {**load.options, "policy": "x"},
        {"index": "-1"},
    ):
        assert isinstance(engine.load(replace(load, options=options)), Unsupported)
    assert isinstance(engine.load(replace(load, options={})), Accepted)


def test_results_are_written_and_read_again() -> None:
    results = (
        {"start": 0, "end": 2, "events": ["a1", "b3"]},
        {"start": 0, "end": 0, "events": []},
        {"start": 0, "end": 0, "events": ["a b"]},
        {"start": -1, "end": 0, "events": [1]},
    )
    lines = NOTATION.write(Answers(results))
    assert json.dumps(NOTATION.read(lines)[0]) == json.dumps(results)
    assert lines[:2] == ["0-2 a1 b3", "0-0"]


def test_the_example_of_the_record_is_one() -> None:
    assert parsed(CEL[KIT].example.program)
    assert Path(CEL[KIT].suite, "suite.json").is_file()
