"""Timestamps, durations and clocks in conditions of level 2 (specification: condition-times, function-clocks).

To evaluators they are Integers. The checks here keep timestamps, durations and numbers apart.
"""

from __future__ import annotations

from typing import Literal

from parte.semantics.events.values import fits_integer, type_name
from parte.semantics.partelang.syntax import ast, core
from parte.semantics.partelang.syntax.declarations import name_span
from parte.semantics.partelang.syntax.scope import Scope
from parte.semantics.partelang.syntax.zones import UTC, UnknownZone, zone

Kind = Literal["timestamp", "duration"]


def time_kind(expression: core.Expression, scope: Scope) -> Kind | None:
    """Return whether an expression is a timestamp or a duration; None for any other value, and outside conditions."""
    if not scope.has_times:
        return None
    match expression:
        case core.TimestampOf() | core.TimeConstant(quantity="timestamp") | core.Aggregate(attribute="timestamp"):
            return "timestamp"
        case core.TimeConstant() | core.ClockReading(function="time_of_day"):
            return "duration"
        case core.Negation(operand=operand):
            return time_kind(operand, scope)
        case core.Arithmetic(operator="+", left=left, right=right):
            kinds = {time_kind(left, scope), time_kind(right, scope)}
            return "timestamp" if "timestamp" in kinds else "duration" if "duration" in kinds else None
        case core.Arithmetic(operator="-", left=left, right=right):
            kind = time_kind(left, scope)
            return "duration" if kind == time_kind(right, scope) == "timestamp" else kind
    return None


def kind_name(expression: core.Expression, scope: Scope) -> str:
    """Return the type of an expression in messages."""
    return time_kind(expression, scope) or type_name(core.type_of(expression))


def constant(node: ast.Duration | ast.Timestamp, scope: Scope) -> core.Expression | None:
    """Return a constant duration or timestamp."""
    kind: Kind = "duration" if isinstance(node, ast.Duration) else "timestamp"
    if scope.has_times:
        return _constant(node.milliseconds, kind, node, scope)
    where = "conditions" if kind == "timestamp" else "`at` and in `when`"
    hint = f"{kind}s stand in {where}; as a number it is {node.milliseconds}"
    scope.reporter.report(f"misplaced-{kind}", node.span, f"a {kind} is no value", hint)
    return None


def _constant(milliseconds: int, kind: Kind, node: ast.Expression, scope: Scope) -> core.Expression | None:
    # The parser checks this; trees that a program has built did not pass the parser.
    if fits_integer(milliseconds):
        return core.TimeConstant(milliseconds, kind, span=node.span)
    message = f"this {kind} does not fit 64 bit when given in milliseconds"
    code = "duration-out-of-range" if kind == "duration" else "invalid-timestamp"
    scope.reporter.report(code, node.span, message, f"choose a {'shorter' if kind == 'duration' else 'nearer'} one")
    return None


def negated(node: ast.Negate, operand: core.Expression, scope: Scope) -> core.Expression | None:
    """Return the opposite of a duration."""
    if time_kind(operand, scope) == "timestamp":
        hint = "subtract a timestamp from another one, or a duration"
        scope.reporter.report("type-mismatch", node.span, "a timestamp cannot be negated", hint)
        return None
    if isinstance(operand, core.TimeConstant):
        return _constant(-operand.milliseconds, "duration", node, scope)
    return core.Negation(operand, core.Scalar.INTEGER, span=node.span)


_SUMS = {
    ("timestamp", "-", "timestamp"),
    ("timestamp", "-", "duration"),
    ("timestamp", "+", "duration"),
    ("duration", "+", "timestamp"),
    ("duration", "+", "duration"),
    ("duration", "-", "duration"),
}


def combined(node: ast.Binary, left: core.Expression, right: core.Expression, scope: Scope) -> core.Expression | None:
    """Return the sum or difference of operands of which one at least is a timestamp or a duration."""
    operator = node.operator.value
    if (time_kind(left, scope), operator, time_kind(right, scope)) in _SUMS:
        return core.Arithmetic(operator, left, right, core.Scalar.INTEGER, span=node.span)
    message = f"`{operator}` does not apply to a {kind_name(left, scope)} and a {kind_name(right, scope)}"
    hint = "durations, as in `5 minutes`, are added and subtracted; the difference of two timestamps is one"
    scope.reporter.report("type-mismatch", node.span, message, hint)
    return None


def clock_reading(node: ast.Call, scope: Scope) -> core.Expression | None:
    """Return what a clock shows at the timestamp of a variable. The number of arguments has been checked."""
    variable, *zones = node.arguments
    name = _zone(zones[0], scope) if zones else UTC
    known = isinstance(variable, ast.Reference) and (variable.variable is None or variable.name in scope.variables)
    if not (isinstance(variable, ast.Reference) and known):
        hint = f"write `{node.name}({variable.variable})`" if isinstance(variable, ast.Reference) else "name a variable"
        scope.reporter.report("type-mismatch", variable.span, f"`{node.name}` takes a variable", hint)
        return None
    entry = scope.find(variable.name, name_span(variable.span, variable.name))
    return None if entry is None or name is None else core.ClockReading(node.name, entry.name, name, span=node.span)


def _zone(node: ast.Expression, scope: Scope) -> str | None:
    if not (isinstance(node, ast.Literal) and isinstance(node.value, str)):
        message, hint = "a time zone is a constant, so that it can be checked", 'write its name, as in "Europe/Berlin"'
        scope.reporter.report("unknown-zone", node.span, message, hint)
        return None
    try:
        zone(node.value)
    except UnknownZone as problem:
        scope.reporter.report("unknown-zone", node.span, str(problem), 'write a name of IANA, as in "Europe/Berlin"')
        return None
    return node.value
