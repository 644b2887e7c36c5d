"""Predicates on events and comparisons of two values, by the definition (specification: cel-predicates)."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from parte.languages.cel.semantics.syntax import tree
from parte.semantics.events.event import Event, Value

_COMPARE: Mapping[tree.Operator, Callable[[Any, Any], bool]] = {
    tree.Operator.LESS: operator.lt,
    tree.Operator.LESS_OR_EQUAL: operator.le,
    tree.Operator.GREATER: operator.gt,
    tree.Operator.GREATER_OR_EQUAL: operator.ge,
    tree.Operator.EQUAL: operator.eq,
    tree.Operator.NOT_EQUAL: operator.ne,
}


def kind(value: Value | None) -> str | None:
    """Return "number", "string" or "Boolean"; None for NULL and for lists, which no comparison accepts."""
    match value:
        case bool():
            return "Boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case _:
            return None


def compared(left: Value | None, comparison: tree.Operator, right: Value | None) -> bool:
    """Return the result of a comparison: false if a value is NULL, or if the values are of different kinds."""
    return kind(left) is not None and kind(left) == kind(right) and _COMPARE[comparison](left, right)


def satisfies(event: Event, predicate: tree.Predicate) -> bool:
    """Return whether an event satisfies a predicate."""
    match predicate:
        case tree.Comparison(left=left, operator=comparison, right=right):
            return compared(_value(event, left), comparison, _value(event, right))
        case tree.Not(operand=operand):
            return not satisfies(event, operand)
        case tree.Every(parts=parts):
            return all(satisfies(event, part) for part in parts)
        case tree.Some(parts=parts):
            return any(satisfies(event, part) for part in parts)


def _value(event: Event, operand: tree.Operand) -> Value | None:
    return operand.value if isinstance(operand, tree.Literal) else event.attributes.get(operand.name)
