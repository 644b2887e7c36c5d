"""Hypothesis strategies for queries of EQL and traces, for property tests of any engine (docs/specification/eql.md).

Queries have no errors. Times never decrease. Values of all kinds, ties and missing attributes are common.

    from parte.languages.eql.conformance.strategies import cases

    @given(cases())
    def test_my_engine(case):
        query, events = case
        ...
"""

from __future__ import annotations

from hypothesis import strategies as st

from parte.conformance.fuzz.structural import strategy
from parte.languages.eql.conformance.drawing import Shape, drawn_events, drawn_query
from parte.languages.eql.semantics.syntax.tree import Query
from parte.semantics.events.event import Event

USUAL = Shape()


def queries(shape: Shape = USUAL) -> st.SearchStrategy[Query]:
    """Return a strategy for queries of a shape."""
    return strategy(lambda draw: drawn_query(draw, shape))


def traces(most: int = USUAL.events) -> st.SearchStrategy[tuple[Event, ...]]:
    """Return a strategy for traces in order of time of at most `most` events."""
    return strategy(lambda draw: drawn_events(draw, most))


def cases(shape: Shape = USUAL) -> st.SearchStrategy[tuple[Query, tuple[Event, ...]]]:
    """Return a strategy for a query and a trace for it."""
    return st.tuples(queries(shape), traces(shape.events))
