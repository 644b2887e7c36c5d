"""Hypothesis strategies for programs, traces and schedules, for property tests of any engine
(docs/specification/language.md, docs/specification/events.md).

Programs are valid by construction and traces keep their promises, so nothing is filtered out. Times are small, so
that windows meet, touch and miss each other, and ties are common. Everything shrinks towards one pattern, one event,
no conditions, distances of zero and the round-robin schedule. Strategies are made once and kept, for making one takes
longer than drawing from it.

    from parte.conformance.partelang.strategies import programs, traces

    @given(programs().flatmap(lambda program: traces(program).map(lambda trace: (program, trace))))
    def test_my_engine(case): ...
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from hypothesis import strategies as st

from parte.semantics.events.event import Event, Progress, TraceItem
from parte.semantics.partelang.schedules import Adversarial, RoundRobin, Schedule, SeededRandom
from parte.semantics.partelang.syntax import ast, core
from parte.semantics.partelang.syntax.elaborate import elaborate

Draw = st.DrawFn

EXTERNAL = ("A", "B", "C")
"""The templates of which events arrive; those that rules emit are called D and E, one for each stratum."""

_SLOTS = (("k", "Integer"), ("x", "Float"), ("s", "String"), ("b", "Boolean"))
_STRINGS = ("", "a", "b", "é")
_OPERATORS = tuple(operator for operator in ast.BinaryOperator if operator.relational)
_Op = ast.BinaryOperator

_COIN = st.booleans()
_MORE = st.integers(0, 3).map(bool)
"""Whether one more is drawn. A decision before each, not a number before all, lets the shrinker drop any of them."""


@cache
def _between(least: int, greatest: int) -> st.SearchStrategy[int]:
    return st.integers(least, greatest)


@cache
def _among(names: tuple[str, ...]) -> st.SearchStrategy[str]:
    return st.sampled_from(names)


@cache
def _among_operators(operators: tuple[ast.BinaryOperator, ...]) -> st.SearchStrategy[ast.BinaryOperator]:
    return st.sampled_from(operators)


@dataclass(frozen=True, slots=True)
class ProgramShape:
    """How large and how rich the programs may be. Distances and timestamps are in milliseconds."""

    patterns: int = 4
    rules: int = 3
    strata: int = 2
    negation: bool = True
    conditions: bool = True
    least_distance: int = -6
    greatest_distance: int = 8
    emissions: bool = True


@st.composite
def programs(draw: Draw, shape: ProgramShape = ProgramShape()) -> core.Program:
    """Valid programs: self-joins, negation, lower bounds of either sign, several rules over several strata."""
    rules: list[ast.Rule] = []
    while not rules or (len(rules) < shape.rules and draw(_MORE)):
        stratum = draw(_between(0, shape.strata - 1))
        available = EXTERNAL + ("D",) * (2 * stratum)
        rules.append(draw(_rules(f"R{len(rules)}", available, ("D", "E")[stratum], shape)))
    return elaborate(ast.SourceProgram((*_TEMPLATES, *rules)))


def _template(name: str) -> ast.Template:
    return ast.Template(name, tuple(ast.Slot(slot, ast.NamedType(type_)) for slot, type_ in _SLOTS))


_TEMPLATES = tuple(_template(name) for name in (*EXTERNAL, "D", "E"))


@cache
@st.composite
def _rules(draw: Draw, name: str, available: tuple[str, ...], emitted: str, shape: ProgramShape) -> ast.Rule:
    patterns: list[ast.Pattern] = []
    constraints: list[ast.Constraint] = []
    positive: list[str] = []
    while not patterns or (len(patterns) < shape.patterns and draw(_MORE)):
        variable = f"v{len(patterns)}"
        negated = shape.negation and len(patterns) > 0 and draw(_COIN)
        if positive:
            reference = draw(_among(tuple(positive)))
            constraints.append(draw(_constraints(variable, reference, negated, shape)))
            if draw(_between(0, 3)) == 3:
                reference = draw(_among(tuple(positive)))
                constraints.append(draw(_constraints(variable, reference, negated, shape)))
        most = 2 if shape.conditions else 0
        conditions = draw(_several_conditions(tuple(positive), most))
        template = draw(_among(available))
        patterns.append(ast.Pattern(negated, variable, template, tuple(conditions)))
        if not negated:
            positive.append(variable)
    emissions = draw(_several_emissions(emitted, tuple(positive))) if shape.emissions else []
    return ast.Rule(name, tuple(patterns), tuple(constraints), tuple(emissions))


@cache
@st.composite
def _constraints(draw: Draw, subject: str, reference: str, negated: bool, shape: ProgramShape) -> ast.Constraint:
    lower = draw(_between(shape.least_distance, shape.greatest_distance))
    upper = lower + draw(_between(0, shape.greatest_distance))
    if not negated and draw(_COIN):
        subject, reference, lower, upper = reference, subject, -upper, -lower
    return ast.Constraint(negated, subject, reference, _milliseconds(lower), _milliseconds(upper))


def _milliseconds(amount: int) -> ast.Duration:
    return ast.Duration(amount, ast.Unit.MILLISECONDS)


@cache
def _several_conditions(earlier: tuple[str, ...], most: int) -> st.SearchStrategy[list[ast.Expression]]:
    return st.lists(_conditions(earlier), max_size=most)


@st.composite
def _conditions(draw: Draw, earlier: tuple[str, ...]) -> ast.Expression:
    """A comparison of an attribute with a constant, with one of an earlier event, or with arithmetic on it."""
    own = "k" if draw(_COIN) else draw(_among(("k", "x", "s", "b")))
    operators = (_Op.EQUAL, _Op.NOT_EQUAL) if own == "b" else _OPERATORS
    operator = draw(_among_operators(operators))
    left = ast.Reference(None, own)
    compared = len(earlier) > 0 and draw(_COIN)
    right: ast.Expression = ast.Reference(draw(_among(earlier)), own) if compared else draw(_literals(own))
    if own in "kx" and draw(_between(0, 3)) == 3:
        arithmetic = draw(_among_operators((_Op.ADD, _Op.SUBTRACT, _Op.MULTIPLY, _Op.DIVIDE)))
        other = "k" if draw(_COIN) else "x"
        right = ast.Binary(arithmetic, right, draw(_literals(other)))
    return ast.Binary(operator, left, right)


@cache
def _literals(attribute: str) -> st.SearchStrategy[ast.Literal]:
    return values(attribute).map(ast.Literal)


Attribute = int | float | str | bool


@cache
def values(attribute: str) -> st.SearchStrategy[Attribute]:
    """Values of the attributes k, x, s and b: few, so that equality is common, with some extremes."""
    if attribute == "k":
        return st.one_of(st.integers(0, 2), st.sampled_from((-(2**63), 2**63 - 1, 2**53 + 1)))
    if attribute == "x":
        return st.one_of(st.sampled_from((0.0, 1.0, 2.0, 0.5, -0.0)), st.sampled_from((1e308, -1e308, 5e-324)))
    if attribute == "s":
        return st.sampled_from(_STRINGS)
    return st.booleans()


@cache
def _several_emissions(template: str, positive: tuple[str, ...]) -> st.SearchStrategy[list[ast.Emission]]:
    return st.lists(_emissions(template, positive), max_size=2)


@cache
def _some_names(names: tuple[str, ...]) -> st.SearchStrategy[list[str]]:
    return st.lists(_among(names), min_size=1, max_size=2)


@st.composite
def _emissions(draw: Draw, template: str, positive: tuple[str, ...]) -> ast.Emission:
    first = draw(_among(positive))
    at: ast.Expression = ast.Reference(first, "timestamp")
    if draw(_COIN):
        others = draw(_some_names(positive))
        times = (at, *(ast.Reference(variable, "timestamp") for variable in others))
        at = ast.Call(draw(_among(("min", "max", "avg"))), times)
    if draw(_COIN):
        operator = draw(_among_operators((_Op.ADD, _Op.SUBTRACT)))
        at = ast.Binary(operator, at, _milliseconds(draw(_between(0, 5))))
    k: ast.Expression = ast.Reference(first, "k")
    if draw(_COIN):
        k = ast.Binary(_Op.ADD, k, ast.Reference(draw(_among(positive)), "k"))
    assignments = [ast.Assignment("k", k)]
    assignments += [ast.Assignment(slot, ast.Reference(first, slot)) for slot in ("x", "s", "b")]
    return ast.Emission(template, at, tuple(assignments))


# --- Traces ---------------------------------------------------------------------------------------------------------


@st.composite
def traces(
    draw: Draw,
    program: core.Program | None = None,
    *,
    events: int = 7,
    sources: int = 3,
    latest: int = 20,
    templates: Sequence[str] = EXTERNAL,
    promises: bool = True,
) -> tuple[TraceItem, ...]:
    """Traces that keep their promises: ties, several sources, progress lines, arrival out of order.

    A pair of source and template either speaks in order of time, or promises by progress lines and speaks in any order
    that they allow; the pairs are interleaved in any way. With a program, only templates that its rules read appear.
    Without `promises` no pair has progress lines, so that all speak in order.
    """
    if program is not None:
        read = {pattern.template for rule in program.rules for pattern in rule.patterns}
        templates = [name for name in templates if name in read] or templates[:1]
    streams: dict[tuple[str, str], list[Event]] = {}
    for number in range(1, events + 1):
        if not draw(_MORE):
            continue
        source = f"s{draw(_between(1, sources))}"
        template = draw(_among(tuple(templates)))
        timestamp = draw(_between(0, latest))
        attributes = {name: draw(values(name)) for name, _ in _SLOTS}
        event = Event(f"e{number}", template, timestamp, attributes, source)
        streams.setdefault((source, template), []).append(event)
    if promises:
        speaking = [_stream(draw, *pair, stream) for pair, stream in streams.items()]
    else:
        speaking = [_in_order(stream) for stream in streams.values()]
    items: list[TraceItem] = []
    while speaking := [stream for stream in speaking if stream]:
        items.append(speaking[draw(_between(0, len(speaking) - 1))].pop(0))
    return tuple(items)


@cache
def _orders(length: int) -> st.SearchStrategy[list[int]]:
    return st.permutations(range(length))


def _in_order(events: Sequence[Event]) -> list[TraceItem]:
    return sorted(events, key=lambda event: event.timestamp)


def _stream(draw: Draw, source: str, template: str, events: Sequence[Event]) -> list[TraceItem]:
    if not draw(_COIN):
        return _in_order(events)
    order = [events[index] for index in draw(_orders(len(events)))]
    items: list[TraceItem] = []
    for index, event in enumerate(order):
        if index == 0 or draw(_COIN):
            least = min(later.timestamp for later in order[index:])
            items.append(Progress(source, template, least - draw(_between(0, 3))))
        items.append(event)
    return items


@st.composite
def cases(draw: Draw, shape: ProgramShape = ProgramShape()) -> tuple[core.Program, tuple[TraceItem, ...]]:
    """A program and a trace for it."""
    program = draw(programs(shape))
    return program, draw(traces(program))


def schedules() -> st.SearchStrategy[Schedule]:
    """Every kind of schedule."""
    seeds = st.integers(0, 2**16)
    return st.one_of(st.just(RoundRobin()), seeds.map(SeededRandom), seeds.map(Adversarial))
