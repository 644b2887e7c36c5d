"""How cases of CEL are drawn, varied and made small."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import TypeVar

from parte.conformance.fuzz import trace_edits
from parte.conformance.fuzz.cases import EventCase, Generation, Menu
from parte.languages.cel.semantics.syntax import tree
from parte.languages.cel.semantics.syntax.printer import print_query
from parte.semantics.events.event import Event, TraceItem, Value

TYPES = ("A", "B", "C")
VARIABLES = (*TYPES, "x", "y")
ATTRIBUTES = ("v", "w")
STREAMS = ("s", "t")
VALUES: tuple[tree.Constant, ...] = (
    0,
    1,
    2,
    -1,
    1.0,
    0.5,
    True,
    False,
    "",
    "a",
    2**63 - 1,
    -(2**63),
    2**53 + 1,
    2.0**53,
)
"""Values of all kinds, equal ones of different looks among them, and the ends of 64 bit."""

GAPS = (0, 0, 1, 1, 2, 5)
"""Milliseconds between events; ties are frequent."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a drawn query may have, and how long its stream may be."""

    depth: int = 3
    events: int = 7
    conditions: bool = True
    links: bool = False
    strategies: tuple[tree.Strategy, ...] = tuple(tree.Strategy)
    clauses: bool = True
    repeats: bool = True


@dataclass(frozen=True, slots=True)
class Case(EventCase[tree.Query]):
    """A query and a trace."""

    @property
    def text(self) -> str:
        """The query."""
        return print_query(self.program)

    @property
    def summary(self) -> str:
        """How large it is."""
        nodes = sum(1 for _ in tree.within(self.program.formula))
        return f"{nodes} part{'' if nodes == 1 else 's'}; {len(self.items)} events"


# --- Drawing ----------------------------------------------------------------------------------------------------------


def drawn_case(rng: Random, shape: Shape = Shape()) -> Case:
    """A query and a stream for it."""
    return Case(drawn_query(rng, shape), drawn_events(rng, shape.events))


def drawn_query(rng: Random, shape: Shape) -> tree.Query:
    """A query of a shape."""
    formula = _formula(rng, rng.randint(0, shape.depth), shape)
    strategy = rng.choice(shape.strategies)
    if shape.links:
        formula = tree.Filtered(formula, _condition(rng, 2, links=True))
        strategy = rng.choice((tree.Strategy.ALL, tree.Strategy.STRICT))
    selected = _names(rng) if rng.random() < 0.3 else None
    if not shape.clauses:
        return tree.Query(strategy, selected, (), formula, (), None, tree.Consumption.NONE)
    return tree.Query(
        strategy,
        selected,
        tuple(rng.sample(STREAMS, rng.randint(1, 2))) if rng.random() < 0.2 else (),
        formula,
        tuple(rng.sample(ATTRIBUTES, rng.randint(1, 2))) if rng.random() < 0.25 else (),
        _window(rng),
        rng.choice((*[tree.Consumption.NONE] * 3, *tree.Consumption)),
    )


def _window(rng: Random) -> tree.Window | None:
    length = rng.choice((0, 1, 2, 3, 4, 6))
    match rng.randrange(4):
        case 0:
            return tree.EventWindow(length)
        case 1:
            return tree.TimeWindow(((length, tree.Unit.MS),))
        case _:
            return None


def _names(rng: Random) -> tuple[str, ...]:
    return tuple(rng.sample(VARIABLES, rng.randint(0, 3)))


def _formula(rng: Random, depth: int, shape: Shape) -> tree.Formula:
    if depth == 0 or rng.random() < 0.15:
        return tree.EventType(rng.choice(TYPES))
    inner = partial(_formula, rng, depth - 1, shape)
    kinds: list[tuple[float, Callable[[], tree.Formula]]] = [
        (4.0, lambda: tree.Sequence(tuple(inner() for _ in range(rng.choice((2, 2, 3)))), rng.random() < 0.3)),
        (2.0 if shape.repeats else 0.0, lambda: tree.Iteration(inner(), rng.random() < 0.3)),
        (2.0, lambda: tree.Or((inner(), inner()))),
        (1.5, lambda: tree.Named(inner(), rng.choice(VARIABLES[2:]))),
        (1.0, lambda: tree.Projection(_names(rng), inner())),
        (2.0 if shape.conditions else 0.0, lambda: tree.Filtered(inner(), _condition(rng, 2))),
    ]
    (made,) = rng.choices([make for _, make in kinds], [weight for weight, _ in kinds])
    return made()


