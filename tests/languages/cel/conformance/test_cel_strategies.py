"""The strategies of CEL draw what is valid, and shrink to what a person can read."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import HealthCheck, find, given, settings

from parte.languages.cel.algebra.queries import evaluate
from parte.languages.cel.conformance.drawing import Shape
from parte.languages.cel.conformance.strategies import cases
from parte.languages.cel.semantics.machine import Machine
from parte.languages.cel.semantics.syntax import tree
from parte.languages.cel.semantics.syntax.parser import parse
from parte.languages.cel.semantics.syntax.printer import print_query
from parte.semantics.events.event import Event

Case = tuple[tree.Query, tuple[Event, ...]]
SEARCH = settings(
    max_examples=300, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck)
)


@given(cases(Shape(depth=2)))
@settings(max_examples=40)
def test_the_machine_finds_what_the_definition_says(case: Case) -> None:
    query, events = case
    assert parse(print_query(query)) == query
    assert all(event.timestamp <= following.timestamp for event, following in pairwise(events))
    assert sorted(Machine(query).run(events)) == evaluate(query, events)


@given(cases(Shape(links=True, depth=1)))
@settings(max_examples=25)
def test_with_links_too(case: Case) -> None:
    query, events = case
    assert sorted(Machine(query).run(events)) == evaluate(query, events)


def test_cases_shrink() -> None:
    query, events = find(cases(), lambda _: True, settings=SEARCH)
    assert (print_query(query), events) == ("SELECT *\nWHERE A\n", ())
    query, events = find(cases(Shape(depth=1)), lambda case: bool(evaluate(*case)), settings=SEARCH)
    assert (print_query(query), len(events)) == ("SELECT *\nWHERE A\n", 1)
    assert (events[0].template, events[0].timestamp, events[0].attributes) == ("A", 0, {})
