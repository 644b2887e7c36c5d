"""Summaries of sets: the aggregates that a rule uses of the events in a window (specification: aggregates).

A set-node passes a partial match on with a summary behind its events. The timestamp of a summary is the beginning of
the window, a lower bound of the timestamps of the set, so that a bound of summaries bounds these too. A summary has no
id; no match names it. In a window without beginning a digest stands for the events that every partial match to come
has in its window. This code is independent of `parte.algebra`: the agreement of the two is evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add, attrgetter, or_
from typing import Any, Final, cast

from parte.semantics.events.event import Event, Value
from parte.semantics.partelang.syntax import core

Elements = Collection[Event]

_LEAST, _GREATEST = -(2**63), 2**63 - 1
_TINIEST: Final = 2**1074
"""Every Float is a multiple of one part in so many."""


def aggregates_of(rule: core.Rule, variable: str) -> tuple[core.Aggregate, ...]:
    """Return the aggregates of a set that a rule uses, each once."""
    parts: list[core.Expression | core.TimestampExpression] = [
        part for condition in rule.having for part in core.EXPRESSIONS.within(condition)
    ]
    for emission in rule.emissions:
        parts += instants_in(emission.at)
        parts += (part for target in emission.assignments for part in core.EXPRESSIONS.within(target.value))
    return tuple(
        dict.fromkeys(part for part in parts if isinstance(part, core.Aggregate) and part.variable == variable)
    )


def place_of(aggregate: core.Aggregate) -> str:
    """Return the attribute of a summary that has the value of an aggregate."""
    return f"{aggregate.function} {'distinct ' * aggregate.distinct}{aggregate.attribute or ''}"


def instant_of(aggregate: core.Aggregate) -> str:
    """Return the name of a timestamp of a set, among the variables of a rule."""
    return f"{aggregate.variable}: {place_of(aggregate)}"


def instants_in(expression: core.TimestampExpression) -> list[core.Aggregate]:
    """Return the aggregates in the `at` of an emission."""
    return [part for part in core.TIMESTAMP_EXPRESSIONS.within(expression) if isinstance(part, core.Aggregate)]


@dataclass(frozen=True, slots=True)
class Digest(Event):
    """Several events of a set as one: its attributes are the states of the aggregates, its time the least of them."""

    __hash__ = Event.__hash__


State = Any
"""The result of a fold over some events: a value, or more, such as a sum and a number for an average."""


@dataclass(frozen=True, slots=True)
class Fold:
    """The calculation of an aggregate: the state of some events (None: nothing is known), the state of two disjoint
    sets of events from theirs, and the value of a state (None: there is no value)."""

    begin: Callable[[Elements], State | None]
    join: Callable[[State, State], State]
    value: Callable[[State], Value | None] = lambda state: cast(Value, state)


@dataclass(frozen=True, slots=True)
class Summarizer:
    """The summaries of the sets of a pattern, with the aggregates that a rule uses, by their places."""

    template: str
    folds: Mapping[str, Fold]

    def summary(self, elements: Elements, opens: int) -> Event:
        """Return the summary of a set whose window begins at `opens`; an aggregate without a value is left out."""
        states = self._states(elements)
        values = {place: fold.value(states[place]) for place, fold in self.folds.items() if states[place] is not None}
        return Event("", self.template, opens, {place: value for place, value in values.items() if value is not None})

    def digest(self, elements: Elements) -> Event:
        """Return one event with the states of some events, digests among them."""
        states = {place: state for place, state in self._states(elements).items() if state is not None}
        return Digest("", self.template, min(element.timestamp for element in elements), states)

    def _states(self, elements: Elements) -> dict[str, State | None]:
        digests = [element for element in elements if isinstance(element, Digest)]
        plain = [element for element in elements if not isinstance(element, Digest)] if digests else elements
        states: dict[str, State | None] = {}
        for place, fold in self.folds.items():
            known = [digest.attributes[place] for digest in digests if place in digest.attributes]
            if (state := fold.begin(plain)) is not None:
                known.append(state)
            states[place] = reduce(fold.join, known) if known else None
        return states


def summarizer(pattern: core.Pattern, aggregates: Iterable[core.Aggregate]) -> Summarizer:
    """Return the summarizer of sets of a pattern."""
    return Summarizer(pattern.template, {place_of(aggregate): _fold(aggregate) for aggregate in aggregates})


def _fold(aggregate: core.Aggregate) -> Fold:
    name = aggregate.attribute
    if name is None:
        return Fold(len, add) if aggregate.function == "count" else Fold(lambda elements: len(elements) > 0, or_)
    if name == "timestamp":
        choose: Callable[..., Any] = min if aggregate.function == "min" else max
        return Fold(lambda elements: choose(map(attrgetter("timestamp"), elements), default=None), choose)
    if aggregate.function in _CHOICES:
        choose = _CHOICES[aggregate.function]
        return Fold(
            lambda elements: choose(_dated(elements, name), default=None), choose, lambda dated: _unsigned(dated[1])
        )
    if aggregate.distinct:
        return Fold(lambda elements: frozenset(_values(elements, name)), or_, len)
    if aggregate.function == "sum" and aggregate.type is core.Scalar.INTEGER:
        return Fold(lambda elements: _total(_values(elements, name)), add, _of_64_bits)
    begin, join, value = _CALCULATIONS[aggregate.function]
    return Fold(lambda elements: begin(_values(elements, name)), join, value)


def _values(elements: Elements, attribute: str) -> list[Value]:
    return [element.attributes[attribute] for element in elements if attribute in element.attributes]


def _dated(elements: Elements, attribute: str) -> list[tuple[int, Value]]:
    """Return the values with their timestamps; of one time, the least value is first and the greatest last."""
    return [
        (element.timestamp, element.attributes[attribute]) for element in elements if attribute in element.attributes
    ]


def _total(values: Sequence[Value]) -> int:
    """Return the exact sum: of Floats, in parts of `_TINIEST`."""
    if not values or isinstance(values[0], int):
        return sum(cast(Sequence[int], values))
    total = 0
    for value in cast(Sequence[float], values):
        numerator, denominator = value.as_integer_ratio()
        total += numerator * (_TINIEST // denominator)
    return total


def _of_64_bits(total: int) -> int | None:
    return total if _LEAST <= total <= _GREATEST else None


def _parts_of_mean(values: Sequence[Value]) -> tuple[int, int] | None:
    """Return the sum of some numbers and the number by which it is divided: theirs, times the parts of a Float."""
    return (_total(values), len(values) * (1 if isinstance(values[0], int) else _TINIEST)) if values else None


def _divided(numerator: int, denominator: int) -> float | None:
    """Return the nearest Float to a quotient of integers; none beyond the greatest."""
    try:
        return numerator / denominator
    except OverflowError:
        return None


def _unsigned(value: Value) -> Value:
    """Return 0.0 for both zeros."""
    return 0.0 if isinstance(value, float) and value == 0 else value


_CHOICES: Mapping[str, Callable[..., Any]] = {"first": min, "last": max}
_Calculation = tuple[
    Callable[[Sequence[Value]], State | None], Callable[[State, State], State], Callable[[State], Value | None]
]
_CALCULATIONS: Mapping[str, _Calculation] = {
    "count": (len, add, lambda number: cast(int, number)),
    "sum": (_total, add, lambda total: _divided(total, _TINIEST)),
    "avg": (
        _parts_of_mean,
        lambda left, right: (left[0] + right[0], left[1] + right[1]),
        lambda parts: _divided(*parts),
    ),
    "min": (lambda values: min(cast(Sequence[int], values), default=None), min, _unsigned),
    "max": (lambda values: max(cast(Sequence[int], values), default=None), max, _unsigned),
}


# --- Conditions that stay true ---------------------------------------------------------------------------------------


def is_upward(rule: core.Rule, variable: str) -> bool:
    """Return whether more events in a set can only make the conditions of `having` on it true (specification: moments).

    Then a match need not wait for the set to be complete. Conditions that mention other sets too have to wait.
    """
    emitted = [emission.at for emission in rule.emissions]
    values = [target.value for emission in rule.emissions for target in emission.assignments]
    if any(variable in core.variables_of(expression) for expression in (*emitted, *values)):
        return False
    conditions = [condition for condition in rule.having if variable in core.variables_of(condition)]
    return all(sets_of(rule, condition) == {variable} and _grows(condition) for condition in conditions)


def sets_of(rule: core.Rule, condition: core.Expression) -> set[str]:
    """Return the sets that a condition mentions."""
    return {pattern.variable for pattern in rule.collected} & core.variables_of(condition)


_UPWARD = {("count", ">"), ("count", ">="), ("max", ">"), ("max", ">="), ("min", "<"), ("min", "<=")}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def _grows(condition: core.Expression) -> bool:
    match condition:
        case core.Compound(operands=operands):
            return all(map(_grows, operands))
        case core.Aggregate(function="exists"):
            return True
        case core.Comparison(operator=operator, left=left, right=right):
            mentioned = [any(isinstance(p, core.Aggregate) for p in core.EXPRESSIONS.within(s)) for s in (left, right)]
            if mentioned == [True, False]:
                return _pair(left, operator)
            if mentioned == [False, True]:
                return _pair(right, _TURNED.get(operator, operator))
            return mentioned == [False, False]
        case _:
            return not any(isinstance(part, core.Aggregate) for part in core.EXPRESSIONS.within(condition))


def _pair(side: core.Expression, operator: str) -> bool:
    if isinstance(side, core.ToFloat):
        side = side.operand
    return isinstance(side, core.Aggregate) and (side.function, operator) in _UPWARD