def _condition(rng: Random, depth: int, *, links: bool = False) -> tree.Condition:
    chance = rng.random()
    if depth and chance < 0.3:
        parts = tuple(_condition(rng, depth - 1, links=links) for _ in range(2))
        return tree.Both(parts) if chance < 0.15 else tree.Either(parts)
    if links and chance < 0.75:
        return tree.Link(
            rng.choice(VARIABLES),
            rng.choice(ATTRIBUTES),
            rng.choice(list(tree.Operator)),
            rng.choice(VARIABLES),
            rng.choice(ATTRIBUTES),
        )
    return tree.Holds(rng.choice(VARIABLES), _predicate(rng, 2))


def _predicate(rng: Random, depth: int) -> tree.Predicate:
    chance = rng.random()
    if depth and chance < 0.15:
        return tree.Not(_predicate(rng, depth - 1))
    if depth and chance < 0.35:
        parts = tuple(_predicate(rng, depth - 1) for _ in range(2))
        return tree.Every(parts) if chance < 0.25 else tree.Some(parts)
    return tree.Comparison(_operand(rng), rng.choice(list(tree.Operator)), _operand(rng))


def _operand(rng: Random) -> tree.Operand:
    return tree.Attribute(rng.choice(ATTRIBUTES)) if rng.random() < 0.6 else tree.Literal(rng.choice(VALUES))


def drawn_events(rng: Random, most: int) -> tuple[Event, ...]:
    """A stream in order of time."""
    events: list[Event] = []
    now = rng.choice((0, 0, 0, -3, 10**12))
    few = rng.sample(VALUES, 3)
    for number in range(rng.randint(0, most)):
        now += rng.choice(GAPS)
        attributes: dict[str, Value] = {name: rng.choice(few) for name in ATTRIBUTES if rng.random() < 0.85}
        events.append(Event(f"e{number}", rng.choice("AAABBBCD"), now, attributes, rng.choice("sst")))
    return tuple(events)


def _batch(shape: Shape, rng: Random) -> Iterator[Case]:
    for _ in range(16):
        query = drawn_query(rng, shape)
        for _ in range(2):
            yield Case(query, drawn_events(rng, shape.events))


def _alternatives(rng: Random) -> Iterator[Case]:
    """Iterations of alternatives over two types: many paths of different starts meet in one state."""
    for _ in range(16):
        lengths = [1, 1, *(rng.choice((1, 2, 2, 3)) for _ in range(rng.randint(0, 2)))]
        rng.shuffle(lengths)
        words = [tuple(tree.EventType(rng.choice(TYPES[:2])) for _ in range(length)) for length in lengths]
        parts = tuple(word[0] if len(word) == 1 else tree.Sequence(word, False) for word in words)
        formula = tree.Iteration(tree.Or(parts), False)
        window = tree.EventWindow(rng.randint(3, 6)) if rng.random() < 0.8 else None
        query = tree.Query(tree.Strategy.ALL, None, (), formula, (), window, tree.Consumption.NONE)
        names = [rng.choice(TYPES[:2]) for _ in range(rng.randint(6, 9))]
        yield Case(query, tuple(Event(f"e{k}", name, k, {}, "s") for k, name in enumerate(names)))


def _varied(case: Case, rng: Random) -> Case:
    """With a few events that are others, or have other attributes, or come elsewhere."""
    items: list[TraceItem] = list(case.items)
    for _ in range(rng.randint(1, 3)):
        if not items:
            break
        place, other = rng.randrange(len(items)), rng.choice(items)
        event = items[place]
        assert isinstance(event, Event)
        assert isinstance(other, Event)
        match rng.randrange(4):
            case 0:
                items[place] = replace(event, template=other.template)
            case 1:
                items[place] = replace(event, attributes=other.attributes)
            case 2:
                items[place] = replace(event, source=other.source)
            case _:
                items[place] = replace(event, timestamp=other.timestamp)
    times = sorted(item.timestamp for item in items)
    return replace(case, items=tuple(replace(item, timestamp=time) for item, time in zip(items, times, strict=True)))


