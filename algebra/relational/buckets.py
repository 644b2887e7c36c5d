"""Time buckets: an equality for windows of variables that no other equality joins.

Engines join on equalities; a range alone makes them compare every pair. So time is cut into buckets as wide as the
window. What lies in the window is in the bucket of its lower end or in the next: each event stands for two buckets, its
own and the one before, and a join on the bucket finds every pair that can be in the window, and each once. The window
itself is still tested.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import replace

from sqlglot import exp

from algebra.relational.relations import Templates, column
from algebra.relational.terms import Operations, grouped
from semantics.syntax import core
from semantics.syntax.core import Scalar

_BUCKET = "$bucket"


def needs_buckets(conditions: Iterable[core.Expression], variable: str, others: Set[str]) -> bool:
    """Whether no condition equates something of the variable with something of others. Booleans hardly divide them."""
    for condition in conditions:
        if isinstance(condition, core.Comparison) and condition.operator == "=":
            sides = [core.variables_of(condition.left), core.variables_of(condition.right)]
            own = {variable} in sides and any(side and side <= others for side in sides)
            if own and core.type_of(condition.left) is not Scalar.BOOLEAN:
                return False
    return True


def tightest(constraints: Iterable[core.Constraint], variable: str, others: Set[str]) -> core.Constraint | None:
    """The narrowest window of a variable around one of the others, written with the variable as its subject."""
    windows = []
    for constraint in constraints:
        if constraint.subject == variable and constraint.reference in others:
            windows.append(constraint)
        elif constraint.reference == variable and constraint.subject in others:
            lower, upper = -constraint.upper, -constraint.lower
            turned = replace(constraint, subject=variable, reference=constraint.subject, lower=lower, upper=upper)
            windows.append(turned)
    return min(windows, key=lambda window: window.upper - window.lower, default=None)


def doubled(events: exp.Expr, alias: str, window: core.Constraint, operations: Operations) -> exp.Select:
    """The events of a relation under an alias, each for its own bucket and for the one before.

    By unnesting a list: a join with two numbers would be moved behind the join that the buckets are for.
    """
    own = _bucket(column(alias, Templates.timestamp), 0, window, operations)
    one = operations.dialect.wide(exp.Literal.number("1"))
    buckets = exp.Array(expressions=[own, exp.Sub(this=own.copy(), expression=one)])
    unnested = exp.alias_(exp.Explode(this=buckets), _BUCKET, quoted=True)
    return exp.Select(expressions=[exp.Star(), unnested]).from_(exp.alias_(events, alias, table=True, quoted=True))


def in_bucket(alias: str, reference: exp.Expr, window: core.Constraint, operations: Operations) -> exp.Expr:
    """That a doubled event stands for the bucket of the lower end of its window around the reference."""
    return exp.EQ(this=column(alias, _BUCKET), expression=_bucket(reference, window.lower, window, operations))


def _bucket(timestamp: exp.Expr, moved: int, window: core.Constraint, operations: Operations) -> exp.Expr:
    """The bucket that a timestamp is in when it is moved."""
    # No timestamp and no end of a window is below -2^64, and engines round quotients towards zero.
    bias = operations.dialect.wide(exp.Literal.number(str(2**65 + moved)))
    raised = exp.Add(this=operations.dialect.wide(timestamp.copy()), expression=bias)
    return grouped(operations.dialect.quotient(grouped(raised), window.upper - window.lower + 1))
