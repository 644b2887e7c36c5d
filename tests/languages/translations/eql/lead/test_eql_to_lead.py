"""Sequences of EQL as rules of LEAD: their matches on minimal intervals begin and end as the results do."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import event, given

from parte.conformance.fuzz.draw import seeded
from parte.conformance.fuzz.structural import strategy
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.parser import parse
from parte.languages.eql.semantics.syntax.printer import print_query
from parte.languages.lead.algebra.effort import TooManyMatches
from parte.languages.lead.algebra.rules import evaluate
from parte.languages.lead.semantics.syntax.matches import Occurrence
from parte.languages.lead.semantics.syntax.streams import occurrences
from parte.languages.translations.eql.lead.to_lead import in_lead, to_lead
from parte.languages.translations.table import Given
from parte.semantics.events.event import Event
from parte.semantics.source.diagnostics import ProgramError
from tests.languages.translations.eql.campaign import Chain, Query, drawn_query, ends, minimal, results
from tests.sampling import EXHAUSTIVE


def in_both(query: tree.Query, events: Sequence[Event]) -> tuple[set[Chain], set[Chain]]:
    """The ends of the results of a query, and of the matches of its translation. ProgramError if there is none."""
    rule = in_lead(query, print_query(query))
    places = {bound.id: place for place, bound in enumerate(events)}
    chains = [
        sorted((bound.event.id for _, bound in match.bindings if isinstance(bound, Occurrence)), key=places.__getitem__)
        for match in evaluate(rule, occurrences(rule, events))
    ]
    return set(map(ends, results(query, events))), set(map(ends, chains))


def agree(case: Query) -> int:
    """Check a case; return the number of its results. ProgramError if there is no translation."""
    own, translated = in_both(case.query, case.events)
    assert minimal(case.query, case.events, translated) == own
    return len(own)


@given(strategy(lambda draw: drawn_query(draw, wild=True)))
def test_matches_on_minimal_intervals_are_those_of_the_sequence(case: Query) -> None:
    try:
        event(f"results: {min(agree(case), 2)}")
    except ProgramError:
        event("no translation")
    except TooManyMatches:
        event("too many matches for the definition of LEAD")


@pytest.mark.parametrize("number", [300, pytest.param(4_000, marks=EXHAUSTIVE)])
def test_drawn_queries_agree(number: int) -> None:
    sizes = list[int]()
    for seed in range(number):
        try:
            sizes.append(agree(drawn_query(seeded(f"lead {seed}"), wild=True)))
        except (ProgramError, TooManyMatches):
            continue
    assert len(sizes) > number // 3
    assert sum(size > 0 for size in sizes) > number // 40


def test_lead_has_more_matches_on_the_smallest_trace() -> None:
    query = parse("sequence with maxspan=9ms [A where true] [B where true]")
    own, translated = in_both(query, [Event(f"{name}{place}", name, place, {}) for place, name in enumerate("AAB")])
    assert (own, translated) == ({("A1", "B2")}, {("A0", "B2"), ("A1", "B2")})


def test_a_name_of_lead_is_refused() -> None:
    with pytest.raises(ProgramError, match="`event_time` is an attribute that LEAD gives"):
        to_lead(Given("A where event_time > 1"))


def test_a_translation_says_what_it_promises() -> None:
    text = to_lead(Given("sequence by k with maxspan=5m [A where true] [B where true]"))
    assert text.startswith("// On traces whose timestamps rise strictly, the results of the sequence begin and end as ")
    assert "b.k" not in text
    assert "e2.k == e1.k" in text
