"""Expressions of the machine, compiled once to closures over a partial match (SPEC §2).

Independent of the evaluator in `algebra`: the agreement of the two is evidence. An expression without a value raises
`NoValue` inside; a condition then does not hold, and an emission emits nothing.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import cast

from semantics import kernel
from semantics.events.event import Event, Value
from semantics.syntax import core
from semantics.syntax.functions import lookup

Predicates = Mapping[str, Callable[..., bool]]
Events = Sequence[Event]
Evaluate = Callable[[Events], Value]
Condition = Callable[[Events], bool]
Number = int | float

LEAST_INTEGER, GREATEST_INTEGER = -(2**63), 2**63 - 1


class NoValue(Exception):
    """Overflow, division by zero, or a result beyond the finite floats."""


def compile_conditions(
    conditions: Sequence[core.Expression], positions: Mapping[str, int], predicates: Predicates
) -> Condition:
    """All conditions together, over events in the order that `positions` tells."""
    compiled = tuple(compile_expression(condition, positions, predicates) for condition in conditions)
    if not compiled:
        return lambda events: True

    def holds(events: Events) -> bool:
        try:
            for condition in compiled:
                if not condition(events):
                    return False
        except NoValue:
            return False
        return True

    return holds


def compile_expression(expression: core.Expression, positions: Mapping[str, int], predicates: Predicates) -> Evaluate:
    """A closure that gives the value of an expression, or raises `NoValue`."""

    def recur(part: core.Expression) -> Evaluate:
        return compile_expression(part, positions, predicates)

    match expression:
        case core.Constant(value=value):
            return lambda events: value
        case core.AttributeOf(variable=variable, attribute=attribute):
            return _attribute(positions[variable], attribute)
        case core.TimestampOf(variable=variable):
            position = positions[variable]
            return lambda events: events[position].timestamp
        case core.ToFloat(operand=operand):
            convert = recur(operand)
            return lambda events: float(cast(int, convert(events)))
        case core.Negation(operand=operand):
            negated = recur(operand)
            return lambda events: _number(-cast(Number, negated(events)))
        case core.Arithmetic(operator=sign, left=left, right=right):
            return _arithmetic(sign, recur(left), recur(right))
        case core.Comparison(operator=sign, left=left, right=right):
            return _comparison(COMPARISONS[sign], recur(left), recur(right))
        case core.PredicateCall(predicate=predicate, arguments=arguments):
            return _call(predicates[predicate], tuple(map(recur, arguments)))
        case core.FunctionCall(function=function, arguments=arguments):
            return _function(function, expression.type, tuple(map(recur, arguments)))
        case core.ListExpression(items=items):
            elements = tuple(map(recur, items))
            return lambda events: tuple(cast("int | float | str | bool", element(events)) for element in elements)


def _attribute(position: int, attribute: str) -> Evaluate:
    return lambda events: events[position].attributes[attribute]


def _number(value: Number) -> Number:
    if isinstance(value, int):
        if LEAST_INTEGER <= value <= GREATEST_INTEGER:
            return value
    elif isfinite(value):
        return value
    raise NoValue


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

COMPARISONS: dict[str, Callable[[Value, Value], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": cast(Callable[[Value, Value], bool], operator.lt),
    "<=": cast(Callable[[Value, Value], bool], operator.le),
    ">": cast(Callable[[Value, Value], bool], operator.gt),
    ">=": cast(Callable[[Value, Value], bool], operator.ge),
}


def _arithmetic(sign: str, left: Evaluate, right: Evaluate) -> Evaluate:
    apply = ARITHMETIC[sign]
    return lambda events: _number(apply(cast(Number, left(events)), cast(Number, right(events))))


def _comparison(compare: Callable[[Value, Value], bool], left: Evaluate, right: Evaluate) -> Evaluate:
    return lambda events: compare(left(events), right(events))


def _call(predicate: Callable[..., bool], arguments: Sequence[Evaluate]) -> Evaluate:
    if len(arguments) == 2:
        first, second = arguments
        return lambda events: predicate(first(events), second(events))
    return lambda events: predicate(*[argument(events) for argument in arguments])


# --- Functions (SPEC §2) ------------------------------------------------------------------------------------------------


def _sum(*values: Number) -> Number:
    total = values[0]
    for value in values[1:]:
        total = _number(total + value)
    return total


def _average(*values: Number) -> Number:
    return _sum(*values) / len(values)


FUNCTIONS: dict[str, Callable[..., Number]] = {"min": min, "max": max, "sum": _sum, "avg": _average, "abs": abs}


def _function(name: str, type_: core.Scalar, arguments: Sequence[Evaluate]) -> Evaluate:
    built_in = FUNCTIONS.get(name)
    if built_in is not None:
        return lambda events: _number(built_in(*[argument(events) for argument in arguments]))
    function = lookup(name)
    if function is None or function.implementation is None:
        raise ValueError(f"function {name} is not registered")
    registered = function.implementation
    python_type = int if type_ is core.Scalar.INTEGER else float

    def evaluate(events: Events) -> Value:
        value = registered(*[argument(events) for argument in arguments])
        if type(value) is not python_type:
            raise NoValue
        return _number(value)

    return evaluate


# --- Timestamp expressions: one evaluator for timestamps and for bounds (D §5.4.6, g-e and g-l) ------------------------

Times = Sequence[int]


def compile_timestamp(expression: core.TimestampExpression, positions: Mapping[str, int]) -> Callable[[Times], int]:
    """A closure from the timestamps of a partial match, or from its bounds, to the timestamp of an emission."""
    match expression:
        case core.TimestampOf(variable=variable):
            position = positions[variable]
            return lambda times: times[position]
        case core.Shift(operand=operand, milliseconds=milliseconds):
            moved = compile_timestamp(operand, positions)
            return lambda times: kernel.shifted(moved(times), milliseconds)
        case core.Combination(function=function, operands=operands):
            combine = COMBINATIONS[function]
            parts = tuple(compile_timestamp(operand, positions) for operand in operands)
            return lambda times: combine([part(times) for part in parts])


COMBINATIONS: dict[str, Callable[[Sequence[int]], int]] = {
    "min": kernel.earliest,
    "max": kernel.latest,
    "avg": kernel.average,
}
