"""Programs of level 2 in the extracted machine and the extracted definition: both find what the definition in Python
finds; and the machine does at rest after each arrival what the Python machine does."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest
from hypothesis import event, given, settings

from parte.algebra.partelang.programs import run
from parte.conformance.engines.foreign import EngineFailure
from parte.conformance.partelang.engines.rocq import words
from parte.conformance.partelang.engines.rocq.adapter import RocqAdapter
from parte.conformance.partelang.engines.rocq.replay import REPLAY, Replay
from parte.conformance.partelang.strategies import ProgramShape, cases
from parte.proofs.partelang.evaluator.words import timestamp
from parte.semantics.events.event import Event, TraceItem
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.rules import collection
from parte.semantics.partelang.syntax import core, parse
from parte.semantics.partelang.syntax.implementations import Implementations
from tests.campaigns.rocq import Case
from tests.campaigns.rocq_rest import AtRest, exact_rules
from tests.campaigns.running import Broken

pytestmark = pytest.mark.skipif(not REPLAY.is_file(), reason="the theorem was not built, which `make test` says")
SHAPE = ProgramShape(level=2, once=False)
ADAPTERS = {"machine": RocqAdapter(), "definition": RocqAdapter(algebra=True)}
"""Each has a process for all programs."""

PROGRAM = """level 2
template A {}
template B { k : Integer }
template P { n : Integer, k : Integer }
template Q { n : Integer }
rule R where a : A, all b : B { k > 0 } when b in a [1 ms, 3 ms] having count(b) >= 2
  then emit P at max(b.timestamp) with { n = count(b), k = sum(b.k) }
rule S where p : P, all c : B when c in p [-3 ms, 0 ms] having sum(c.k) = p.k or not exists(c)
  then emit Q at p.timestamp with { n = count(c) }
"""
TRACE = (
    Event("a0", "A", 0, {}),
    Event("a2", "A", 2, {}),
    *(Event(f"b{t}", "B", t, {"k": t}) for t in (0, 1, 3, 3 + 1)),
)


def matches_of(adapter: RocqAdapter, program: core.Program, items: tuple[TraceItem, ...]) -> list[object]:
    """The matches of the extracted program, in the order of their texts."""
    scenario = Scenario.of(program, items)
    return sorted(adapter.compile(program, scenario.predicates)(scenario.arrivals), key=json.dumps)


def defined(program: core.Program, items: tuple[TraceItem, ...]) -> list[object]:
    """The matches by the definition."""
    return sorted((json.loads(match.to_json()) for match in run(program, items).matches), key=json.dumps)


@settings(max_examples=60, deadline=None)
@given(cases(SHAPE))
def test_the_extracted_programs_find_what_the_definition_finds(
    case: tuple[core.Program, tuple[TraceItem, ...]],
) -> None:
    program, items = case
    truth = defined(program, items)
    with_sets = {rule.name for rule in program.rules if rule.collected}
    matched = {match["rule"] for match in truth}  # type: ignore[index]
    event(f"sets: {'matched' if matched & with_sets else 'none matched'}")
    for adapter in ADAPTERS.values():
        assert matches_of(adapter, program, items) == truth


@pytest.mark.parametrize("adapter", ADAPTERS.values(), ids=ADAPTERS)
def test_an_emission_has_its_timestamp_and_values_of_a_set(adapter: RocqAdapter) -> None:
    program = parse(PROGRAM)
    truth = defined(program, TRACE)
    assert len(truth) == 3
    assert matches_of(adapter, program, TRACE) == truth


@pytest.mark.parametrize("adapter", ADAPTERS.values(), ids=ADAPTERS)
def test_a_window_of_a_set_that_is_wrong_changes_the_result(
    adapter: RocqAdapter, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = words.Numbers._rule

    def narrowed(numbers: words.Numbers, cases: tuple[core.Rule, ...]) -> Iterator[object]:
        shorter = tuple(replace(constraint, upper=constraint.upper - 1) for constraint in cases[0].constraints)
        return whole(numbers, tuple(replace(case, constraints=shorter) for case in cases))

    monkeypatch.setattr(words.Numbers, "_rule", narrowed)
    program = parse(PROGRAM)
    assert matches_of(adapter, program, TRACE) != defined(program, TRACE)


@pytest.mark.parametrize("adapter", ADAPTERS.values(), ids=ADAPTERS)
def test_a_timestamp_before_the_window_of_its_set_ends_the_run(
    adapter: RocqAdapter, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = timestamp

    def later(
        at: core.TimestampExpression, rule: core.Rule, positions: dict[str, int], functions: Implementations[str]
    ) -> Iterator[object]:
        shifted = tuple(replace(constraint, lower=constraint.begins + 9) for constraint in rule.constraints)
        return whole(at, replace(rule, constraints=shifted), positions, functions)

    monkeypatch.setattr(words, "timestamp", later)
    with pytest.raises(EngineFailure, match="an emission is not at its time"):
        matches_of(adapter, parse(PROGRAM), TRACE)


def at_rest(program: core.Program, items: tuple[TraceItem, ...]) -> Counter[str]:
    """Return how often something was compared. Broken if the machines differ."""
    counts = Counter[str]()
    scenario = Scenario.of(program, items)
    with closing(Replay()) as process:
        both = AtRest(Case(program, scenario.predicates, scenario.arrivals), process)
        both.run(random.Random(len(items)), counts)
    return counts


@settings(max_examples=50, deadline=None)
@given(cases(SHAPE))
def test_both_machines_agree_at_rest_after_each_arrival(case: tuple[core.Program, tuple[TraceItem, ...]]) -> None:
    counts = at_rest(*case)
    event(f"set-nodes: {'compared' if counts['set-nodes'] else 'none'}")


ONE_SET = """level 2
template A {}
template B { k : Integer }
template P { n : Integer }
rule R where a : A, all b : B { k > 0 } when b in a [1 ms, 3 ms] having count(b) = 2
  then emit P at a.timestamp with { n = count(b) }
rule S where p : P, no c : B when no c in p [-ever, -1 ms]
"""


def test_a_set_that_is_decided_otherwise_is_noticed_at_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    program = parse(ONE_SET)
    assert at_rest(program, TRACE)["set-nodes"] > 5
    monkeypatch.setattr(collection, "needed_from", lambda *_: 1)
    assert at_rest(program, TRACE)["set-nodes"] > 5  # it stores more, but not what is needed
    monkeypatch.setattr(collection, "is_decided", lambda *_: True)
    with pytest.raises(Broken, match="at rest nodes differ"):
        at_rest(program, TRACE)


def test_what_expires_too_early_is_noticed_at_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collection, "needed_from", lambda *_: 4)
    with pytest.raises(Broken, match=r"at rest nodes differ: set:R\.b|has reported other matches"):
        at_rest(parse(ONE_SET), TRACE)


def test_a_match_that_is_reported_early_is_one_of_an_upward_set() -> None:
    program = parse(ONE_SET.replace("count(b) = 2", "count(b) >= 1").replace("n = count(b)", "n = 1"))
    assert at_rest(program, TRACE)["rules with a match that Python has reported earlier"] > 0
    exact, templates = exact_rules(program)
    assert (exact, templates) == (set(), {"A", "B"})
