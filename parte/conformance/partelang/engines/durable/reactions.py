"""The emissions of a rule, computed in Python from the facts of a match, as actions of durable_rules do.

Operators have their meaning in Python, without adjustment: integers of any size, floats that reach infinity, and a
division by zero that is an exception.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from parte.conformance.engines.foreign import Inexpressible
from parte.conformance.partelang.engines.durable.conditions import (
    COMPONENT,
    IDENTITY,
    TEMPLATE,
    TIMESTAMP,
    key,
)
from parte.conformance.partelang.engines.operators import OPERATORS
from parte.semantics.events.match import shortened
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.implementations import Implementations, untranslated

Facts = Mapping[str, Mapping[str, Any]]
"""The fact of each variable."""


def _inexpressible(function: str) -> Inexpressible:
    return Inexpressible(untranslated(function, "reactions of durable_rules", "the rules do not call"))


FUNCTIONS: Implementations[Callable[[list[Any]], Any]] = Implementations(
    {
        "min": min,
        "max": max,
        "avg": lambda values: sum(values) / len(values),
        "sum": sum,
        "abs": lambda values: abs(values[0]),
    },
    _inexpressible,
)
TIMESTAMP_FUNCTIONS: Implementations[Callable[[list[int]], int]] = Implementations(
    {"min": min, "max": max, "avg": lambda timestamps: sum(timestamps) // len(timestamps)},
    _inexpressible,
    of_timestamps=True,
)
"""The built-in functions, and those by which `at` combines timestamps."""


def emitted(rule: core.Rule, position: int, facts: Facts) -> dict[str, Any]:
    """Return the fact of an emission of a rule. Exceptions of Python's operators are not caught."""
    emission = rule.emissions[position - 1]
    number = f"#{position}" if len(rule.emissions) > 1 else ""
    parts = ",".join(f"{pattern.variable}={facts[pattern.variable][COMPONENT]}" for pattern in rule.positive)
    identity = shortened(f"{rule.name}{number}({parts})")
    own = {TEMPLATE: emission.template, IDENTITY: identity, COMPONENT: identity}
    attributes = {key(assignment.attribute): _value(assignment.value, facts) for assignment in emission.assignments}
    return {**own, TIMESTAMP: _value(emission.at, facts), **attributes}


def check(rule: core.Rule) -> None:
    """Raise Inexpressible if an emission of the rule uses a predicate of the domain or an unknown function."""
    for emission in rule.emissions:
        for at in core.TIMESTAMP_EXPRESSIONS.within(emission.at):
            if isinstance(at, core.Combination):
                TIMESTAMP_FUNCTIONS[at.function]
        for assignment in emission.assignments:
            for part in core.EXPRESSIONS.within(assignment.value):
                if isinstance(part, core.PredicateCall):
                    raise Inexpressible("a domain table that is asked for a value to be emitted")
                if isinstance(part, core.FunctionCall):
                    FUNCTIONS[part.function]


def _value(expression: core.Expression | core.TimestampExpression, facts: Facts) -> Any:
    match expression:
        case core.Constant(value=value):
            return value
        case core.AttributeOf(variable=variable, attribute=attribute):
            return facts[variable][key(attribute)]
        case core.TimestampOf(variable=variable):
            return facts[variable][TIMESTAMP]
        case core.ToFloat(operand=operand):
            return float(_value(operand, facts))
        case core.Negation(operand=operand):
            return -_value(operand, facts)
        case core.Arithmetic(operator=name, left=left, right=right):
            return OPERATORS[name](_value(left, facts), _value(right, facts))
        case core.Comparison(operator=name, left=left, right=right):
            return OPERATORS[name](_value(left, facts), _value(right, facts))
        case core.FunctionCall(function=name, arguments=arguments):
            return FUNCTIONS[name]([_value(argument, facts) for argument in arguments])
        case core.ListExpression(items=items):
            return [_value(item, facts) for item in items]
        case core.Shift(operand=moved, milliseconds=milliseconds):
            return _value(moved, facts) + milliseconds
        case core.Combination(function=name, operands=operands):
            return TIMESTAMP_FUNCTIONS[name]([_value(operand, facts) for operand in operands])
    raise AssertionError(expression)  # check has rejected predicates
