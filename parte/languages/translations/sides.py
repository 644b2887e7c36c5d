"""Comparisons of PARTElang in a language that compares attributes and constants by value, and has no arithmetic."""

from __future__ import annotations

from parte.semantics.partelang.syntax import core
from parte.semantics.source.reporting import Reporter

EXACT = 2**53
"""The bound below which every Integer is a Float, so that rounding changes nothing."""


Side = core.Constant | core.AttributeOf


def sides(
    condition: core.Expression, language: str, reporter: Reporter, *, lines: bool = False
) -> tuple[Side, str, Side] | None:
    """Return the two sides of a comparison and its operator, or None, with a report, if the language has no such
    comparison. Its strings hold line feeds and NUL if `lines`."""
    if not isinstance(condition, core.Comparison):
        reporter.report("no-counterpart", condition.span, f"{language} has comparisons only", "leave the condition out")
        return None
    left, right = (_side(side, language, reporter, lines) for side in (condition.left, condition.right))
    if left is None or right is None:
        return None
    for side, opposite, original in ((left, right, condition.left), (right, left, condition.right)):
        rounded = isinstance(original, core.ToFloat) and isinstance(side, core.AttributeOf)
        constant = opposite.value if isinstance(opposite, core.Constant) else None
        if rounded and not (isinstance(constant, float) and abs(constant) < EXACT):
            message = f"PARTElang rounds the Integer here to a Float; {language} compares it as it is"
            hint = "compare Integers with Integers, or with constants below 2^53"
            reporter.report("rounded-comparison", condition.span, message, hint)
            return None
    return left, condition.operator, right


def _side(expression: core.Expression, language: str, reporter: Reporter, lines: bool) -> Side | None:
    match expression:
        case core.Constant(value=str() as value) if not lines and ("\n" in value or "\0" in value):
            message = f"a string of {language} holds no line feed and no NUL"
            reporter.report("no-counterpart", expression.span, message, "leave the condition out")
            return None
        case core.Constant():
            return expression
        case core.AttributeOf(type=core.Scalar()):
            return expression
        case core.ToFloat(operand=core.Constant(value=value) as constant):
            return core.Constant(float(value), core.Scalar.FLOAT, span=constant.span)
        case core.ToFloat(operand=core.AttributeOf() as attribute):
            return attribute
        case _:
            message = f"here {language} compares attributes and constants only, and computes nothing"
            reporter.report("no-counterpart", expression.span, message, "compute it before, as an attribute")
            return None
