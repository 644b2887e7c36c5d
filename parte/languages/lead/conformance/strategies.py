"""Hypothesis strategies for rules of LEAD and traces, for property tests of any engine (docs/specification/lead.md).

Rules have no errors. Times never decrease. Values of all kinds, ties, missing attributes and streams without events are
common. Everything shrinks towards `FROM A, B, C MATCH A` and one event.

    from parte.languages.lead.conformance.strategies import cases

    @given(cases())
    def test_my_engine(case):
        rule, events = case
        ...
"""

from __future__ import annotations

from hypothesis import strategies as st

from parte.conformance.fuzz.structural import strategy
from parte.languages.lead.conformance.drawing import Shape, drawn_events, drawn_rule
from parte.languages.lead.semantics.syntax.tree import Rule
from parte.semantics.events.event import Event

USUAL = Shape()


def rules(shape: Shape = USUAL) -> st.SearchStrategy[Rule]:
    """Return a strategy for rules of a shape, over the streams A, B and C."""
    return strategy(lambda draw: drawn_rule(draw, shape))


def traces(most: int = USUAL.events, least: int = 1) -> st.SearchStrategy[tuple[Event, ...]]:
    """Return a strategy for traces in order of time, of `least` to `most` events, of the streams of rules and one
    more."""
    return strategy(lambda draw: drawn_events(draw, most, least))


def cases(shape: Shape = USUAL) -> st.SearchStrategy[tuple[Rule, tuple[Event, ...]]]:
    """Return a strategy for a rule and a trace for it."""
    return st.tuples(rules(shape), traces(shape.events, shape.least))
