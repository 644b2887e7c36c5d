"""Closed time windows in 64-bit arithmetic that cannot overflow (specification: window-arithmetic).

`reference + l <= subject <= reference + u`, with each side of a comparison over one variable, so that engines can use
it as a condition of the join. The sums saturate. Where a saturated sum is not on the safe side, a condition on the
reference alone says that it was none.
"""

from __future__ import annotations

from sqlglot import exp

from parte.algebra.parte.relational.terms import Operations
from parte.semantics.events.types import Scalar
from parte.semantics.parte.syntax import core

_LEAST, _GREATEST = -(2**63), 2**63 - 1


def moved(timestamp: exp.Expr, distance: int, operations: Operations) -> exp.Expr:
    """A timestamp and a distance in ms; the sum saturates."""
    if distance == 0:
        return timestamp.copy()
    if distance > 0:
        clipped: exp.Expr = exp.Least(this=timestamp.copy(), expressions=[_integer(_GREATEST - distance, operations)])
    else:
        clipped = exp.Greatest(this=timestamp.copy(), expressions=[_integer(_LEAST - distance, operations)])
    clipped.set("ignore_nulls", True)  # no timestamp is NULL, so nothing needs to be said about them
    return exp.Add(this=clipped, expression=_integer(distance, operations))


def within(
    subject: exp.Expr, reference: exp.Expr, constraint: core.Constraint, operations: Operations
) -> list[exp.Expr]:
    """The conditions that a constraint of the `when` clause is, on two timestamps."""
    lower, upper = constraint.lower, constraint.upper
    conditions: list[exp.Expr] = [
        exp.GTE(this=subject.copy(), expression=moved(reference, lower, operations)),
        exp.LTE(this=subject.copy(), expression=moved(reference, upper, operations)),
    ]
    if lower > 0:  # nothing lies that far after a reference near the end of time
        conditions.append(exp.LTE(this=reference.copy(), expression=_integer(_GREATEST - lower, operations)))
    if upper < 0:
        conditions.append(exp.GTE(this=reference.copy(), expression=_integer(_LEAST - upper, operations)))
    return conditions


def _integer(value: int, operations: Operations) -> exp.Expr:
    return operations.constant(value, Scalar.INTEGER).sql
