"""The strategies draw rules without errors, and traces that fit them, and shrink to what a person can read."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import HealthCheck, find, given, settings

import parte
from parte.languages.lead.conformance.strategies import cases
from parte.languages.lead.semantics.syntax import tree
from parte.semantics.events.event import Event

Case = tuple[tree.Rule, tuple[Event, ...]]
SEARCH = settings(
    max_examples=500, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck)
)


@settings(max_examples=10)
@given(cases())
def test_rules_are_rules_and_traces_are_in_order(case: Case) -> None:
    rule, events = case
    assert parte.lead.parse(parte.lead.print_rule(rule)) == rule
    assert all(event.timestamp <= following.timestamp for event, following in pairwise(events))
    assert parte.lead.run(rule, events) == parte.lead.define(rule, events)


def test_cases_shrink() -> None:
    rule, events = find(cases(), lambda _: True, settings=SEARCH)
    assert (parte.lead.print_rule(rule), len(events)) == ("FROM A, B, C\nMATCH A\n", 1)


def test_a_part_takes_the_place_of_the_whole() -> None:
    def wanted(case: Case) -> bool:
        return any(isinstance(node, tree.Or) for node in tree.within(case[0].pattern))

    rule, _ = find(cases(), wanted, settings=SEARCH)
    assert parte.lead.print_rule(rule) in (
        "FROM A, B, C\nMATCH A or A\n",
        "FROM A, B, C\nMATCH first(A or A)\n",  # for this seed
    )


def test_they_are_there_from_the_api() -> None:
    assert parte.lead.strategies.cases is cases
