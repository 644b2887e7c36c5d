"""Sets in the extracted machine and the extracted definition: both find what the definition in Python finds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import event, given, settings

from parte.algebra.partelang.programs import run
from parte.conformance.engines.foreign import EngineFailure
from parte.conformance.partelang.engines.rocq import words
from parte.conformance.partelang.engines.rocq.adapter import RocqAdapter
from parte.conformance.partelang.engines.rocq.replay import REPLAY
from parte.conformance.partelang.strategies import ProgramShape, cases
from parte.semantics.events.event import Event, TraceItem
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.syntax import core, parse

pytestmark = pytest.mark.skipif(not REPLAY.is_file(), reason="the theorem was not built, which `make test` says")
SHAPE = ProgramShape(level=2, once=False, ever=False, either=False)
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


def found(adapter: RocqAdapter, program: core.Program, items: tuple[TraceItem, ...]) -> list[object]:
    """The matches of the extracted program, in the order of their texts."""
    scenario = Scenario.of(program, items)
    return sorted(adapter.compile(program, scenario.predicates)(scenario.arrivals), key=json.dumps)


def defined(program: core.Program, items: tuple[TraceItem, ...]) -> list[object]:
    """The matches by the definition."""
    return sorted((json.loads(match.to_json()) for match in run(program, items).matches), key=json.dumps)


@settings(max_examples=150, deadline=None)
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
        assert found(adapter, program, items) == truth


@pytest.mark.parametrize("adapter", ADAPTERS.values(), ids=ADAPTERS)
def test_an_emission_has_its_timestamp_and_values_of_a_set(adapter: RocqAdapter) -> None:
    program = parse(PROGRAM)
    truth = defined(program, TRACE)
    assert len(truth) == 3
    assert found(adapter, program, TRACE) == truth


@pytest.mark.parametrize("adapter", ADAPTERS.values(), ids=ADAPTERS)
def test_a_window_of_a_set_that_is_wrong_changes_the_result(
    adapter: RocqAdapter, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = words.Numbers._rule

    def narrowed(numbers: words.Numbers, rule: core.Rule) -> Iterator[object]:
        shorter = tuple(replace(each, upper=each.upper - 1) for each in rule.constraints)
        return whole(numbers, replace(rule, constraints=shorter))

    monkeypatch.setattr(words.Numbers, "_rule", narrowed)
    program = parse(PROGRAM)
    assert found(adapter, program, TRACE) != defined(program, TRACE)


@pytest.mark.parametrize("adapter", ADAPTERS.values(), ids=ADAPTERS)
def test_a_timestamp_before_the_window_of_its_set_ends_the_run(
    adapter: RocqAdapter, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = words._timestamp

    def later(at: core.TimestampExpression, rule: core.Rule, positions: dict[str, int]) -> Iterator[object]:
        shifted = tuple(replace(each, lower=each.begins + 9) for each in rule.constraints)
        return whole(at, replace(rule, constraints=shifted), positions)

    monkeypatch.setattr(words, "_timestamp", later)
    with pytest.raises(EngineFailure, match="an emission is not at its time"):
        found(adapter, parse(PROGRAM), TRACE)
