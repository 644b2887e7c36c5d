"""Sequences of EQL as queries of CEL: their results on minimal intervals are those of the sequence."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import event, given

from parte.conformance.fuzz.draw import seeded
from parte.conformance.fuzz.structural import strategy
from parte.languages.cel.algebra.queries import evaluate
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.parser import parse
from parte.languages.eql.semantics.syntax.printer import print_query
from parte.languages.translations.eql.cel.to_cel import in_cel, to_cel
from parte.languages.translations.table import Given
from parte.semantics.events.event import Event
from parte.semantics.source.diagnostics import ProgramError
from tests.languages.translations.eql.campaign import Chain, Query, drawn_query, minimal, results
from tests.sampling import EXHAUSTIVE


def in_both(query: tree.Query, events: Sequence[Event]) -> tuple[set[Chain], set[Chain]]:
    """The results of a query, and those of its translation. ProgramError if there is none."""
    translated = in_cel(query, print_query(query))
    complex_events = evaluate(translated, events)
    return set(results(query, events)), {
        tuple(events[place].id for place in complex_event.positions) for complex_event in complex_events
    }


def agree(case: Query) -> int:
    """Check a case; return the number of its results. ProgramError if there is no translation."""
    own, translated = in_both(case.query, case.events)
    assert minimal(case.query, case.events, translated) == own
    return len(own)


@given(strategy(lambda draw: drawn_query(draw, wild=True, ties=True)))
def test_results_on_minimal_intervals_are_those_of_the_sequence(case: Query) -> None:
    try:
        event(f"results: {min(agree(case), 2)}")
    except ProgramError:
        event("no translation")


@pytest.mark.parametrize("number", [300, pytest.param(4_000, marks=EXHAUSTIVE)])
def test_drawn_queries_agree(number: int) -> None:
    sizes = list[int]()
    for seed in range(number):
        try:
            sizes.append(agree(drawn_query(seeded(f"cel {seed}"), wild=True, ties=True)))
        except ProgramError:
            continue
    assert len(sizes) > number // 3
    assert sum(size > 0 for size in sizes) > number // 40


def test_cel_has_more_results_on_the_smallest_trace() -> None:
    query = parse("sequence with maxspan=9ms [A where true] [B where true]")
    own, translated = in_both(query, [Event(f"{name}{place}", name, place, {}) for place, name in enumerate("AAB")])
    assert (own, translated) == ({("A1", "B2")}, {("A0", "B2"), ("A1", "B2")})


def test_lists_are_no_keys() -> None:
    """The smallest trace on which PARTITION BY alone differs: it takes equal lists for one value."""
    query = parse("sequence by k with maxspan=1ms [B where true] [B where true]")
    assert in_both(query, [Event("b", "B", 0, {"k": ()}), Event("c", "B", 1, {"k": ()})]) == (set(), set())


def test_consumption_takes_results_away() -> None:
    """The smallest trace for which CONSUME BY PARTITION, which the draft of EQL considered, gives another number."""
    query = parse("sequence with maxspan=9ms [A where true] [B where true] [C where true]")
    own, _ = in_both(query, [Event(f"{name}{place}", name, place, {}) for place, name in enumerate("ABACBC")])
    assert own == {("A0", "B1", "C3"), ("A2", "B4", "C5")}


@pytest.mark.parametrize(
    "query", ["A where v == null", "sequence by ?v with maxspan=5ms [A where true] [B where true]"]
)
def test_a_test_for_null_is_refused(query: str) -> None:
    """The smallest trace, one event whose `v` is a list: EQL has a value there, and CEL has none."""
    with pytest.raises(ProgramError, match="does not tell a missing `v` from a list"):
        to_cel(Given(query))
    assert results(parse("A where v == null"), [Event("a", "A", 0, {"v": ()})]) == []


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("sequence with maxspan=5ms [A where true] ![B where true]", "no missing events"),
        ("sequence with maxspan=5ms [A where true] [B where true] until [C where true]", "no `until`"),
        ("sequence with maxspan=5ms [A where false] [B where true]", "never has a result"),
        ("sequence with maxspan=5ms [A where v == 1] [B where v == true]", "constants of several types"),
        ('sequence with maxspan=5ms [A where true] ["select" where true]', "keyword of CEL"),
        ("sequence [A where true] [B where true]", "any time apart"),
    ],
)
def test_queries_that_cel_does_not_say(query: str, message: str) -> None:
    with pytest.raises(ProgramError, match=message):
        to_cel(Given(query))


def test_a_translation_says_what_it_promises() -> None:
    text = "sequence by k with maxspan=5m [A where v != 1] [B where true] with runs=2"
    assert to_cel(Given(text)) == (
        "-- On traces in the order of their timestamps, the results of the sequence are those whose interval contains "
        "no other one with the same key.\n"
        "SELECT NXT *\n"
        "WHERE A AS e1; B AS e2; B AS e3 FILTER e1[v != 1] FILTER e1[k = k]\n"
        "PARTITION BY k\n"
        "WITHIN 5 MINUTES\n"
    )
    assert to_cel(Given("A where v > 1")).startswith("-- The same results.\nSELECT *\n")
