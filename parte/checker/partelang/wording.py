"""Opposites of conditions, in the syntax of PARTElang."""

from __future__ import annotations

from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.printer import expression_text

_OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def opposite_text(condition: core.Expression) -> str:
    """Return the condition that holds where the given one has a value and is false."""
    if isinstance(condition, core.Comparison):
        return expression_text(
            core.Comparison(_OPPOSITE[condition.operator], condition.left, condition.right, span=condition.span)
        )
    if isinstance(condition, core.Presence):
        return expression_text(core.Presence(condition.operand, not condition.present))
    if isinstance(condition, core.Compound | core.Not):
        return expression_text(core.Not(condition))
    return f"{expression_text(condition)} = false"


def ratio_text(condition: core.Expression) -> str | None:
    """Return, in words, where `left <= right * factor`, or the like, is false; None for other conditions.

    In exact arithmetic: rounding may move the border by a unit in the last place.
    """
    if not isinstance(condition, core.Comparison) or condition.operator not in ("<=", "<", ">=", ">"):
        return None
    left, right, operator = condition.left, condition.right, condition.operator
    if not isinstance(left, core.AttributeOf):
        left, right = right, left
        operator = {"<=": ">=", ">=": "<=", "<": ">", ">": "<"}[operator]
    if not isinstance(left, core.AttributeOf) or not isinstance(right, core.Arithmetic) or right.operator != "*":
        return None
    attribute, factor = right.left, right.right
    if isinstance(attribute, core.Constant):
        attribute, factor = factor, attribute
    if not isinstance(attribute, core.AttributeOf) or not isinstance(factor, core.Constant):
        return None
    if isinstance(factor.value, str) or not factor.value > 0:
        return None
    side = {"<=": "under", "<": "at most", ">=": "over", ">": "at least"}[operator]
    return f"{expression_text(attribute)} is {side} 1/{factor.value!r} of {expression_text(left)}"
