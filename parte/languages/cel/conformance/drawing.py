"""Random queries of CEL and streams, valid by construction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from parte.conformance.fuzz.draw import Draw
from parte.languages.cel.semantics.syntax import tree
from parte.semantics.events.event import Event

TYPES = ("A", "B", "C")
VARIABLES = (*TYPES, "x", "y")
ATTRIBUTES = ("v", "w")
STREAMS = ("s", "t")
VALUES: tuple[tree.Constant, ...] = (
    *(0, 1, 2, -1, 1.0, 0.5, True, False, "", "a"),
    *(2**63 - 1, -(2**63), 2**53 + 1, 2.0**53),
)
"""Values of all kinds, with equal ones that are written differently, and the ends of 64 bit."""

GAPS = (0, 0, 1, 1, 2, 5)
"""Milliseconds between events; ties are frequent."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The constructs that a random query may have, and the greatest length of its stream."""

    depth: int = 3
    events: int = 7
    conditions: bool = True
    links: bool = False
    strategies: tuple[tree.Strategy, ...] = tuple(tree.Strategy)
    clauses: bool = True
    repeats: bool = True


def drawn_events(draw: Draw, most: int) -> tuple[Event, ...]:
    """Return a stream in order of time, of the types of queries and one more."""
    now = draw.choice((0, 0, 0, -3, 10**12))
    few = draw.subset(VALUES, 3, 3)
    events: list[Event] = []

    def event() -> None:
        nonlocal now
        now += draw.choice(GAPS)
        kind = draw.choice("AAABBBCD")
        attributes = {name: draw.choice(few) for name in ATTRIBUTES if draw.chance(85)}
        events.append(Event(f"e{len(events)}", kind, now, attributes, draw.choice("sst")))

    draw.several(event, 0, most)
    return tuple(events)


def drawn_query(draw: Draw, shape: Shape = Shape()) -> tree.Query:
    """Return a query of a shape; links stand at the top, where the machine supports them."""
    formula = _formula(draw, draw.integer(0, shape.depth), shape)
    strategies = shape.strategies
    if shape.links:
        formula = tree.Filtered(formula, _condition(draw, _bound(formula), 2, links=True))
        strategies = (tree.Strategy.ALL, tree.Strategy.STRICT)
    strategy = draw.choice(strategies)
    selected = draw.subset(VARIABLES, 0, 3) if draw.chance(30) else None
    if not shape.clauses:
        return tree.Query(strategy, selected, (), formula, (), None, tree.Consumption.NONE)
    return tree.Query(
        strategy,
        selected,
        draw.subset(STREAMS, 1, 2) if draw.chance(20) else (),
        formula,
        draw.subset(ATTRIBUTES, 1, 2) if draw.chance(25) else (),
        _window(draw) if draw.chance(50) else None,
        draw.choice((*[tree.Consumption.NONE] * 3, *tree.Consumption)),
    )


def drawn_alternatives(draw: Draw) -> tuple[tree.Query, tuple[Event, ...]]:
    """Return iterations of alternatives over two types: many paths of different starts meet in one state."""

    def event_type() -> tree.Formula:
        return tree.EventType(draw.choice(TYPES[:2]))

    def word() -> tree.Formula:
        letters = draw.several(event_type, 1, 3)
        return letters[0] if len(letters) == 1 else tree.Sequence(letters, contiguous=False)

    parts = (event_type(), event_type(), *draw.several(word, 0, 2))
    formula = tree.Iteration(tree.Or(parts), contiguous=False)
    window = tree.EventWindow(draw.integer(3, 6)) if draw.chance(80) else None
    query = tree.Query(tree.Strategy.ALL, None, (), formula, (), window, tree.Consumption.NONE)
    names = draw.several(lambda: draw.choice(TYPES[:2]), 6, 9)
    return query, tuple(Event(f"e{place}", name, place, {}, "s") for place, name in enumerate(names))


def _window(draw: Draw) -> tree.Window:
    length = draw.choice((0, 1, 2, 3, 4, 6))
    return tree.TimeWindow(((length, tree.Unit.MS),)) if draw.chance(50) else tree.EventWindow(length)


def _formula(draw: Draw, depth: int, shape: Shape) -> tree.Formula:
    if depth == 0:
        return tree.EventType(draw.choice(TYPES))

    def inner() -> tree.Formula:
        return draw.part(partial(_formula, draw, depth - 1, shape))

    def filtered() -> tree.Formula:
        operand = inner()
        return tree.Filtered(operand, _condition(draw, _bound(operand), 2))

    kinds: Sequence[tuple[int, Callable[[], tree.Formula]]] = (
        (20, lambda: tree.EventType(draw.choice(TYPES))),
        (40, lambda: tree.Sequence(draw.several(inner, 2, 3), draw.chance(30))),
        (20, lambda: tree.Or(draw.several(inner, 2, 3))),
        (15, lambda: tree.Named(inner(), draw.choice(VARIABLES[2:]))),
        (10, lambda: tree.Projection(draw.subset(VARIABLES, 0, 3), inner())),
        (20 if shape.repeats else 0, lambda: tree.Iteration(inner(), draw.chance(30))),
        (20 if shape.conditions else 0, filtered),
    )
    return draw.one_of(*kinds)


def _bound(formula: tree.Formula) -> tuple[str, ...]:
    """Return the names that a formula binds."""
    names = {node.name for node in tree.within(formula) if isinstance(node, tree.EventType)}
    names |= {node.variable for node in tree.within(formula) if isinstance(node, tree.Named)}
    return tuple(sorted(names))


def _condition(draw: Draw, bound: Sequence[str], depth: int, *, links: bool = False) -> tree.Condition:
    """Return a condition, mostly on names that its formula binds: on other names a condition has no effect."""

    def inner() -> tree.Condition:
        return draw.part(partial(_condition, draw, bound, depth - 1, links=links))

    def variable() -> str:
        return draw.choice(bound if draw.chance(70) else VARIABLES)

    def link() -> tree.Condition:
        left, right = ((variable(), draw.choice(ATTRIBUTES)) for _ in range(2))
        return tree.Link(*left, draw.choice(list(tree.Operator)), *right)

    return draw.one_of(
        (30, lambda: tree.Holds(variable(), _predicate(draw, 2))),
        (6 if depth else 0, lambda: tree.Both((inner(), inner()))),
        (6 if depth else 0, lambda: tree.Either((inner(), inner()))),
        (50 if links else 0, link),
    )


def _predicate(draw: Draw, depth: int) -> tree.Predicate:
    def inner() -> tree.Predicate:
        return draw.part(partial(_predicate, draw, depth - 1))

    kinds: Sequence[tuple[int, Callable[[], tree.Predicate]]] = (
        (65, lambda: tree.Comparison(_operand(draw), draw.choice(list(tree.Operator)), _operand(draw))),
        (15 if depth else 0, lambda: tree.Not(inner())),
        (10 if depth else 0, lambda: tree.Every(draw.several(inner, 2, 3))),
        (10 if depth else 0, lambda: tree.Some(draw.several(inner, 2, 3))),
    )
    return draw.one_of(*kinds)


def _operand(draw: Draw) -> tree.Operand:
    return tree.Literal(draw.choice(VALUES)) if draw.chance(40) else tree.Attribute(draw.choice(ATTRIBUTES))
