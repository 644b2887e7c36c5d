"""The strategies draw rules without errors, and traces that fit them."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings

import parte
from parte.languages.lead.conformance.strategies import cases
from parte.languages.lead.semantics.syntax import tree
from parte.semantics.events.event import Event


@settings(max_examples=10)
@given(cases())
def test_rules_are_rules_and_traces_are_in_order(case: tuple[tree.Rule, tuple[Event, ...]]) -> None:
    rule, events = case
    assert parte.lead.parse(parte.lead.print_rule(rule)) == rule
    assert all(one.timestamp <= other.timestamp for one, other in pairwise(events))
    assert parte.lead.run(rule, events) == parte.lead.define(rule, events)


def test_they_are_there_from_the_api() -> None:
    assert parte.lead.strategies.cases is cases
