"""Hypothesis strategies for programs, traces and schedules, for property tests of any engine (SPEC §2, §3).

Programs are valid by construction and traces keep their promises, so nothing is filtered out. Times are small, so
that windows meet, touch and miss each other, and ties are common. Everything shrinks towards one pattern, one event,
no conditions, distances of zero and the round-robin schedule.

    from conformance.strategies import programs, traces

    @given(programs().flatmap(lambda program: traces(program).map(lambda trace: (program, trace))))
    def test_my_engine(case): ...
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

from semantics.events.event import Event, Progress, TraceItem
from semantics.schedules import Adversarial, RoundRobin, Schedule, SeededRandom
from semantics.syntax import ast, core
from semantics.syntax.elaborate import elaborate

Draw = st.DrawFn

EXTERNAL = ("A", "B", "C")
"""The templates of which events arrive; those that rules emit are called D and E, one for each stratum."""

_SLOTS = (("k", "Integer"), ("x", "Float"), ("s", "String"), ("b", "Boolean"))
_STRINGS = ("", "a", "b", "é")
_OPERATORS = tuple(operator for operator in ast.BinaryOperator if operator.relational)
_Op = ast.BinaryOperator

_MORE = st.integers(0, 3).map(bool)
"""Whether one more is drawn. A decision before each, not a number before all, lets the shrinker drop any of them."""


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


@st.composite
def programs(draw: Draw, shape: ProgramShape = ProgramShape()) -> core.Program:
    """Valid programs: self-joins, negation, lower bounds of either sign, several rules over several strata."""
    templates = [_template(name) for name in (*EXTERNAL, "D", "E")]
    rules: list[ast.Rule] = []
    while not rules or (len(rules) < shape.rules and draw(_MORE)):
        stratum = draw(st.integers(0, shape.strata - 1))
        available = EXTERNAL + ("D",) * (2 * stratum)
        rules.append(draw(_rules(f"R{len(rules)}", available, ("D", "E")[stratum], shape)))
    return elaborate(ast.SourceProgram((*templates, *rules)))


def _template(name: str) -> ast.Template:
    return ast.Template(name, tuple(ast.Slot(slot, ast.NamedType(type_)) for slot, type_ in _SLOTS))


@st.composite
def _rules(draw: Draw, name: str, available: Sequence[str], emitted: str, shape: ProgramShape) -> ast.Rule:
    patterns: list[ast.Pattern] = []
    constraints: list[ast.Constraint] = []
    positive: list[str] = []
    while not patterns or (len(patterns) < shape.patterns and draw(_MORE)):
        variable = f"v{len(patterns)}"
        negated = shape.negation and len(patterns) > 0 and draw(st.booleans())
        if positive:
            reference = draw(st.sampled_from(positive))
            constraints.append(draw(_constraints(variable, reference, negated, shape)))
            if draw(st.integers(0, 3)) == 3:
                reference = draw(st.sampled_from(positive))
                constraints.append(draw(_constraints(variable, reference, negated, shape)))
        most = 2 if shape.conditions else 0
        conditions = draw(st.lists(_conditions(positive), max_size=most))
        template = draw(st.sampled_from(available))
        patterns.append(ast.Pattern(negated, variable, template, tuple(conditions)))
        if not negated:
            positive.append(variable)
    emissions = draw(st.lists(_emissions(emitted, positive), max_size=2))
    return ast.Rule(name, tuple(patterns), tuple(constraints), tuple(emissions))


@st.composite
def _constraints(draw: Draw, subject: str, reference: str, negated: bool, shape: ProgramShape) -> ast.Constraint:
    lower = draw(st.integers(shape.least_distance, shape.greatest_distance))
    upper = lower + draw(st.integers(0, shape.greatest_distance))
    if not negated and draw(st.booleans()):
        subject, reference, lower, upper = reference, subject, -upper, -lower
    return ast.Constraint(negated, subject, reference, _milliseconds(lower), _milliseconds(upper))


def _milliseconds(amount: int) -> ast.Duration:
    return ast.Duration(amount, ast.Unit.MILLISECONDS)


@st.composite
def _conditions(draw: Draw, earlier: Sequence[str]) -> ast.Expression:
    """A comparison of an attribute with a constant, with one of an earlier event, or with arithmetic on it."""
    own = "k" if draw(st.booleans()) else draw(st.sampled_from(("k", "x", "s", "b")))
    operators = (_Op.EQUAL, _Op.NOT_EQUAL) if own == "b" else _OPERATORS
    operator = draw(st.sampled_from(operators))
    left = ast.Reference(None, own)
    right: ast.Expression
    if len(earlier) > 0 and draw(st.booleans()):
        right = ast.Reference(draw(st.sampled_from(earlier)), own)
    else:
        right = draw(_literals(own))
    if own in "kx" and draw(st.integers(0, 3)) == 3:
        arithmetic = draw(st.sampled_from((_Op.ADD, _Op.SUBTRACT, _Op.MULTIPLY, _Op.DIVIDE)))
        other = "k" if draw(st.booleans()) else "x"
        right = ast.Binary(arithmetic, right, draw(_literals(other)))
    return ast.Binary(operator, left, right)


def _literals(attribute: str) -> st.SearchStrategy[ast.Literal]:
    return values(attribute).map(ast.Literal)


Attribute = int | float | str | bool


def values(attribute: str) -> st.SearchStrategy[Attribute]:
    """Values of the attributes k, x, s and b: few, so that equality is common, with some extremes."""
    if attribute == "k":
        return st.one_of(st.integers(0, 2), st.sampled_from((-(2**63), 2**63 - 1, 2**53 + 1)))
    if attribute == "x":
        return st.one_of(st.sampled_from((0.0, 1.0, 2.0, 0.5, -0.0)), st.sampled_from((1e308, -1e308, 5e-324)))
    if attribute == "s":
        return st.sampled_from(_STRINGS)
    return st.booleans()


@st.composite
def _emissions(draw: Draw, template: str, positive: Sequence[str]) -> ast.Emission:
    first = draw(st.sampled_from(positive))
    at: ast.Expression = ast.Reference(first, "timestamp")
    if draw(st.booleans()):
        others = draw(st.lists(st.sampled_from(positive), min_size=1, max_size=2))
        times = (at, *(ast.Reference(variable, "timestamp") for variable in others))
        at = ast.Call(draw(st.sampled_from(("min", "max", "avg"))), times)
    if draw(st.booleans()):
        operator = draw(st.sampled_from((_Op.ADD, _Op.SUBTRACT)))
        at = ast.Binary(operator, at, _milliseconds(draw(st.integers(0, 5))))
    k: ast.Expression = ast.Reference(first, "k")
    if draw(st.booleans()):
        k = ast.Binary(_Op.ADD, k, ast.Reference(draw(st.sampled_from(positive)), "k"))
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
) -> tuple[TraceItem, ...]:
    """Traces that keep their promises: ties, several sources, progress lines, arrival out of order.

    A pair of source and template either speaks in order of time, or promises by progress lines and speaks in any order
    that they allow; the pairs are interleaved in any way. With a program, only templates that its rules read appear.
    """
    if program is not None:
        read = {pattern.template for rule in program.rules for pattern in rule.patterns}
        templates = [name for name in templates if name in read] or templates[:1]
    streams: dict[tuple[str, str], list[Event]] = {}
    for number in range(1, events + 1):
        if not draw(_MORE):
            continue
        source = f"s{draw(st.integers(1, sources))}"
        template = draw(st.sampled_from(templates))
        timestamp = draw(st.integers(0, latest))
        attributes = {name: draw(values(name)) for name, _ in _SLOTS}
        event = Event(f"e{number}", template, timestamp, attributes, source)
        streams.setdefault((source, template), []).append(event)
    speaking = [draw(_streams(*pair, stream)) for pair, stream in streams.items()]
    items: list[TraceItem] = []
    while speaking := [stream for stream in speaking if stream]:
        items.append(draw(st.sampled_from(speaking)).pop(0))
    return tuple(items)


@st.composite
def _streams(draw: Draw, source: str, template: str, events: Sequence[Event]) -> list[TraceItem]:
    if not draw(st.booleans()):
        return sorted(events, key=lambda event: event.timestamp)
    order = draw(st.permutations(events))
    items: list[TraceItem] = []
    for index, event in enumerate(order):
        if index == 0 or draw(st.booleans()):
            least = min(later.timestamp for later in order[index:])
            items.append(Progress(source, template, least - draw(st.integers(0, 3))))
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
