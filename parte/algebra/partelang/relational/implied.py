"""Conditions on one variable that follow from those on several: `o.x >= i.y` and `i.y >= 5` imply `o.x >= 5`.

They change no result and reduce the rows to join. Engines infer at most what equalities of a join imply. Only
comparisons of attributes with attributes and constants are used: if they hold they have a value, and within a type
their order is transitive.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from parte.semantics.partelang.syntax import core

_TURNED: Final = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def implied(
    conditions: Iterable[core.Expression], variable: str, known: Iterable[core.Expression]
) -> Iterator[core.Comparison]:
    """Yield the conditions on a variable alone that `conditions` imply, given the `known` ones on other variables."""
    bounds = [bound for bound in _of_attributes(known) if isinstance(bound.right, core.Constant)]
    for together in _of_attributes(conditions):
        own, partner = together.left, together.right
        if not (_is_of(own, variable) and isinstance(partner, core.AttributeOf) and partner.variable != variable):
            continue
        for bound in bounds:
            operator = _chained(together.operator, bound.operator)
            if operator is not None and bound.left == partner:
                yield replace(together, operator=operator, right=bound.right)


def _of_attributes(conditions: Iterable[core.Expression]) -> Iterator[core.Comparison]:
    """Yield the comparisons with an attribute on the left; of two attributes, both ways round."""
    for condition in conditions:
        if isinstance(condition, core.Comparison):
            turned = _TURNED[condition.operator], condition.right, condition.left
            for operator, left, right in ((condition.operator, condition.left, condition.right), turned):
                if isinstance(left, core.AttributeOf):
                    yield replace(condition, operator=operator, left=left, right=right)


def _is_of(expression: core.Expression, variable: str) -> bool:
    return isinstance(expression, core.AttributeOf) and expression.variable == variable


def _chained(first: str, second: str) -> str | None:
    """Return the operator between a and c if `a first b` and `b second c`; None if nothing follows."""
    if "=" in (first, second):
        return second if first == "=" else first
    if "!=" in (first, second) or first[0] != second[0]:
        return None
    return max(first, second, key=_strictness)


def _strictness(operator: str) -> bool:
    return len(operator) == 1
