"""Timestamp expressions, as allowed after `at` (specification: at-forms).

They shift and combine timestamps of positive variables, so they are monotone in each of them: bounds on the events that
a rule will still bind give a bound on the events that it will still emit.
"""

from __future__ import annotations

from parte.semantics.events.values import fits_integer
from parte.semantics.partelang.syntax import ast, core, functions
from parte.semantics.partelang.syntax.aggregates import TIMESTAMP, elaborate_aggregate, is_aggregate
from parte.semantics.partelang.syntax.declarations import LIST, name_span
from parte.semantics.partelang.syntax.expressions import check_argument_count
from parte.semantics.partelang.syntax.scope import Scope
from parte.semantics.source.spans import Span

_Part = core.TimestampExpression | int
"""A timestamp, or a number of milliseconds."""


def alternatives() -> str:
    """Return the functions of timestamps in words: "`min`, `max` or `avg`"."""
    *others, last = [f"`{name}`" for name in functions.of_timestamps()]
    return f"{', '.join(others)} or {last}"


def elaborate_timestamp(node: ast.Expression, scope: Scope) -> core.TimestampExpression | None:
    """Return the expression after `at`; report an error and return None if it is wrong."""
    part = _part(node, scope)
    if isinstance(part, int):
        hint = "add it to a timestamp: `variable.timestamp + 5 minutes`"
        scope.reporter.report("not-a-timestamp", node.span, "a duration is no timestamp", hint)
        return None
    return part


def _part(node: ast.Expression, scope: Scope) -> _Part | None:
    match node:
        case ast.Duration():
            return _checked(node.milliseconds, node.span, scope)
        case ast.Reference(variable=str(name), attribute="timestamp"):
            variable = scope.find(name, name_span(node.span, name))
            return None if variable is None else core.TimestampOf(variable.name, span=node.span)
        case ast.Negate():
            part = _part(node.operand, scope)
            if part is None or isinstance(part, int):
                return part if part is None else _checked(-part, node.span, scope)
            return _refuse(node, scope, "a timestamp cannot be negated", "subtract a duration instead")
        case ast.Binary(operator=ast.BinaryOperator.ADD | ast.BinaryOperator.SUBTRACT):
            return _sum(node, scope)
        case ast.Call() if is_aggregate(node, scope):
            return _aggregate(node, scope)
        case ast.Call(name=name) if name in functions.of_timestamps():
            return _combination(node, scope)
        case ast.Timestamp():
            return _refuse(node, scope, "a constant is no timestamp here", "write `variable.timestamp`")
        case ast.Literal(value=bool() | str()):
            return _refuse(node, scope, "this is no timestamp", "write `variable.timestamp`")
        case ast.Literal():
            return _refuse(node, scope, "a number is no timestamp", "write a duration with its unit, as in `5 minutes`")
        case ast.Reference(variable=None) if node.attribute in scope.variables:
            return _refuse(node, scope, "a variable is no timestamp", f"write `{node.attribute}.timestamp`")
        case ast.Reference():
            return _refuse(node, scope, "an attribute is no timestamp", "write `variable.timestamp`")
        case ast.Call(name=name):
            what = "a list" if name == LIST else f"`{name}(…)`"
            return _refuse(node, scope, f"{what} is no timestamp", f"combine timestamps by {alternatives()}")
        case ast.Binary(operator=operator):
            message = f"`{operator.value}` does not apply to timestamps"
            return _refuse(node, scope, message, "add or subtract a duration, as in `a.timestamp + 5 minutes`")
        case ast.Compound() | ast.Not() | ast.Membership() | ast.Presence():
            return _refuse(node, scope, "a condition is no timestamp", "write `variable.timestamp`")


def _aggregate(node: ast.Call, scope: Scope) -> _Part | None:
    aggregate = elaborate_aggregate(node, scope)
    if aggregate is None or aggregate.attribute == TIMESTAMP:
        return aggregate
    return _refuse(node, scope, "this aggregate is no timestamp", "write `min(v.timestamp)` or `max(v.timestamp)`")


def _refuse(node: ast.Expression, scope: Scope, message: str, hint: str) -> _Part | None:
    scope.reporter.report("not-a-timestamp", node.span, message, hint)
    return None


def _sum(node: ast.Binary, scope: Scope) -> _Part | None:
    left, right = _part(node.left, scope), _part(node.right, scope)
    if left is None or right is None:
        return None
    sign = 1 if node.operator is ast.BinaryOperator.ADD else -1
    if isinstance(right, int):
        if isinstance(left, int):
            return _checked(left + sign * right, node.span, scope)
        return _shift(left, sign * right, node.span, scope)
    if isinstance(left, int) and sign == 1:
        return _shift(right, left, node.span, scope)
    verb = "added" if sign == 1 else "subtracted"
    hint = f"add or subtract a duration, or combine timestamps by {alternatives()}"
    return _refuse(node, scope, f"a timestamp cannot be {verb} here", hint)


def _shift(operand: core.TimestampExpression, milliseconds: int, span: Span, scope: Scope) -> core.Shift | None:
    checked = _checked(milliseconds, span, scope)
    return None if checked is None else core.Shift(operand, checked, span=span)


def _checked(milliseconds: int, span: Span, scope: Scope) -> int | None:
    if fits_integer(milliseconds):
        return milliseconds
    message = "this duration does not fit 64 bit when given in milliseconds"
    scope.reporter.report("duration-out-of-range", span, message, "choose a shorter duration")
    return None


def _combination(node: ast.Call, scope: Scope) -> core.Combination | None:
    counted = check_argument_count(node, 1, None, scope)
    elaborated = [elaborate_timestamp(argument, scope) for argument in node.arguments]
    operands = tuple(operand for operand in elaborated if operand is not None)
    if not counted or len(operands) < len(elaborated):
        return None
    return core.Combination(node.name, operands, span=node.span)
