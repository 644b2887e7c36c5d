"""Predicates as functions on events, for the machine (specification: cel-predicates)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from parte.languages.cel.semantics.syntax import tree
from parte.semantics.events.event import Event

Test = Callable[[Event], bool]
_NUMBER, _STRING, _BOOLEAN = 1, 2, 3
_KINDS: dict[type, int] = {int: _NUMBER, float: _NUMBER, str: _STRING, bool: _BOOLEAN}


def comparable(left: object, right: object) -> bool:
    """Return whether two values can be compared: neither is NULL or a list, and they are of one kind."""
    kind = _KINDS.get(type(left))
    return kind is not None and kind == _KINDS.get(type(right))


def holds(left: Any, operator: tree.Operator, right: Any) -> bool:
    """Return the result of a comparison of two values."""
    if not comparable(left, right):
        return False
    match operator:
        case tree.Operator.EQUAL:
            result = left == right
        case tree.Operator.NOT_EQUAL:
            result = left != right
        case tree.Operator.LESS:
            result = left < right
        case tree.Operator.LESS_OR_EQUAL:
            result = left <= right
        case tree.Operator.GREATER:
            result = left > right
        case tree.Operator.GREATER_OR_EQUAL:
            result = left >= right
    return bool(result)


def compiled(predicate: tree.Predicate) -> Test:
    """Return the function that decides whether an event satisfies a predicate."""
    match predicate:
        case tree.Comparison(left=left, operator=operator, right=right):
            left_value, right_value = _value(left), _value(right)
            return lambda event: holds(left_value(event), operator, right_value(event))
        case tree.Not(operand=operand):
            inner = compiled(operand)
            return lambda event: not inner(event)
        case tree.Every(parts=parts):
            tests = [compiled(part) for part in parts]
            return lambda event: all(test(event) for test in tests)
        case tree.Some(parts=parts):
            tests = [compiled(part) for part in parts]
            return lambda event: any(test(event) for test in tests)


def _value(operand: tree.Operand) -> Callable[[Event], object]:
    if isinstance(operand, tree.Literal):
        value = operand.value
        return lambda _: value
    name = operand.name
    return lambda event: event.attributes.get(name)
