"""Expressions of the elaborated program as PARTElang, and conditions turned round."""

from __future__ import annotations

import json

from parte.semantics.parte.syntax import core

_STRENGTH = {"+": 1, "-": 1, "*": 2, "/": 2}
_OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def text_of(expression: core.Expression) -> str:
    """The expression as PARTElang writes it, every attribute with its variable; conversions are not written."""
    return _text(expression, 0)


def _text(expression: core.Expression, strength: int) -> str:
    match expression:
        case core.Constant(value=bool() as value):
            return "true" if value else "false"
        case core.Constant(value=str() as value):
            return json.dumps(value, ensure_ascii=False)
        case core.Constant(value=value):
            return repr(value)
        case core.AttributeOf(variable=variable, attribute=attribute):
            return f"{variable}.{attribute}"
        case core.TimestampOf(variable=variable):
            return f"{variable}.timestamp"
        case core.ToFloat(operand=operand):
            return _text(operand, strength)
        case core.Negation(operand=operand):
            inner = _text(operand, 3)
            return f"-({inner})" if inner[0].isdigit() else f"-{inner}"
        case core.Arithmetic(operator=operator, left=left, right=right):
            own = _STRENGTH[operator]
            text = f"{_text(left, own)} {operator} {_text(right, own + 1)}"
            return f"({text})" if own < strength else text
        case core.Comparison(operator=operator, left=left, right=right):
            text = f"{_text(left, 1)} {operator} {_text(right, 1)}"
            return f"({text})" if strength else text
        case core.PredicateCall(predicate=name, arguments=parts) | core.FunctionCall(function=name, arguments=parts):
            return f"{name}({', '.join(map(text_of, parts))})"
        case core.ListExpression(items=parts):
            return f"list({', '.join(map(text_of, parts))})"


def opposite_text(condition: core.Expression) -> str:
    """What holds where the condition has a value and is false."""
    if isinstance(condition, core.Comparison):
        return text_of(
            core.Comparison(_OPPOSITE[condition.operator], condition.left, condition.right, span=condition.span)
        )
    return f"{text_of(condition)} = false"


def ratio_text(condition: core.Expression) -> str | None:
    """In other words what holds where `left <= right * factor`, or the like, is false; None for other conditions.

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
    return f"{text_of(attribute)} is {side} 1/{factor.value!r} of {text_of(left)}"
