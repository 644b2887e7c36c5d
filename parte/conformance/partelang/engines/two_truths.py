"""Conditions for engines with two truths: what may have no value is tested first, and `not` stands before leaves only.

That a condition is true, and that it is false, are two conditions then (specification: connectives), since neither
holds without a value. A leaf is a comparison, a call, or the presence of what an event or a set may lack.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from parte.conformance.partelang.engines.adapters import demand_exact_presence
from parte.semantics.events.types import Scalar
from parte.semantics.partelang.syntax import core

TRUE = core.Constant(True, Scalar.BOOLEAN)


def holding(condition: core.Expression) -> core.Expression:
    """Return the condition that a condition is true. Inexpressible if presence depends on arithmetic."""
    match condition:
        case core.Compound(operands=operands):
            return replace(condition, operands=tuple(map(holding, operands)))
        case core.Not(operand=operand):
            return failing(operand)
        case core.Presence(operand=operand, present=present):
            demand_exact_presence(operand)
            there = all_of(presences(operand))
            return there if present else core.Not(there)
    return all_of([*presences(condition), with_two_truths(condition)])


def failing(condition: core.Expression) -> core.Expression:
    """Return the condition that a condition is false."""
    match condition:
        case core.Compound(connective=connective, operands=operands):
            return core.Compound("or" if connective == "and" else "and", tuple(map(failing, operands)))
        case core.Not(operand=operand):
            return holding(operand)
        case core.Presence():
            return core.Not(holding(condition))
    return all_of([*presences(condition), core.Not(with_two_truths(condition))])


def with_two_truths(value: core.Expression) -> core.Expression:
    """Return an expression whose conditions are true or false, for events on which it has a value."""
    if isinstance(value, core.Compound | core.Not | core.Presence):
        return holding(value)
    return core.EXPRESSIONS.rebuilt(value, list(map(with_two_truths, core.EXPRESSIONS.parts(value))))


def presences(expression: core.Expression) -> Sequence[core.Expression]:
    """Return conditions that together mean that an expression has a value, as far as it is not for arithmetic."""
    match expression:
        case core.Presence():
            return ()
        case core.Compound() | core.Not():
            if not any(map(presences, core.EXPRESSIONS.parts(expression))):
                return ()
            return (core.Compound("or", (holding(expression), failing(expression))),)
    tests = [test for part in core.EXPRESSIONS.parts(expression) for test in presences(part)]
    match expression:
        case core.AttributeOf(optional=True) | core.FunctionCall(function="concat"):
            tests.append(core.Presence(expression, True))
        case core.Aggregate(function=function) if function not in ("exists", "count"):
            tests.append(core.Presence(expression, True))
    return tuple(dict.fromkeys(tests))


def all_of(conditions: Iterable[core.Expression]) -> core.Expression:
    """Return the condition that all conditions are true."""
    several = tuple(conditions)
    return several[0] if len(several) == 1 else core.Compound("and", several) if several else TRUE