# --- Making smaller ---------------------------------------------------------------------------------------------------


def without_clauses(case: Case) -> Iterator[Case]:
    """Without a clause, or with a plainer one."""
    query = case.program
    plainer = [
        replace(query, strategy=tree.Strategy.ALL),
        replace(query, selected=None),
        replace(query, streams=()),
        replace(query, attributes=()),
        replace(query, attributes=query.attributes[:1]),
        replace(query, window=None),
        replace(query, consumption=tree.Consumption.NONE),
    ]
    if isinstance(query.window, tree.EventWindow):
        plainer += [replace(query, window=tree.EventWindow(each)) for each in range(query.window.events)]
    elif query.window is not None:
        length = query.window.milliseconds
        plainer += [replace(query, window=tree.TimeWindow(((each, tree.Unit.MS),))) for each in range(min(length, 10))]
    if query.selected:
        plainer += [replace(query, selected=rest) for rest in _without_one(query.selected)]
    yield from (replace(case, program=each) for each in plainer if each != query)


def in_a_shorter_window(case: Case) -> Iterator[Case]:
    """Without an event, and with a window of events that is one shorter."""
    window = case.program.window
    if isinstance(window, tree.EventWindow) and window.events:
        shorter = replace(case.program, window=tree.EventWindow(window.events - 1))
        yield from (replace(case, program=shorter, items=rest) for rest in _without_one(case.items))


def with_plainer_types(case: Case) -> Iterator[Case]:
    """With a type called by an earlier letter, in the query and on the stream."""
    for place, old in enumerate(TYPES):
        for new in TYPES[:place]:
            made = _called(case.program, old, new)
            if made != case.program:
                yield replace(case, program=made, items=tuple(_of_type(item, old, new) for item in case.items))


def _of_type(item: TraceItem, old: str, new: str) -> TraceItem:
    return replace(item, template=new) if item.template == old else item


def _called(query: tree.Query, old: str, new: str) -> tree.Query:
    def name(given: str) -> str:
        return new if given == old else given

    def renamed(node: tree.Node) -> tree.Node:
        match node:
            case tree.EventType():
                return replace(node, name=name(node.name))
            case tree.Named() | tree.Holds():
                return replace(node, variable=name(node.variable))
            case tree.Projection():
                return replace(node, variables=tuple(map(name, node.variables)))
            case tree.Link():
                return replace(node, left=name(node.left), right=name(node.right))
            case _:
                return node

    selected = None if query.selected is None else tuple(map(name, query.selected))
    return replace(query, formula=tree.TREE.mapped(query.formula, renamed), selected=selected)


def with_smaller_formula(case: Case) -> Iterator[Case]:
    """With a part of the formula in place of the whole that it is part of, or with one part fewer."""
    formula = case.program.formula
    for node in tree.within(formula):
        for smaller in _smaller(node):
            made = tree.TREE.exchanged(formula, node, smaller)
            yield replace(case, program=replace(case.program, formula=made))


def _smaller(node: tree.Node) -> Iterator[tree.Node]:
    match node:
        case tree.Named(operand=operand) | tree.Filtered(operand=operand) | tree.Projection(operand=operand):
            yield operand
        case tree.Iteration(operand=operand, contiguous=contiguous):
            yield operand
            if contiguous:
                yield replace(node, contiguous=False)
        case tree.Sequence(parts=parts, contiguous=contiguous):
            yield from parts
            if len(parts) > 2:
                yield from (replace(node, parts=rest) for rest in _without_one(parts))
            if contiguous:
                yield replace(node, contiguous=False)
        case tree.Or(parts=parts):
            yield from parts
            if len(parts) > 2:
                yield from (tree.Or(rest) for rest in _without_one(parts))
        case tree.Both(parts=parts) | tree.Either(parts=parts):
            yield from parts
        case tree.Every(parts=parts) | tree.Some(parts=parts):
            yield from parts
        case tree.Not(operand=operand):
            yield operand
        case tree.Comparison(left=left, operator=operator, right=right):
            yield from (replace(node, right=tree.Literal(value)) for value in (0, 1) if right != tree.Literal(value))
            if operator is not tree.Operator.EQUAL:
                yield replace(node, operator=tree.Operator.EQUAL)
            if isinstance(left, tree.Literal):
                yield replace(node, left=tree.Attribute(ATTRIBUTES[0]))
        case tree.EventType(name=name):
            yield from (tree.EventType(other) for other in TYPES[: TYPES.index(name) if name in TYPES else 0])


