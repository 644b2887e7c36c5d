"""The value of an expression under a valuation (specification: no-value-strict), as a plain interpreter.

An operator, a function, a predicate or a list has no value as soon as one of its operands has none, nor has an optional
attribute that the event lacks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from parte.algebra.partelang import clocks
from parte.algebra.partelang.aggregates import aggregate_of
from parte.algebra.partelang.values import (
    ARITHMETIC,
    COMPARISON,
    NEGATION,
    NO_VALUE,
    Operation,
    connected,
    function,
    integer,
    lacking,
)
from parte.semantics.events.domain import Predicates
from parte.semantics.events.event import Event, Value
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.implementations import Implementations

Valuation = Mapping[str, Event]
"""The event that each variable is bound to; the variable of a set is bound to its events (`aggregates`)."""


def value_of(
    expression: core.Expression | core.TimestampExpression, valuation: Valuation, domain: Predicates
) -> Value | None:
    """Return the value of an expression, or `NO_VALUE`."""

    def strictly(operation: Operation, *operands: core.Expression | core.TimestampExpression) -> Value | None:
        values = [value_of(operand, valuation, domain) for operand in operands]
        return NO_VALUE if any(value is NO_VALUE for value in values) else operation(*values)

    match expression:
        case core.Constant(value=value):
            return value
        case core.AttributeOf(variable=variable, attribute=attribute):
            return valuation[variable].attributes.get(attribute, NO_VALUE)
        case core.TimestampOf(variable=variable):
            return valuation[variable].timestamp
        case core.Aggregate():
            return aggregate_of(expression, valuation)
        case core.TimeConstant(milliseconds=milliseconds):
            return milliseconds
        case core.ClockReading(function=name, variable=variable, zone=zone):
            return clocks.reading(name, valuation[variable].timestamp, zone)
        case core.ToFloat(operand=operand):
            return strictly(float, operand)  # Python rounds to nearest, ties to even
        case core.Negation(operand=operand, type=of):
            return strictly(NEGATION[of], operand)
        case core.Arithmetic(operator=operator, left=left, right=right, type=of):
            return strictly(ARITHMETIC[operator, of], left, right)
        case core.Comparison(operator=operator, left=left, right=right):
            return strictly(COMPARISON[operator], left, right)
        case core.Compound(connective=connective, operands=operands):
            return connected(connective, [value_of(operand, valuation, domain) for operand in operands])
        case core.Not(operand=operand):
            return strictly(lambda truth: not truth, operand)
        case core.Presence(operand=operand, present=present):
            return (value_of(operand, valuation, domain) is not NO_VALUE) is present
        case core.PredicateCall(predicate=predicate, arguments=arguments):
            return strictly(lambda *values: bool(domain[predicate](*values)), *arguments)
        case core.FunctionCall(function=name, arguments=arguments, type=of):
            return strictly(function(name, of), *arguments)
        case core.PatternTest(function=name, operand=operand, pattern=pattern):
            return strictly(lambda text: function(name, core.Scalar.BOOLEAN)(text, pattern), operand)
        case core.ListExpression(items=items):
            return strictly(lambda *values: values, *items)
        case core.Shift(operand=moved, milliseconds=milliseconds):
            return strictly(lambda timestamp: integer(timestamp + milliseconds), moved)
        case core.Combination(function=name, operands=operands):
            return strictly(TIMESTAMP_FUNCTIONS[name], *operands)


def mean_timestamp(*timestamps: int) -> int:
    """Return the exact mean in ms, rounded towards minus infinity; it never leaves the range of its arguments."""
    return sum(timestamps) // len(timestamps)


TIMESTAMP_FUNCTIONS: Implementations[Callable[..., int]] = Implementations(
    {
        "min": lambda *timestamps: min(timestamps),
        "max": lambda *timestamps: max(timestamps),
        "avg": mean_timestamp,
    },
    lacking,
    of_timestamps=True,
)
"""The functions that combine timestamps in `at`."""
