"""Hypothesis strategies for queries of CEL and streams, for property tests of any engine (docs/specification/cel.md).

Queries are valid by construction. Timestamps never decrease, values of all kinds are compared, ties and missing
attributes are common. Everything shrinks towards `SELECT * WHERE A` and a stream without events.

    from parte.languages.cel.conformance.strategies import cases

    @given(cases())
    def test_my_engine(case):
        query, events = case
        ...
"""

from __future__ import annotations

from hypothesis import strategies as st

from parte.conformance.fuzz.structural import strategy
from parte.languages.cel.conformance.drawing import Shape, drawn_events, drawn_query
from parte.languages.cel.semantics.syntax.tree import Query
from parte.semantics.events.event import Event

USUAL = Shape()


def queries(shape: Shape = USUAL) -> st.SearchStrategy[Query]:
    """Return a strategy for queries of a shape."""
    return strategy(lambda draw: drawn_query(draw, shape))


def streams(most: int = 7) -> st.SearchStrategy[tuple[Event, ...]]:
    """Return a strategy for streams in order of time of at most `most` events, of the types of queries and one more."""
    return strategy(lambda draw: drawn_events(draw, most))


def cases(shape: Shape = USUAL) -> st.SearchStrategy[tuple[Query, tuple[Event, ...]]]:
    """Return a strategy for a query and a stream for it."""
    return st.tuples(queries(shape), streams(shape.events))
