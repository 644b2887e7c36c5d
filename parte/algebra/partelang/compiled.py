"""Expressions and conditions compiled to closures, for evaluators that evaluate them millions of times.

The closures give the same values as `parte.algebra.partelang.expressions` and `parte.algebra.partelang.evaluate.holds`;
the tests compare the two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from parte.algebra.partelang import clocks
from parte.algebra.partelang.aggregates import aggregate_of
from parte.algebra.partelang.expressions import TIMESTAMP_FUNCTIONS, Valuation
from parte.algebra.partelang.patterns import All, Condition, Within
from parte.algebra.partelang.values import (
    ARITHMETIC,
    COMPARISON,
    NEGATION,
    NO_VALUE,
    Operation,
    connected,
    function,
    integer,
)
from parte.semantics.events.domain import Predicates
from parte.semantics.events.event import Value
from parte.semantics.partelang.syntax import core

Closure = Callable[[Valuation], Value | None]
"""A compiled expression: its value under a valuation, or `NO_VALUE`."""

Test = Callable[[Valuation], bool]
"""A compiled condition: returns True if the condition holds."""


def compile_expression(expression: core.Expression | core.TimestampExpression, domain: Predicates) -> Closure:
    """Return the closure of an expression. Predicates and functions are looked up once, now."""
    match expression:
        case core.Constant(value=value):
            return lambda _: value
        case core.AttributeOf(variable=variable, attribute=attribute):
            if expression.optional:
                return lambda valuation: valuation[variable].attributes.get(attribute)
            return lambda valuation: valuation[variable].attributes[attribute]
        case core.TimestampOf(variable=variable):
            return lambda valuation: valuation[variable].timestamp
        case core.Aggregate():
            return lambda valuation: aggregate_of(expression, valuation)
        case core.TimeConstant(milliseconds=milliseconds):
            return lambda _: milliseconds
        case core.ClockReading(function=name, variable=variable, zone=zone):
            return lambda valuation: clocks.reading(name, valuation[variable].timestamp, zone)
        case core.ToFloat(operand=operand):
            return _unary(float, compile_expression(operand, domain))
        case core.Negation(operand=operand, type=of):
            return _unary(NEGATION[of], compile_expression(operand, domain))
        case core.Arithmetic(operator=operator, left=left, right=right, type=of):
            return _binary(
                ARITHMETIC[operator, of], compile_expression(left, domain), compile_expression(right, domain)
            )
        case core.Comparison(operator=operator, left=left, right=right):
            return _binary(COMPARISON[operator], compile_expression(left, domain), compile_expression(right, domain))
        case core.Compound(connective=connective, operands=joined):
            closures = [compile_expression(operand, domain) for operand in joined]
            return lambda valuation: connected(connective, (closure(valuation) for closure in closures))
        case core.Not(operand=operand):
            return _unary(lambda truth: not truth, compile_expression(operand, domain))
        case core.Presence(operand=operand, present=present):
            evaluate = compile_expression(operand, domain)
            return lambda valuation: (evaluate(valuation) is not NO_VALUE) is present
        case core.PredicateCall(predicate=predicate, arguments=arguments):
            member = domain[predicate]
            operands = [compile_expression(argument, domain) for argument in arguments]
            if len(operands) == 2:
                return _binary(lambda left, right: bool(member(left, right)), *operands)
            return _strict(lambda *values: bool(member(*values)), operands)
        case core.FunctionCall(function=name, arguments=arguments, type=of):
            return _strict(function(name, of), [compile_expression(argument, domain) for argument in arguments])
        case core.PatternTest(function=name, operand=operand, pattern=pattern):
            matches = function(name, core.Scalar.BOOLEAN)
            return _unary(lambda text: matches(text, pattern), compile_expression(operand, domain))
        case core.ListExpression(items=items):
            return _strict(lambda *values: values, [compile_expression(item, domain) for item in items])
        case core.Shift(operand=moved, milliseconds=milliseconds):
            return _unary(lambda timestamp: integer(timestamp + milliseconds), compile_expression(moved, domain))
        case core.Combination(function=name, operands=stamps):
            return _strict(TIMESTAMP_FUNCTIONS[name], [compile_expression(stamp, domain) for stamp in stamps])


def compile_condition(condition: Condition, domain: Predicates) -> Test:
    """Return the test of a condition."""
    match condition:
        case All(conditions):
            return conjunction([compile_condition(part, domain) for part in conditions])
        case Within(subject, reference, lower, upper):
            return lambda valuation: lower <= valuation[subject].timestamp - valuation[reference].timestamp <= upper
        case _:
            closure = compile_expression(condition, domain)
            return lambda valuation: closure(valuation) is True


def conjunction(tests: Sequence[Test]) -> Test:
    """Return the test that all of the tests pass, in order."""
    match tests:
        case []:
            return lambda _: True
        case [test]:
            return test
        case [first, second]:
            return lambda valuation: first(valuation) and second(valuation)
        case _:
            # A loop, because `all` over a generator costs more than most tests.
            def every(valuation: Valuation) -> bool:
                for test in tests:  # noqa: SIM110 - see above
                    if not test(valuation):
                        return False
                return True

            return every


def _unary(operation: Operation, operand: Closure) -> Closure:
    def apply(valuation: Valuation) -> Value | None:
        value = operand(valuation)
        return NO_VALUE if value is NO_VALUE else operation(value)

    return apply


def _binary(operation: Operation, left: Closure, right: Closure) -> Closure:
    def apply(valuation: Valuation) -> Value | None:
        first = left(valuation)
        if first is NO_VALUE:
            return NO_VALUE
        second = right(valuation)
        return NO_VALUE if second is NO_VALUE else operation(first, second)

    return apply


def _strict(operation: Operation, operands: Sequence[Closure]) -> Closure:
    def apply(valuation: Valuation) -> Value | None:
        values = []
        for operand in operands:
            value = operand(valuation)
            if value is NO_VALUE:
                return NO_VALUE
            values.append(value)
        return operation(*values)

    return apply
