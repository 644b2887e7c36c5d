"""The emissions of a rule, computed in Python from the facts of a match, as actions of durable_rules do.

Operators have their meaning in Python, without adjustment: integers of any size, floats that reach infinity, and a
division by zero that is an exception. What an event lacks is None, and so is what is computed of it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from parte.conformance.engines.foreign import Inexpressible
from parte.conformance.partelang.engines.adapters import demand_exact_presence
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


def emitted(rule: core.Rule, position: int, facts: Facts) -> dict[str, Any] | None:
    """Return the fact of an emission of a rule; None if a value is missing that is not optional. Exceptions of Python's
    operators are not caught."""
    emission = rule.emissions[position - 1]
    number = f"#{position}" if len(rule.emissions) > 1 else ""
    parts = ",".join(f"{pattern.variable}={facts[pattern.variable][COMPONENT]}" for pattern in rule.positive)
    identity = shortened(f"{rule.reported}{number}({parts})")
    own = {TEMPLATE: emission.template, IDENTITY: identity, COMPONENT: identity}
    values = [(assignment, _value(assignment.value, facts)) for assignment in emission.assignments]
    if any(value is None and not assignment.optional for assignment, value in values):
        return None
    attributes = {key(assignment.attribute): value for assignment, value in values if value is not None}
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
                if isinstance(part, core.Presence):
                    demand_exact_presence(part.operand)


def _value(expression: core.Expression | core.TimestampExpression, facts: Facts) -> Any:
    def strict(compute: Callable[..., Any], *parts: core.Expression | core.TimestampExpression) -> Any:
        values = [_value(part, facts) for part in parts]
        return None if None in values else compute(*values)

    match expression:
        case core.Constant(value=value) | core.TimeConstant(milliseconds=value):
            return value
        case core.AttributeOf(variable=variable, attribute=attribute):
            return facts[variable].get(key(attribute))
        case core.TimestampOf(variable=variable):
            return facts[variable][TIMESTAMP]
        case core.ToFloat(operand=operand):
            return strict(float, operand)
        case core.Negation(operand=operand):
            return strict(operator.neg, operand)
        case core.Arithmetic(operator=name, left=left, right=right):
            return strict(OPERATORS[name], left, right)
        case core.Comparison(operator=name, left=left, right=right):
            return strict(OPERATORS[name], left, right)
        case core.Compound(connective=connective, operands=operands):
            truths, decisive = [_value(operand, facts) for operand in operands], connective == "or"
            return decisive if decisive in truths else None if None in truths else not decisive
        case core.Not(operand=operand):
            return strict(operator.not_, operand)
        case core.Presence(operand=operand, present=present):
            return (_value(operand, facts) is not None) is present
        case core.FunctionCall(function=name, arguments=arguments):
            return strict(lambda *values: FUNCTIONS[name](list(values)), *arguments)
        case core.ListExpression(items=items):
            return strict(lambda *values: list(values), *items)
        case core.Shift(operand=moved, milliseconds=milliseconds):
            return _value(moved, facts) + milliseconds
        case core.Combination(function=name, operands=operands):
            return TIMESTAMP_FUNCTIONS[name]([_value(operand, facts) for operand in operands])
    raise AssertionError(expression)  # check has rejected predicates
