"""Random programs and traces by the million: like those of `parte.conformance.partelang.strategies`, drawn fast from a
seed.

A case is a function of the seed and its number alone, independent of process and order. Programs are valid and traces
keep their promises. Times are small, so that windows meet, touch and miss each other, and ties are common. Nothing
shrinks; use the strategies for that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from random import Random

from parte.semantics.events.event import Event, Progress, TraceItem, Value
from parte.semantics.events.values import GREATEST_INTEGER, LEAST_INTEGER
from parte.semantics.partelang.syntax import ast, core, functions
from parte.semantics.partelang.syntax.elaborate import parse
from parte.semantics.partelang.syntax.printer import print_program
from parte.spark_adapter.errors import Unusable

EXTERNAL = ("A", "B", "C")
"""The templates of arriving events; rules emit D in the first stratum and E in the second."""

_SLOTS = (("k", "Integer"), ("x", "Float"), ("s", "String"), ("b", "Boolean"))
_Op = ast.BinaryOperator
_RELATIONS = tuple(operator for operator in _Op if operator.relational)
_ARITHMETIC = (_Op.ADD, _Op.SUBTRACT, _Op.MULTIPLY, _Op.DIVIDE)
_LEAST_DISTANCE, _GREATEST_DISTANCE = -6, 8


@dataclass(frozen=True, slots=True)
class Recipe:
    """The parameters of random cases. Case n has the program number n // `per_program`; its trace has up to `events`
    events of up to `sources` sources at 0 to `latest` milliseconds."""

    seed: int = 0
    per_program: int = 100
    events: int = 8
    sources: int = 3
    latest: int = 20

    def __post_init__(self) -> None:
        if type(self.seed) is not int or not LEAST_INTEGER <= self.seed <= GREATEST_INTEGER:
            raise Unusable(f"seed: expected an integer of 64 bits, found {self.seed}")
        if min(self.per_program, self.sources) < 1 or min(self.events, self.latest) < 0:
            raise Unusable("per_program and sources are at least 1, events and latest at least 0")


@dataclass(frozen=True, slots=True)
class RandomCase:
    """A random case: its program as text and checked, and its trace."""

    text: str
    program: core.Program
    items: tuple[TraceItem, ...]


def random_case(recipe: Recipe, number: int) -> RandomCase:
    """Return the case with a number, from 0."""
    text, program = _program(recipe.seed, number // recipe.per_program)
    # A text as the seed is the same on every machine, and unlike a sum it never coincides for two neighbours.
    return RandomCase(text, program, _trace(Random(f"trace {recipe} {number}"), program, recipe))


@lru_cache(maxsize=64)
def _program(seed: int, number: int) -> tuple[str, core.Program]:
    rng = Random(f"program {seed} {number}")
    templates = [
        ast.Template(name, tuple(ast.Slot(slot, ast.NamedType(type_)) for slot, type_ in _SLOTS))
        for name in (*EXTERNAL, "D", "E")
    ]
    rules = [_rule(rng, f"R{index}") for index in range(rng.choice((1, 1, 1, 2, 2, 3)))]
    text = print_program(ast.SourceProgram((*templates, *rules)))
    return text, parse(text)


# --- Programs --------------------------------------------------------------------------------------------------------


def _rule(rng: Random, name: str) -> ast.Rule:
    second = rng.random() < 0.4
    templates = EXTERNAL + ("D", "D") * second
    patterns: list[ast.Pattern] = []
    constraints: list[ast.Constraint] = []
    positive: list[str] = []
    for index in range(rng.choice((1, 2, 2, 3, 3, 4))):
        variable, negated = f"v{index}", index > 0 and rng.random() < 0.4
        if positive:
            for _ in range(1 + (rng.random() < 0.25)):
                constraints.append(_constraint(rng, variable, rng.choice(positive), negated))
        conditions = tuple(_condition(rng, positive) for _ in range(rng.choice((0, 0, 1, 1, 2))))
        patterns.append(ast.Pattern(negated, variable, rng.choice(templates), conditions))
        if not negated:
            positive.append(variable)
    emitted = "E" if second else "D"
    emissions = tuple(_emission(rng, emitted, positive) for _ in range(rng.choice((0, 1, 1, 2))))
    return ast.Rule(name, tuple(patterns), tuple(constraints), emissions)


def _constraint(rng: Random, subject: str, reference: str, negated: bool) -> ast.Constraint:
    lower = rng.randint(_LEAST_DISTANCE, _GREATEST_DISTANCE)
    upper = lower + rng.randint(0, _GREATEST_DISTANCE)
    if not negated and rng.random() < 0.5:
        subject, reference, lower, upper = reference, subject, -upper, -lower
    return ast.Constraint(negated, subject, reference, _milliseconds(lower), _milliseconds(upper))


def _milliseconds(amount: int) -> ast.Duration:
    return ast.Duration(amount, ast.Unit.MILLISECONDS)


def _condition(rng: Random, earlier: Sequence[str]) -> ast.Expression:
    own = rng.choice(("k", "k", "k", "k", "k", "x", "s", "b"))
    operator = rng.choice((_Op.EQUAL, _Op.NOT_EQUAL) if own == "b" else _RELATIONS)
    right: ast.Expression = ast.Literal(_value(rng, own))
    if earlier and rng.random() < 0.5:
        right = ast.Reference(rng.choice(earlier), own)
    if own in "kx" and rng.random() < 0.25:
        right = ast.Binary(rng.choice(_ARITHMETIC), right, ast.Literal(_value(rng, rng.choice("kx"))))
    return ast.Binary(operator, ast.Reference(None, own), right)


def _value(rng: Random, attribute: str) -> int | float | str | bool:
    """Return a value of an attribute: few, so that equality is common, with some extremes."""
    if attribute == "k":
        return rng.choice((0, 1, 2, 0, 1, 2, 0, 1, 2, 2**63 - 1, 2**53 + 1))
    if attribute == "x":
        return rng.choice((0.0, 1.0, 2.0, 0.5, 1.0, 2.0, 1e308, 5e-324))
    return rng.choice(("", "a", "b", "é")) if attribute == "s" else rng.random() < 0.5


def _emission(rng: Random, template: str, positive: Sequence[str]) -> ast.Emission:
    first = rng.choice(positive)
    at: ast.Expression = ast.Reference(first, "timestamp")
    if rng.random() < 0.5:
        more_times = (ast.Reference(rng.choice(positive), "timestamp") for _ in range(rng.choice((1, 2))))
        at = ast.Call(rng.choice(functions.of_timestamps()), (at, *more_times))
    if rng.random() < 0.5:
        at = ast.Binary(rng.choice((_Op.ADD, _Op.SUBTRACT)), at, _milliseconds(rng.randint(0, 5)))
    k: ast.Expression = ast.Reference(first, "k")
    if rng.random() < 0.5:
        k = ast.Binary(_Op.ADD, k, ast.Reference(rng.choice(positive), "k"))
    rest = (ast.Assignment(slot, ast.Reference(first, slot)) for slot in "xsb")
    return ast.Emission(template, at, (ast.Assignment("k", k), *rest))


# --- Traces ----------------------------------------------------------------------------------------------------------


def _trace(rng: Random, program: core.Program, recipe: Recipe) -> tuple[TraceItem, ...]:
    read = {pattern.template for rule in program.rules for pattern in rule.patterns}
    templates = [name for name in EXTERNAL if name in read] or EXTERNAL[:1]
    streams: dict[tuple[str, str], list[Event]] = {}
    for number in range(1, rng.randint(recipe.events // 2, recipe.events) + 1):
        source, template = f"s{rng.randint(1, recipe.sources)}", rng.choice(templates)
        attributes: dict[str, Value] = {name: _value(rng, name) for name, _ in _SLOTS}
        event = Event(f"e{number}", template, rng.randint(0, recipe.latest), attributes, source)
        streams.setdefault((source, template), []).append(event)
    sending = [_stream(rng, *pair, events) for pair, events in streams.items()]
    items: list[TraceItem] = []
    while sending:
        index = rng.randrange(len(sending))
        items.append(sending[index].pop())
        if not sending[index]:
            del sending[index]
    return tuple(items)


def _stream(rng: Random, source: str, template: str, events: list[Event]) -> list[TraceItem]:
    """Return the items of a source and template, last first: in the order of time, or in any order, with promises."""
    if rng.random() < 0.5:
        return sorted(events, key=lambda event: -event.timestamp)
    rng.shuffle(events)  # the order is reversed, so a promise after an event may be the least timestamp up to it
    items: list[TraceItem] = []
    least = events[0].timestamp
    for event, later in pairwise((*events, None)):
        assert event is not None
        least = min(least, event.timestamp)
        items.append(event)
        if later is None or rng.random() < 0.5:
            items.append(Progress(source, template, least - rng.randint(0, 3)))
    return items