P = TypeVar("P")


def _without_one(parts: tuple[P, ...]) -> Iterator[tuple[P, ...]]:
    return (parts[:place] + parts[place + 1 :] for place in range(len(parts)))


def weight(case: Case) -> tuple[int, ...]:
    """What makes a case hard to read, the worst first."""
    query = case.program
    clauses = sum(
        (
            query.strategy is not tree.Strategy.ALL,
            query.selected is not None,
            bool(query.streams),
            len(query.attributes),
            query.window is not None,
            query.consumption is not tree.Consumption.NONE,
        )
    )
    nodes = list(tree.within(query.formula))
    odd = sum(isinstance(node, tree.Sequence | tree.Iteration) and node.contiguous for node in nodes)
    later = sum(TYPES.index(node.name) for node in nodes if isinstance(node, tree.EventType) and node.name in TYPES)
    operators = sum(isinstance(node, tree.Comparison) and node.operator is not tree.Operator.EQUAL for node in nodes)
    constants = sum(trace_edits.difficulty(node.value) for node in nodes if isinstance(node, tree.Literal))
    window = query.window
    length = 0 if window is None else window.events if isinstance(window, tree.EventWindow) else window.milliseconds
    events = [item for item in case.items if isinstance(item, Event)]
    return (
        len(nodes) + 2 * clauses,
        len(case.items),
        odd,
        later,
        operators,
        constants,
        length,
        len(query.selected or ()),
        sum(trace_edits.difficulty(value) for item in events for value in item.attributes.values()),
        sum(len(item.attributes) for item in events) + len({item.source for item in events}),
        sum(time if time >= 0 else 10 - time for time in (item.timestamp for item in events)),
    )


def _plain(*strategies: tree.Strategy) -> Shape:
    return Shape(strategies=strategies or (tree.Strategy.ALL,), conditions=False, clauses=False)


def _with(plainer: Callable[[tree.Query], tree.Query]) -> Callable[[Case], Case]:
    """A case with a plainer query."""
    return lambda case: replace(case, program=plainer(case.program))


def _without_conditions(case: Case) -> Case:
    formula = tree.TREE.mapped(
        case.program.formula, lambda node: node.operand if isinstance(node, tree.Filtered) else node
    )
    return replace(case, program=replace(case.program, formula=formula))


REMEDIES: Mapping[str, Callable[[Case], Case]] = {
    "window": _with(lambda query: replace(query, window=None)),
    "strategy": _with(lambda query: replace(query, strategy=tree.Strategy.ALL)),
    "projection": _with(lambda query: replace(query, selected=None)),
    "streams": _with(lambda query: replace(query, streams=())),
    "partition": _with(lambda query: replace(query, attributes=())),
    "consumption": _with(lambda query: replace(query, consumption=tree.Consumption.NONE)),
    "conditions": _without_conditions,
}
"""What can be taken away from a case, to find out what an engine gets wrong."""

GENERATION: Generation[Case] = Generation(
    menus=(
        Menu("everything", partial(_batch, Shape()), 4),
        Menu("formulas", partial(_batch, _plain()), 2),
        Menu("sequences", partial(_batch, replace(_plain(), repeats=False))),
        Menu("strategies", partial(_batch, _plain(tree.Strategy.MAX, tree.Strategy.NXT, tree.Strategy.LAST))),
        Menu("windows", partial(_batch, Shape(strategies=(tree.Strategy.ALL,), conditions=False, events=10))),
        Menu("alternatives", _alternatives, 3),
        Menu("links", partial(_batch, Shape(links=True, depth=2))),
    ),
    varied=_varied,
    edits=(
        trace_edits.without_items,
        without_clauses,
        in_a_shorter_window,
        with_smaller_formula,
        with_plainer_types,
        trace_edits.from_fewer_sources,
        trace_edits.with_plainer_attributes,
        trace_edits.with_plainer_times,
    ),
    weight=weight,
    renamed=lambda case: case,
    clauses=("cel-results",),
    remedies=REMEDIES,
)
