"""The reasons for a result are those of the definition; each one is checked on the machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from random import Random

import pytest

from parte.conformance.fuzz.draw import seeded
from parte.languages.eql.algebra.keys import key_of
from parte.languages.eql.algebra.obstacles import obstacles
from parte.languages.eql.algebra.reasons import Explained, UnknownEvent, explained
from parte.languages.eql.algebra.sequences import positions_of
from parte.languages.eql.conformance.drawing import Shape, drawn_events, drawn_query
from parte.languages.eql.conformance.generation import GENERATION, Case
from parte.languages.eql.semantics.conditions import compile_test
from parte.languages.eql.semantics.machine import Machine
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.parser import parse
from parte.languages.eql.semantics.syntax.readings import CHOICES, Readings, readings_of
from parte.languages.eql.semantics.syntax.streams import Stream, ordered
from parte.semantics.events.event import NEGATIVE_INFINITY, Event

EACH = [{name: value} for name, values in CHOICES.items() for value in values[1:]]
DRAWN = 60
SHAPE = Shape(conditions=False, kinds=("sequence",))


def cases(reading: Mapping[str, str]) -> Iterator[tuple[Case, Sequence[Event], Readings]]:
    """Yield drawn cases with their events in order."""
    for seed in range(DRAWN):
        case = GENERATION.drawn(seeded(seed))
        readings = readings_of({**case.options, **reading})
        yield case, ordered(case.items, Stream(readings)), readings


def results(query: tree.Query, events: Sequence[Event], readings: Readings) -> list[tuple[str, ...]]:
    """Return the events of the results by the machine."""
    machine, stream = Machine(query, readings), Stream(readings)
    early = [result for event in events for result in machine.arrive(stream.add(event), NEGATIVE_INFINITY)]
    return [tuple(result["events"]) for result in (*early, *machine.end())]


def is_result(explanation: Explained) -> bool:
    return explanation.whole and not explanation.failing


def stages_of(query: tree.Query) -> int:
    match query:
        case tree.Sequence():
            return len(tree.positive(query))
        case tree.Sample():
            return len(query.items)
    return 1


@pytest.mark.parametrize("reading", [{}, *EACH], ids=str)
def test_events_whose_clauses_all_hold_are_the_results(reading: Mapping[str, str]) -> None:
    """Of every tuple of events, and of the chains that are explained without a question."""
    tuples = 0
    for case, events, readings in cases(reading):
        expected, stages = results(case.program, events, readings), stages_of(case.program)
        chains = explained(case.program, events, readings)
        holding = [chain.events for chain in chains if is_result(chain)]
        assert sorted(holding) == sorted(expected), case
        assert not [chain for chain in chains if not chain.failing and not is_result(chain)]
        for event in events:
            several = explained(case.program, events, readings, [event.id])
            assert all(event.id in chain.events for chain in several)
            assert {chain.events for chain in several if not chain.failing} == {
                result for result in expected if event.id in result
            }
        rng = Random(0)
        ids = [event.id for event in events]
        tuples_of_ids = list(product(ids, repeat=stages)) if ids and len(ids) ** stages < 300 else []
        for named in {*expected, *rng.sample(tuples_of_ids, min(len(tuples_of_ids), 60))}:
            (explanation,) = explained(case.program, events, readings, named)
            assert (not explanation.failing) == (named in expected), (case, named)
            tuples += 1
    assert tuples > 500


def rising(query: tree.Sequence, events: Sequence[Event], readings: Readings) -> list[tuple[str, ...]]:
    """Return tuples of events that rise, have one key and fit the stages of a query; not too many."""
    several: list[tuple[int, ...]] = [()]
    first = tree.keys_of(query, tree.positive(query)[0])
    for stage in tree.positive(query):
        fitting = positions_of(stage, query, events, readings)
        several = [
            (*chain, position)
            for chain in several
            for key, positions in fitting.items()
            for position in positions
            if not chain or (chain[-1] < position and key_of(events[chain[0]], first, readings) == key)
        ][:200]
    return [tuple(events[position].id for position in chain) for chain in several]


@pytest.mark.parametrize("reading", [{}, *EACH], ids=str)
def test_without_the_events_that_break_a_clause_it_holds(reading: Mapping[str, str]) -> None:
    """Each answer on events that rise within the maxspan names others that break a clause; without these they are a
    result of the machine, or the next answer names more. An event of until that is one of them stays, under the
    readings by which it counts."""
    lifted = dict.fromkeys(("EQL/CHAIN", "EQL/OVERWRITE", "EQL/UNTIL", "EQL/MISSING"), 0)
    for seed in range(DRAWN):
        draw, readings = seeded(seed), readings_of(reading)
        query, events = drawn_query(draw, SHAPE), drawn_events(draw, 14)
        assert isinstance(query, tree.Sequence)
        query = replace(query, pipes=(), by=query.by[:1])
        for named in rising(query, events, readings):
            left: Sequence[Event] = events
            while failing := explained(query, left, readings, named)[0].failing:
                breaking = {name for reason in failing for name in reason.without} - {*named}
                if not breaking or any(reason.rule == "EQL/SPAN" for reason in failing):
                    assert {reason.rule for reason in failing} & {"EQL/SPAN", "EQL/UNTIL"}
                    break
                for reason in failing:
                    lifted[reason.rule] += 1
                left = [event for event in left if event.id not in breaking]
            else:
                assert named in results(query, left, readings), (seed, named)
    assert all(lifted.values()), lifted


def test_a_chain_goes_on_without_the_chains_that_replaced_it() -> None:
    replaced = 0
    for seed in range(3 * DRAWN):
        draw, readings = seeded(seed), Readings()
        query, events = drawn_query(draw, SHAPE), drawn_events(draw, 14)
        for chain in explained(query, events, readings):
            left: Sequence[Event] = events
            names = {name for reason in chain.failing if reason.rule == "EQL/OVERWRITE" for name in reason.without}
            while names:
                replaced += 1
                left = [event for event in left if event.id not in names]
                (later,) = (
                    explanation
                    for explanation in explained(query, left, readings)
                    if explanation.events[: len(chain.events)] == chain.events
                )
                if len(later.events) > len(chain.events):
                    break
                names = {name for reason in later.failing if reason.rule == "EQL/OVERWRITE" for name in reason.without}
                assert names, (seed, chain)
    assert replaced > 20


def test_a_condition_holds_if_all_that_is_named_did() -> None:
    """The machine finds a condition true after each part that is named is replaced by the truth that it lacks."""

    def mended(node: tree.Expression, lacking: Mapping[int, bool]) -> tree.Expression:
        if id(node) in lacking:
            return tree.Literal(lacking[id(node)])
        match node:
            case tree.Not(operand=operand):
                return tree.Not(mended(operand, lacking))
            case tree.And(parts=parts):
                return tree.And(tuple(mended(part, lacking) for part in parts))
            case tree.Or(parts=parts):
                return tree.Or(tuple(mended(part, lacking) for part in parts))
        return node

    count = 0
    for seed in range(600):
        draw, readings = seeded(seed), Readings()
        query = drawn_query(draw, Shape(kinds=("event",), depth=3))
        assert isinstance(query, tree.Single)
        condition, test = query.event.condition, compile_test(query.event.condition, readings)
        for event in drawn_events(draw, 6):
            named = [*obstacles(condition, event, readings)]
            assert (not named) == (test(event) is True)
            lacking = {id(node): wanted for node, wanted in named}
            assert compile_test(mended(condition, lacking), readings)(event) is True
            count += bool(named)
    assert count > 300


def test_a_span_is_as_much_too_long_as_is_said() -> None:
    events = [Event("a", "A", 0, {}), Event("b", "B", 61_005, {})]
    for most, value in (("61004ms", "1 minute 1 second 5 ms, 1 ms too long"), ("61005ms", "1 minute 1 second 5 ms")):
        query = parse(f"sequence with maxspan={most} [A where true] [B where true]")
        (explanation,) = explained(query, events, Readings())
        assert explanation.reasons[-1].value == value
        assert bool(explanation.failing) == ("too long" in value)


def test_an_event_in_no_chain_is_explained_by_itself() -> None:
    query = parse("sequence by k [A where v > 3] [B where v > 3]")
    events = [
        *(Event(name, name[0].upper(), time, {"k": 1, "v": 4}) for time, name in enumerate(("b0", "a1", "b2", "b3"))),
        Event("b4", "B", 9, {"v": 2.5}),
    ]
    lines = {
        name: [(reason.demand, reason.value) for reason in explained(query, events, Readings(), [name])[0].failing][1:]
        for name in ("b0", "b3", "b4")
    }
    waits = "a chain of 1 event waits for it"
    assert lines["b0"] == [(waits, "none with its key ends before it")]
    assert lines["b3"] == [(waits, "a1 went on with b2")]
    assert lines["b4"] == [
        ("b4 is in a key", "k is missing"),
        ("b4 fits stage 2 (1:31)", "v > 3 is false: v is 2.5, 0.5 apart"),
        ("b4 is in a key", "k is missing"),
    ]


def test_an_unknown_event_is_refused() -> None:
    query, events = parse("sequence [A where true] [B where true]"), [Event("alpha", "A", 0, {})]
    with pytest.raises(UnknownEvent, match="did you mean alpha"):
        explained(query, events, Readings(), ["alpa"])
    with pytest.raises(UnknownEvent, match="a result has 2"):
        explained(query, events, Readings(), ["alpha"] * 3)
