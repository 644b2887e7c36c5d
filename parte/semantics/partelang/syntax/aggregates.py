"""Aggregates of sets, in `having`, `with` and `at` (specification: sets, aggregates)."""

from __future__ import annotations

from typing import Final

from parte.semantics.events.values import type_name
from parte.semantics.partelang.syntax import ast, core
from parte.semantics.partelang.syntax.functions import AGGREGATES
from parte.semantics.partelang.syntax.scope import Scope, Variable

TIMESTAMP: Final = "timestamp"
OF_EVENTS: Final = ("exists", "count")
"""The aggregates of a set itself."""
OF_TIMESTAMPS: Final = ("min", "max")
"""The aggregates that the timestamps of a set have."""
_NUMBERS = (core.Scalar.INTEGER, core.Scalar.FLOAT)


def is_aggregate(node: ast.Call, scope: Scope) -> bool:
    """Return whether a call is that of an aggregate, wherever it stands; else it is one of a function."""
    if scope.declarations.level == 1 or node.name not in AGGREGATES:
        return False
    if scope.here is not None:
        return node.distinct or node.name in OF_EVENTS
    return node.distinct or node.name in OF_EVENTS or _set_of(node, scope) is not None


def names_set(node: ast.Expression, scope: Scope) -> bool:
    """Return whether an expression is the name of a set."""
    variable = scope.variables.get(node.name) if isinstance(node, ast.Reference) else None
    return variable is not None and variable.collected


def elaborate_aggregate(node: ast.Call, scope: Scope) -> core.Aggregate | None:
    """Return the aggregate of a call, or report its error."""
    if scope.here is not None:
        message = f"`{node.name}` is an aggregate: the conditions of a pattern are about one event"
        scope.reporter.report("misplaced-aggregate", node.span, message, "write this condition after `having`")
        return None
    variable, argument = _set_of(node, scope), _argument(node)
    if variable is None or argument is None:
        message = f"`{node.name}` is an aggregate: its argument is a set or an attribute of one"
        hint = "a set is bound by `all v : Template { … }`"
        scope.reporter.report("not-a-set", node.span, message, hint)
        return None
    if argument.name == variable.name:
        if node.name in OF_EVENTS:
            of = core.Scalar.BOOLEAN if node.name == "exists" else core.Scalar.INTEGER
            return core.Aggregate(node.name, variable.name, None, False, of, span=node.span)
        message = f"`{node.name}` is an aggregate of an attribute, not of a set"
        scope.reporter.report("not-a-set", node.span, message, f"write `{node.name}({variable.name}.attribute)`")
        return None
    of_attribute = _type(variable, argument, scope)
    if of_attribute is None:
        return None
    if node.name == "exists" or (node.distinct and node.name != "count"):
        hint = f"write `exists({variable.name})`" if node.name == "exists" else "only `count` takes `distinct`"
        message = f"`{node.name}` does not apply here"
        scope.reporter.report("invalid-aggregate", node.span, message, hint)
        return None
    return _typed(node, variable, argument.attribute, of_attribute, scope)


def _typed(node: ast.Call, variable: Variable, attribute: str, of: core.Scalar, scope: Scope) -> core.Aggregate | None:
    result: core.Scalar | None = of
    if attribute == TIMESTAMP and node.name not in OF_TIMESTAMPS:
        result, hint = None, "the aggregates of timestamps are `min` and `max`"
    elif node.name == "count":
        result = core.Scalar.INTEGER
    elif node.name in ("sum", "avg"):
        hint = "sums and averages are of Integers or Floats"
        result = None if of not in _NUMBERS else of if node.name == "sum" else core.Scalar.FLOAT
    elif node.name in OF_TIMESTAMPS and of is core.Scalar.BOOLEAN:
        result, hint = None, "Booleans have no order"
    if result is None:
        name = TIMESTAMP if attribute == TIMESTAMP else type_name(of)
        message = f"`{node.name}` does not apply to values of type {name}"
        scope.reporter.report("invalid-aggregate", node.span, message, hint)
        return None
    return core.Aggregate(node.name, variable.name, attribute, node.distinct, result, span=node.span)


def _argument(node: ast.Call) -> ast.Reference | None:
    match node.arguments:
        case (ast.Reference() as argument,):
            return argument
        case _:
            return None


def _set_of(node: ast.Call, scope: Scope) -> Variable | None:
    """Return the set that the only argument of a call names, if it does."""
    argument = _argument(node)
    if argument is None:
        return None
    variable = scope.variables.get(argument.name) or scope.variables.get(argument.variable or "")
    return variable if variable is not None and variable.collected else None


def _type(variable: Variable, argument: ast.Reference, scope: Scope) -> core.Scalar | None:
    """Return the type of the attribute of an aggregate."""
    if argument.attribute == TIMESTAMP:
        return core.Scalar.INTEGER
    if variable.schema is None:
        return None
    attributes = variable.schema.attributes
    of = attributes.get(argument.attribute)
    name = variable.schema.template.name
    if argument.attribute not in attributes:
        hint = scope.reporter.suggestion(argument.attribute, attributes, f"see the declaration of `{name}`")
        message = f"the template `{name}` has no attribute `{argument.attribute}`"
        scope.reporter.report("unknown-attribute", argument.span, message, hint)
    elif isinstance(of, core.ListOf):
        message = f"`{argument.attribute}` is a list, of which there are no aggregates"
        scope.reporter.report("invalid-aggregate", argument.span, message, "aggregates are of single values")
    else:
        return of
    return None
