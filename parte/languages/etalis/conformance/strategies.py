"""Hypothesis strategies for programs of ETALIS and streams, for property tests of any engine
(docs/specification/etalis.md).

Programs are valid. Ties, self-joins, recursion, also through NOT, terms without value and numbers that are not whole
are common. Everything shrinks towards `e <- a.` and a stream without events.

    from parte.languages.etalis.conformance.strategies import cases

    @given(cases())
    def test_my_engine(case):
        program, instants = case
        ...
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import groupby

from hypothesis import strategies as st

from parte.conformance.fuzz.draw import Draw
from parte.conformance.fuzz.structural import strategy
from parte.languages.etalis.conformance.drawing import Item, Shape, drawn_items, drawn_program
from parte.languages.etalis.running import CHOSEN, POLICY
from parte.languages.etalis.semantics.syntax.streams import Instant
from parte.languages.etalis.semantics.syntax.tree import Program

USUAL = Shape()
Case = tuple[Program, tuple[Instant, ...]]


def programs(shape: Shape = USUAL) -> st.SearchStrategy[Program]:
    """Return a strategy for programs of a shape."""
    return strategy(lambda draw: drawn_program(draw, shape))


def cases(shape: Shape = USUAL) -> st.SearchStrategy[Case]:
    """Return a strategy for a program and a stream for it, with several events at some instants."""

    def case(draw: Draw) -> Case:
        program = drawn_program(draw, shape)
        return program, instants(drawn_items(draw, program, shape.events))

    return strategy(case)


def instants(items: Iterable[Item]) -> tuple[Instant, ...]:
    """Return events in order of time as a stream."""
    groups = groupby(items, key=lambda item: item.timestamp)
    return tuple(Instant(time, frozenset((item.template, item.arguments) for item in group)) for time, group in groups)


@cache
def readings() -> st.SearchStrategy[dict[str, str]]:
    """Return a strategy for readings of E, by name."""
    return st.fixed_dictionaries({name: st.sampled_from(values) for name, values in CHOSEN.items() if name != POLICY})


@cache
def policies() -> st.SearchStrategy[str]:
    """Return a strategy for policies by name, for programs without recursion."""
    return st.sampled_from(CHOSEN[POLICY])
