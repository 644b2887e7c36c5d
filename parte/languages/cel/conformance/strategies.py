"""Hypothesis strategies for queries of CEL and streams, for property tests of any engine (docs/specification/cel.md).

Queries are valid by construction. Times never fall, values of all kinds meet, ties and attributes that are missing are
common. Everything shrinks towards `SELECT * WHERE A` and a stream without events. Strategies are made once and kept.

    from parte.languages.cel.conformance.strategies import cases

    @given(cases())
    def test_my_engine(case):
        query, events = case
        ...
"""

from __future__ import annotations

from functools import cache
from itertools import accumulate
from typing import TypeVar

from hypothesis import strategies as st

from parte.languages.cel.conformance.generation import ATTRIBUTES, GAPS, STREAMS, TYPES, VALUES, VARIABLES, Shape
from parte.languages.cel.semantics.syntax import tree
from parte.semantics.events.event import Event

T = TypeVar("T")
USUAL = Shape()
_COIN = st.booleans()


def _joined(inner: st.SearchStrategy[T]) -> st.SearchStrategy[tuple[T, ...]]:
    """Two or three."""
    return st.lists(inner, min_size=2, max_size=3).map(tuple)


@cache
def _some(names: tuple[str, ...], least: int = 0) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(names), min_size=least, max_size=3, unique=True).map(tuple)


# --- Conditions -------------------------------------------------------------------------------------------------------

_OPERANDS: st.SearchStrategy[tree.Operand] = st.one_of(
    st.sampled_from(ATTRIBUTES).map(tree.Attribute), st.sampled_from(VALUES).map(tree.Literal)
)
_OPERATORS = st.sampled_from(list(tree.Operator))


def _more_predicates(inner: st.SearchStrategy[tree.Predicate]) -> st.SearchStrategy[tree.Predicate]:
    return st.one_of(inner.map(tree.Not), _joined(inner).map(tree.Every), _joined(inner).map(tree.Some))


@cache
def predicates() -> st.SearchStrategy[tree.Predicate]:
    """Comparisons under AND, OR and NOT."""
    comparisons: st.SearchStrategy[tree.Predicate] = st.builds(tree.Comparison, _OPERANDS, _OPERATORS, _OPERANDS)
    return st.recursive(comparisons, _more_predicates, max_leaves=4)


def _more_conditions(inner: st.SearchStrategy[tree.Condition]) -> st.SearchStrategy[tree.Condition]:
    return st.one_of(_joined(inner).map(tree.Both), _joined(inner).map(tree.Either))


@cache
def conditions(*, links: bool = False) -> st.SearchStrategy[tree.Condition]:
    """Conditions of FILTER, with links between variables too if they are asked for."""
    variables, attributes = st.sampled_from(VARIABLES), st.sampled_from(ATTRIBUTES)
    holds: st.SearchStrategy[tree.Condition] = st.builds(tree.Holds, variables, predicates())
    if links:
        holds |= st.builds(tree.Link, variables, attributes, _OPERATORS, variables, attributes)
    return st.recursive(holds, _more_conditions, max_leaves=3)


# --- Queries ----------------------------------------------------------------------------------------------------------


@cache
def formulas(shape: Shape = USUAL) -> st.SearchStrategy[tree.Formula]:
    """Formulas without links, at most as deep as the shape says."""
    found: st.SearchStrategy[tree.Formula] = st.sampled_from(TYPES).map(tree.EventType)
    for _ in range(shape.depth):
        found |= _larger(found, shape)
    return found


def _larger(inner: st.SearchStrategy[tree.Formula], shape: Shape) -> st.SearchStrategy[tree.Formula]:
    made: list[st.SearchStrategy[tree.Formula]] = [
        st.builds(tree.Sequence, _joined(inner), _COIN),
        _joined(inner).map(tree.Or),
        st.builds(tree.Named, inner, st.sampled_from(VARIABLES[len(TYPES) :])),
        st.builds(tree.Projection, _some(VARIABLES), inner),
    ]
    if shape.repeats:
        made.append(st.builds(tree.Iteration, inner, _COIN))
    if shape.conditions:
        made.append(st.builds(tree.Filtered, inner, conditions()))
    return st.one_of(made)


@cache
def _windows() -> st.SearchStrategy[tree.Window | None]:
    lengths = st.integers(0, 6)
    timed = lengths.map(lambda length: tree.TimeWindow(((length, tree.Unit.MS),)))
    return st.one_of(st.none(), lengths.map(tree.EventWindow), timed)


@cache
def _among(strategies: tuple[tree.Strategy, ...]) -> st.SearchStrategy[tree.Strategy]:
    return st.sampled_from(strategies)


_SELECTED = st.one_of(st.none(), _some(VARIABLES))
_CONSUMED = st.sampled_from([tree.Consumption.NONE, tree.Consumption.ANY, tree.Consumption.PARTITION])


@st.composite
def queries(draw: st.DrawFn, shape: Shape = USUAL) -> tree.Query:
    """Queries of a shape; with links these stand at the top, where the machine takes them."""
    formula = draw(formulas(shape))
    strategies = shape.strategies
    if shape.links:
        formula = tree.Filtered(formula, draw(conditions(links=True)))
        strategies = (tree.Strategy.ALL, tree.Strategy.STRICT)
    strategy = draw(_among(strategies))
    selected = draw(_SELECTED)
    if not shape.clauses:
        return tree.Query(strategy, selected, (), formula, (), None, tree.Consumption.NONE)
    return tree.Query(
        strategy,
        selected,
        draw(_some(STREAMS)),
        formula,
        draw(_some(ATTRIBUTES)),
        draw(_windows()),
        draw(_CONSUMED),
    )


# --- Streams ----------------------------------------------------------------------------------------------------------


_TYPES, _SOURCES = st.sampled_from((*TYPES, "D")), st.sampled_from(STREAMS)
_ATTRIBUTES = st.dictionaries(st.sampled_from(ATTRIBUTES), st.sampled_from(VALUES))


@cache
def _gaps(most: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.sampled_from(sorted(set(GAPS))), max_size=most)


@st.composite
def streams(draw: st.DrawFn, most: int = 7) -> tuple[Event, ...]:
    """Streams in order of time of at most so many events, of the types of queries and one more."""
    gaps = draw(_gaps(most))
    return tuple(
        Event(f"e{number}", draw(_TYPES), time, draw(_ATTRIBUTES), draw(_SOURCES))
        for number, time in enumerate(accumulate(gaps))
    )


def cases(shape: Shape = USUAL) -> st.SearchStrategy[tuple[tree.Query, tuple[Event, ...]]]:
    """A query and a stream for it."""
    return st.tuples(queries(shape), streams(shape.events))
