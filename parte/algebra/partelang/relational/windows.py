"""Closed time windows in 64-bit arithmetic that cannot overflow (specification: window-arithmetic).

`reference + l <= subject <= reference + u`, with each side of a comparison over one variable, so that engines can use
it as a condition of the join. The sums saturate. Where a saturated sum could admit too much, a condition on the
reference alone excludes saturation.

Buckets of time are an equality for windows of variables that no other equality joins.

Engines join on equalities; with a range alone they compare every pair. So time is divided into buckets as wide as the
window. A timestamp in the window is in the bucket of its lower end or in the next: each event stands for two buckets,
its own and the one before, and a join on the bucket finds every pair that can be in the window, and each pair once. The
window itself is still tested.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass, replace

from sqlglot import exp

from parte.algebra.partelang.relational.relations import Templates, column
from parte.algebra.partelang.relational.terms import Operations, grouped
from parte.semantics.events.event import NEGATIVE_INFINITY
from parte.semantics.events.types import Scalar
from parte.semantics.partelang.syntax import core

_BUCKET = "$bucket"
_LEAST, _GREATEST = -(2**63), 2**63 - 1


@dataclass(frozen=True, slots=True)
class Held:
    """A distance in ms that a column contains; all its values are negative, or none is."""

    column: exp.Expr
    negative: bool


Distance = int | Held
"""The distance of an end of a window from the reference, in ms; `NEGATIVE_INFINITY` if there is no such end."""


def moved(timestamp: exp.Expr, distance: Distance, operations: Operations) -> exp.Expr:
    """Return the sum of a timestamp and a distance in ms; it saturates."""
    if distance == 0:
        return timestamp.copy()
    if _negative(distance):
        clipped: exp.Expr = exp.Greatest(this=timestamp.copy(), expressions=[_less(_LEAST, distance, operations)])
    else:
        clipped = exp.Least(this=timestamp.copy(), expressions=[_less(_GREATEST, distance, operations)])
    clipped.set("ignore_nulls", True)  # no timestamp is NULL, so the SQL need not say how NULLs are treated
    return exp.Add(this=clipped, expression=_sql(distance, operations))


def within(
    subject: exp.Expr, reference: exp.Expr, lower: Distance, upper: Distance, operations: Operations
) -> list[exp.Expr]:
    """Return the conditions of a constraint of the `when` clause, on two timestamps."""
    conditions: list[exp.Expr] = [exp.LTE(this=subject.copy(), expression=moved(reference, upper, operations))]
    if lower != NEGATIVE_INFINITY:
        conditions.insert(0, exp.GTE(this=subject.copy(), expression=moved(reference, lower, operations)))
    if lower != 0 and not _negative(lower):  # nothing lies that far after a reference near the end of time
        conditions.append(exp.LTE(this=reference.copy(), expression=_less(_GREATEST, lower, operations)))
    if _negative(upper):
        conditions.append(exp.GTE(this=reference.copy(), expression=_less(_LEAST, upper, operations)))
    return conditions


def _negative(distance: Distance) -> bool:
    return distance.negative if isinstance(distance, Held) else distance < 0


def _sql(distance: Distance, operations: Operations) -> exp.Expr:
    return distance.column.copy() if isinstance(distance, Held) else _integer(distance, operations)


def _less(end: int, distance: Distance, operations: Operations) -> exp.Expr:
    """Return the end of time minus a distance towards it, which fits 64 bit."""
    if isinstance(distance, int):
        return _integer(end - distance, operations)
    return exp.Sub(this=_integer(end, operations), expression=distance.column.copy())


def _integer(value: int, operations: Operations) -> exp.Expr:
    return operations.constant(value, Scalar.INTEGER).sql


def tightest(constraints: Iterable[core.Constraint], variable: str, others: Set[str]) -> core.Constraint | None:
    """Return the narrowest window of a variable around one of the others, written with the variable as its subject."""
    windows = []
    for constraint in constraints:
        if constraint.subject == variable and constraint.reference in others:
            windows.append(constraint)
        elif constraint.reference == variable and constraint.subject in others:
            lower, upper = -constraint.upper, -constraint.begins
            turned = replace(constraint, subject=variable, reference=constraint.subject, lower=lower, upper=upper)
            windows.append(turned)
    return min(windows, key=lambda window: window.upper - window.begins, default=None)


def sliceable(window: core.Constraint) -> bool:
    """Return whether buckets as wide as the window divide the time: there are at least four."""
    return window.upper - window.begins < 2**62


def doubled(
    events: exp.Expr, alias: str, window: core.Constraint, operations: Operations, where: exp.Expr | None = None
) -> exp.Select:
    """Return the events of a relation under an alias, each for its own bucket and for the one before.

    With `where`, only events for which it is true are doubled; the others are all in bucket 0. The query unnests a
    list: the engine would move a join with two numbers behind the join for which the buckets are made.
    """
    own = _bucket(column(alias, Templates.timestamp), window, operations)
    step = operations.constant(1, Scalar.INTEGER).sql
    buckets: exp.Expr = exp.Array(expressions=[own, exp.Sub(this=own.copy(), expression=step)])
    if where is not None:
        nothing = exp.Array(expressions=[operations.constant(0, Scalar.INTEGER).sql])
        buckets = exp.Case(ifs=[exp.If(this=where, true=buckets)], default=nothing)
    unnested = exp.alias_(exp.Explode(this=buckets), _BUCKET, quoted=True)
    return exp.Select(expressions=[exp.Star(), unnested]).from_(
        exp.alias_(events, alias, table=True, quoted=True, copy=False), copy=False
    )


def in_bucket(
    alias: str, reference: exp.Expr, window: core.Constraint, operations: Operations, where: exp.Expr | None = None
) -> exp.Expr:
    """Return the condition that a doubled event stands for the bucket of its window's lower end around the reference.

    `where` is the condition on the reference that corresponds to that of `doubled` on the event.
    """
    bucket = _bucket(moved(reference, window.begins, operations), window, operations)
    if where is not None:
        bucket = exp.Case(ifs=[exp.If(this=where, true=bucket)], default=operations.constant(0, Scalar.INTEGER).sql)
    return exp.EQ(this=column(alias, _BUCKET), expression=bucket)


def _bucket(timestamp: exp.Expr, window: core.Constraint, operations: Operations) -> exp.Expr:
    """Return the bucket of a timestamp.

    Quotients are rounded towards zero, so bucket 0 is wider than the others, which does no harm. A lower end that
    saturates does no harm either: the timestamps in the window are then in the first bucket or in the next. Buckets are
    at least two wide, so that there is a bucket before each.
    """
    width = max(window.upper - window.begins + 1, 2)
    return grouped(operations.dialect.slices(grouped(timestamp), width))
