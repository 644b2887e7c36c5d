"""Expressions of the machine, compiled once to closures over a partial match (specification: no-value-strict).

This code is independent of the evaluator in `algebra`: the agreement of the two is evidence. An expression without a
value raises `NoValue` inside; a condition then fails, and an emission emits nothing.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import repeat
from math import inf, isfinite
from string import ascii_lowercase, ascii_uppercase
from typing import TypeGuard, TypeVar, cast

from parte.semantics.events.domain import Predicates
from parte.semantics.events.event import Event, Value
from parte.semantics.matching.addresses import is_in_network
from parte.semantics.matching.threads import is_match
from parte.semantics.matching.wildcards import is_like
from parte.semantics.partelang import kernel
from parte.semantics.partelang.calendar import clock_reading
from parte.semantics.partelang.summaries import instant_of, place_of
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.functions import LONGEST_STRING, lookup
from parte.semantics.partelang.syntax.implementations import Implementations, MissingFunction
from parte.semantics.partelang.tokens import PartialMatch
from parte.semantics.source.wildcards import segments

Events = Sequence[Event]
Evaluate = Callable[[Events], Value]
Condition = Callable[[Events], bool]
Number = int | float
Result = TypeVar("Result")
Given = TypeVar("Given")

LEAST_INTEGER, GREATEST_INTEGER = -(2**63), 2**63 - 1


class NoValue(Exception):
    """Overflow, division by zero, a result beyond the finite floats, or an optional attribute that an event lacks."""


def compile_conditions(
    conditions: Sequence[core.Expression], positions: Mapping[str, int], predicates: Predicates
) -> Condition:
    """Return the conjunction of all conditions, over events in the order of `positions`."""
    return conjunction([compile_expression(condition, positions, predicates) for condition in conditions])


def conjunction(conditions: Sequence[Evaluate]) -> Condition:
    """Return the conjunction of compiled conditions; one without a value fails."""
    compiled = tuple(conditions)
    if not compiled:
        return always
    if len(compiled) == 1:
        return _alone(cast(Condition, compiled[0]))

    def holds(events: Events) -> bool:
        try:
            for condition in compiled:
                if not condition(events):
                    return False
        except NoValue:
            return False
        return True

    return holds


def always(_: Events) -> bool:
    """Return True: the conjunction of no conditions."""
    return True


def _alone(condition: Condition) -> Condition:
    def holds(events: Events) -> bool:
        try:
            return condition(events)
        except NoValue:
            return False

    return holds


def remembering(condition: Condition) -> Condition:
    """Return the same condition over one event, with the result for the last event cached."""
    last: tuple[Event | None, bool] = (None, False)

    def remembered(events: Events) -> bool:
        nonlocal last
        (event,) = events
        known, holds = last  # one value: threads that share a network must not mix two
        if known is not event:
            holds = condition(events)
            last = (event, holds)
        return holds

    return remembered


def later(make: Callable[[], Callable[[Given], Result]]) -> Callable[[Given], Result]:
    """Return the function that `make` returns, which is called when the function is called for the first time.

    Most of many rules have no match in a run, and a run does not compile their emissions.
    """
    function: Callable[[Given], Result] | None = None

    def made_later(argument: Given) -> Result:
        nonlocal function
        if function is None:
            function = make()
        return function(argument)

    return made_later


def once(function: Callable[[PartialMatch], Result]) -> Callable[[PartialMatch], Result]:
    """Return the same function with the last result cached: several nodes call it with the same partial match."""
    last: tuple[PartialMatch, Result] | None = None

    def remembered(events: PartialMatch) -> Result:
        nonlocal last
        known = last  # as above
        if known is None or known[0] is not events:
            last = known = events, function(events)
        return known[1]

    return remembered


def compile_expression(expression: core.Expression, positions: Mapping[str, int], predicates: Predicates) -> Evaluate:
    """Return a closure that returns the value of an expression, or raises `NoValue`."""

    def recur(part: core.Expression) -> Evaluate:
        return compile_expression(part, positions, predicates)

    match expression:
        case core.Constant(value=value):
            return lambda _: value
        case core.AttributeOf(variable=variable, attribute=attribute):
            return (_optional if expression.optional else _attribute)(positions[variable], attribute)
        case core.TimestampOf(variable=variable):
            position = positions[variable]
            return lambda events: events[position].timestamp
        case core.Aggregate():
            return _optional(positions[expression.variable], place_of(expression))
        case core.TimeConstant(milliseconds=milliseconds):
            return lambda _: milliseconds
        case core.ClockReading(function=function, variable=variable, zone=zone):
            return _clock(function, positions[variable], zone)
        case core.ToFloat(operand=operand):
            return _to_float(_numeric(recur(operand)))
        case core.Negation(operand=operand):
            return _negation(_numeric(recur(operand)))
        case core.Arithmetic(operator=sign, left=left, right=right):
            apply = ARITHMETIC[sign]
            checked = _checked_float if expression.type is core.Scalar.FLOAT else _checked_integer
            pair = _attributes(left, right, positions)
            if pair is not None:
                return checked(_on_attributes(apply, *pair))
            return checked(_on_values(apply, _numeric(recur(left)), _numeric(recur(right))))
        case core.Comparison(operator=sign, left=left, right=right):
            pair = _attributes(left, right, positions)
            if pair is not None:
                return _on_attributes(COMPARISONS[sign], *pair)
            if _is_plain(left) and isinstance(right, core.Constant):
                return _on_attribute(COMPARISONS[sign], (positions[left.variable], left.attribute), right.value)
            return _on_values(COMPARISONS[sign], recur(left), recur(right))
        case core.Compound(connective="and", operands=operands):
            return _joined([recur(operand) for operand in operands], False)
        case core.Compound(operands=operands):
            return _joined([recur(operand) for operand in operands], True)
        case core.Not(operand=operand):
            return _opposite(recur(operand))
        case core.Presence(operand=operand, present=present):
            return _presence(recur(operand), present)
        case core.PredicateCall(predicate=predicate, arguments=(first, second)):
            pair = _attributes(first, second, positions)
            if pair is not None:
                return _on_attributes(predicates[predicate], *pair)
            return _on_values(predicates[predicate], recur(first), recur(second))
        case core.PredicateCall(predicate=predicate, arguments=arguments):
            return _call(predicates[predicate], tuple(map(recur, arguments)))
        case core.FunctionCall(function=function, arguments=arguments):
            return _function(function, expression.type, tuple(map(recur, arguments)))
        case core.PatternTest(function=function, operand=operand, pattern=pattern):
            return _tested(FUNCTIONS[function], recur(operand), pattern)
        case core.ListExpression(items=items):
            return _list(tuple(map(recur, items)))


def compile_assigned(
    assignment: core.Assignment, positions: Mapping[str, int], predicates: Predicates
) -> Callable[[Events], Value | None]:
    """Return a closure that returns the value of an attribute that is emitted, or raises `NoValue`.

    If the attribute is optional it returns None instead.
    """
    evaluate = compile_expression(assignment.value, positions, predicates)
    if not assignment.optional:
        return evaluate

    def optional(events: Events) -> Value | None:
        try:
            return evaluate(events)
        except NoValue:
            return None

    return optional


def _joined(operands: Sequence[Evaluate], decisive: bool) -> Evaluate:
    """Return `and` or `or`: the decisive truth if an operand has it; else no value if an operand has none."""

    def joined(events: Events) -> bool:
        valued = True
        for operand in operands:
            try:
                if operand(events) is decisive:
                    return decisive
            except NoValue:
                valued = False
        if valued:
            return not decisive
        raise NoValue

    return joined


def _tested(test: Callable[..., Value | None], operand: Evaluate, pattern: str) -> Evaluate:
    def tested(events: Events) -> Value:
        truth = test(operand(events), pattern)
        if truth is None:
            raise NoValue
        return truth

    return tested


def _clock(function: str, position: int, zone: str) -> Evaluate:
    def reading(events: Events) -> int | str:
        reading = clock_reading(function, events[position].timestamp, zone)
        if reading is None:
            raise NoValue
        return reading

    return reading


def _opposite(operand: Evaluate) -> Evaluate:
    return lambda events: not operand(events)


def _presence(operand: Evaluate, present: bool) -> Evaluate:
    def agrees(events: Events) -> bool:
        try:
            operand(events)
        except NoValue:
            return not present
        return present

    return agrees


def _attribute(position: int, attribute: str) -> Evaluate:
    return lambda events: events[position].attributes[attribute]


def _optional(position: int, attribute: str) -> Evaluate:
    def optional(events: Events) -> Value:
        value = events[position].attributes.get(attribute)
        if value is None:
            raise NoValue
        return value

    return optional


def _is_plain(expression: core.Expression) -> TypeGuard[core.AttributeOf]:
    """Return whether an expression is an attribute that every event of the template has."""
    return isinstance(expression, core.AttributeOf) and not expression.optional


Place = tuple[int, str]
"""The position of an event and the name of one of its attributes."""


def _attributes(
    left: core.Expression, right: core.Expression, positions: Mapping[str, int]
) -> tuple[Place, Place] | None:
    """Return the places of two operands if both are plain attributes: the common case, which has a faster way."""
    if _is_plain(left) and _is_plain(right):
        return (positions[left.variable], left.attribute), (positions[right.variable], right.attribute)
    return None


def _on_attributes(apply: Callable[..., Result], left: Place, right: Place) -> Callable[[Events], Result]:
    (i, first), (j, second) = left, right
    return lambda events: apply(events[i].attributes[first], events[j].attributes[second])


def _on_attribute(apply: Callable[..., Result], place: Place, value: Value) -> Callable[[Events], Result]:
    position, attribute = place
    return lambda events: apply(events[position].attributes[attribute], value)


def _on_values(
    apply: Callable[..., Result], left: Callable[[Events], object], right: Callable[[Events], object]
) -> Callable[[Events], Result]:
    return lambda events: apply(left(events), right(events))


# --- Arithmetic (specification: arithmetic, no-value-integers, no-value-floats) --------------------------------------


def _numeric(evaluate: Evaluate) -> Callable[[Events], Number]:
    """Return an operand that the type checker of PARTElang has typed as a number."""
    return cast(Callable[[Events], Number], evaluate)


def _integer(value: int) -> int:
    if LEAST_INTEGER <= value <= GREATEST_INTEGER:
        return value
    raise NoValue


def _number(value: Number) -> Number:
    if isinstance(value, int):
        return _integer(value)
    if isfinite(value):
        return value
    raise NoValue


def _checked_integer(evaluate: Callable[[Events], Number]) -> Evaluate:
    def checked(events: Events) -> Number:
        value = evaluate(events)
        if LEAST_INTEGER <= value <= GREATEST_INTEGER:
            return value
        raise NoValue

    return checked


def _checked_float(evaluate: Callable[[Events], Number]) -> Evaluate:
    def checked(events: Events) -> Number:
        value = evaluate(events)
        if -inf < value < inf:
            return value
        raise NoValue

    return checked


def _divide(left: Number, right: Number) -> Number:
    if right == 0:
        raise NoValue
    return left / right


ARITHMETIC: dict[str, Callable[[Number, Number], Number]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _divide,
}

COMPARISONS: dict[str, Callable[..., bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def _to_float(evaluate: Callable[[Events], Number]) -> Evaluate:
    return lambda events: float(evaluate(events))


def _negation(evaluate: Callable[[Events], Number]) -> Evaluate:
    return lambda events: _number(-evaluate(events))


def _call(predicate: Callable[..., bool], arguments: Sequence[Evaluate]) -> Evaluate:
    return lambda events: predicate(*[argument(events) for argument in arguments])


def _list(items: Sequence[Evaluate]) -> Evaluate:
    elements = cast("Sequence[Callable[[Events], int | float | str | bool]]", items)
    return lambda events: tuple([element(events) for element in elements])


# --- Functions (specification: function-arguments) ------------------------------------------------------------------


def _sum(*values: Number) -> Number:
    total = values[0]
    for value in values[1:]:
        total = _number(total + value)
    return total


def _average(*values: Number) -> Number:
    return _sum(*values) / len(values)


_lacking = partial(MissingFunction, "the machine")


# min and max of Python treat a single argument as the collection of their arguments.
def _concatenated(*texts: str) -> str:
    whole = "".join(texts)
    if len(whole) > LONGEST_STRING:
        raise NoValue
    return whole


_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
_UPPER = str.maketrans(ascii_lowercase, ascii_uppercase)


def _like(text: str, pattern: str) -> bool:
    return is_like(text, segments(pattern))


FUNCTIONS: Implementations[Callable[..., Value | None]] = Implementations(
    {
        "min": lambda *values: min(values),
        "max": lambda *values: max(values),
        "sum": _sum,
        "avg": _average,
        "abs": abs,
        "starts_with": str.startswith,
        "ends_with": str.endswith,
        "contains": str.__contains__,
        "length": len,
        "concat": _concatenated,
        "lower": lambda text: text.translate(_LOWER),
        "upper": lambda text: text.translate(_UPPER),
        "like": _like,
        "matches": is_match,
        "in_network": is_in_network,
    },
    _lacking,
)


def _function(name: str, type_: core.Scalar, arguments: Sequence[Evaluate]) -> Evaluate:
    function = lookup(name)
    if function is None or function.implementation is None:
        built_in = cast(Callable[..., Value], FUNCTIONS[name])
        if type_ in (core.Scalar.STRING, core.Scalar.BOOLEAN):
            return lambda events: built_in(*[argument(events) for argument in arguments])
        calculate = cast(Callable[..., Number], FUNCTIONS[name])
        return lambda events: _number(calculate(*[argument(events) for argument in arguments]))
    registered = function.implementation
    python_type = int if type_ is core.Scalar.INTEGER else float

    def evaluate(events: Events) -> Value:
        value = registered(*[argument(events) for argument in arguments])
        if type(value) is not python_type:
            raise NoValue
        return _number(value)

    return evaluate


# --- Timestamp expressions: timestamps give a timestamp, bounds give a bound (D §5.4.6, g-e and g-l) ----------------

Times = Sequence[int]


def compile_timestamp(
    expression: core.TimestampExpression, positions: Mapping[str, int], *, of_events: bool
) -> Callable[[Times], int]:
    """Return a closure from a partial match's timestamps to that of an emission, or from bounds to a bound.

    Of events, the least and the greatest timestamp of a set have positions of their own (`instant_of`); the bound of
    both is that of the summary.

    A timestamp beyond 64 bit has no value (`NoValue`); a bound may be any integer.
    """
    match expression:
        case core.TimestampOf(variable=variable):
            position = positions[variable]
            return lambda times: times[position]
        case core.Aggregate(variable=variable):
            position = positions[instant_of(expression) if of_events else variable]
            return lambda times: times[position]
        case core.Shift(operand=operand, milliseconds=milliseconds):
            return _shift(compile_timestamp(operand, positions, of_events=of_events), milliseconds, of_events)
        case core.Combination(function=function, operands=operands):
            combine = COMBINATIONS[function]
            compiled = partial(compile_timestamp, positions=positions, of_events=of_events)
            parts = tuple(map(compiled, operands))
            return lambda times: combine(tuple(map(operator.call, parts, repeat(times))))


def _shift(moved: Callable[[Times], int], milliseconds: int, checked: bool) -> Callable[[Times], int]:
    if not checked:
        return lambda times: kernel.shifted(moved(times), milliseconds)
    return lambda times: _integer(kernel.shifted(moved(times), milliseconds))


COMBINATIONS: Implementations[Callable[[Sequence[int]], int]] = Implementations(
    {"min": kernel.earliest, "max": kernel.latest, "avg": kernel.average}, _lacking, of_timestamps=True
)
