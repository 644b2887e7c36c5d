"""ETALIS in the kit: its suite, mutants, engines and fuzzing."""

from __future__ import annotations

import json

import pytest

from parte.conformance.casefiles.cases import Answers
from parte.conformance.fuzz.campaign import Limits, fuzz
from parte.conformance.kit import KIT
from parte.conformance.lint import lint_suite
from parte.conformance.mutants.killing import outcomes
from parte.conformance.protocol import Found, Load, Rejected, Unsupported
from parte.conformance.results import CaseVerdict
from parte.conformance.runner.judging import prepare
from parte.conformance.runner.running import Settings, run_engine
from parte.conformance.runner.sessions import EngineSpec, LocalSession
from parte.conformance.runner.smoke import smoke
from parte.conformance.runner.specs import spec_of
from parte.conformance.suites import load_suite
from parte.languages.etalis import ETALIS
from parte.languages.etalis.conformance.drawing import Item
from parte.languages.etalis.conformance.engine import EtalisEngine
from parte.languages.etalis.conformance.generation import Case, with_fewer_arguments
from parte.languages.etalis.conformance.mutants import mutants
from parte.languages.etalis.conformance.notation import NOTATION
from parte.languages.etalis.semantics.syntax.parser import parse
from parte.semantics.rulebook.listing import RULES

SUITE = load_suite(ETALIS)
CASES = [prepare(case, ETALIS) for case in SUITE.cases.values()]


def test_the_suite_is_faultless_and_covers_the_language() -> None:
    assert list(lint_suite(ETALIS)) == []
    assert sum(case.origin == "hand" for case in SUITE.cases.values()) >= 150


@pytest.mark.parametrize("name", ETALIS[KIT].models)
def test_every_model_speaks_the_protocol(name: str) -> None:
    spec = spec_of(f"model:{name}", ETALIS[KIT].engines())
    assert all(check.passed for check in smoke(spec, Settings(), ETALIS))
    cases = CASES[::4] if name == "published" else CASES  # it fails many, and what fails is asked again
    verdicts = {result.verdict for result in run_engine(spec, cases, Settings(incremental=True)).results}
    if name == "published":
        assert verdicts >= {CaseVerdict.PASS, CaseVerdict.FAIL, CaseVerdict.UNSUPPORTED}
    else:
        assert verdicts == {CaseVerdict.PASS}


def test_the_suite_kills_every_mutant() -> None:
    etalis_mutants = mutants()
    assert len(etalis_mutants) >= 40
    assert [outcome.fault for outcome in outcomes(etalis_mutants, ETALIS[KIT].suite, ETALIS) if outcome.fault] == []
    assert {rule for mutant in etalis_mutants for rule in mutant.rules} == set(ETALIS[RULES].rules)


def test_the_fuzzer_finds_a_mutant_and_makes_the_case_small() -> None:
    planted = next(mutant for mutant in mutants() if mutant.name == "sound/seq-touching")
    spec = EngineSpec("planted", "planted", lambda: LocalSession(planted.engine()))
    (finding,) = fuzz(spec, Settings(), Limits(120.0, 2000, 1), ETALIS, seed=1).findings
    assert finding.named is not None
    assert finding.rule == "ETALIS/SEQ-CHECK"
    assert len(finding.fixture.trace) <= 2
    sound = spec_of("model:sound", ETALIS[KIT].engines())
    assert fuzz(sound, Settings(), Limits(60.0, 200), ETALIS, seed=1).divergent == 0


def test_a_machine_is_fed_line_by_line() -> None:
    engine = EtalisEngine("sound")
    engine.load(Load("e <- a SEQ b. f <- 9.", None))
    lines = [{"template": name, "timestamp": time} for name, time in (("a", 1), ("b", 2), ("c", 3))]
    first = {"event": "e", "arguments": [], "start": 1, "end": 2}
    assert engine.feed(lines[:2]) == Found(())
    assert engine.feed(lines[2:]) == Found((first,))
    assert engine.advance() == Found((first, {"event": "f", "arguments": [], "start": 9, "end": 9}))
    assert isinstance(EtalisEngine("definition").feed(lines), Unsupported)


def test_options_that_there_are_not_are_refused() -> None:
    for options in ({"polity": "recent"}, {"policy": "newest"}, {"policy": "recent", "negation": "intervals"}):
        assert isinstance(EtalisEngine("sound").load(Load("e <- a.", None, options=options)), Unsupported)


def test_a_run_without_end_is_rejected() -> None:
    for name in ("definition", "sound"):
        engine = EtalisEngine(name)
        engine.load(Load("n(X * 2) <- n(X). n(X * 2 + 1) <- n(X).", None))
        reply = engine.run([{"template": "n", "timestamp": 0, "arguments": [1]}])
        assert isinstance(reply, Rejected)
        assert reply.diagnostics[0]["code"] == "too-many-events"


def test_results_are_written_and_read_again() -> None:
    results = (
        {"event": "e", "arguments": [], "start": 0, "end": 2},
        {"event": "e", "arguments": [1, "3/2", True, "x y"], "start": 0, "end": "1/2"},
        {"event": "e", "arguments": ["x"], "start": "5/2", "end": 3},
        {"event": 1, "arguments": 2},
    )
    lines = NOTATION.write(Answers(results))
    assert json.dumps(NOTATION.read(list(lines))[0]) == json.dumps(results)
    assert lines[0] == "e[0,2]"
    items = ({"template": "a", "timestamp": 1}, {"template": "b", "timestamp": "1/2", "arguments": [1, "x"]})
    assert NOTATION.read_items(list(NOTATION.write_items(items, {})), {}) == items


def test_an_argument_fewer_is_one_of_all_events_of_a_name() -> None:
    case = Case(parse("e(X) <- a(X, 1) SEQ b."), (Item("a", (0, 1), 0), Item("b", (), 1)))
    cut = [(smaller.text, smaller.items[0].arguments) for smaller in with_fewer_arguments(case)]
    assert cut == [("e <- a(X, 1) SEQ b.\n", (0, 1)), ("e(X) <- a(1) SEQ b.\n", (1,)), ("e(X) <- a(X) SEQ b.\n", (0,))]
