"""Predicates as functions on events, for the machine (specification: cel-predicates)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from parte.languages.cel.semantics.syntax import tree
from parte.semantics.events.event import Event

Test = Callable[[Event], bool]
_NUMBER, _STRING, _BOOLEAN = 1, 2, 3
_KINDS: dict[type, int] = {int: _NUMBER, float: _NUMBER, str: _STRING, bool: _BOOLEAN}


def comparable(one: object, other: object) -> bool:
    """Whether two values can be compared: neither is NULL or a list, and they are of one kind."""
    found = _KINDS.get(type(one))
    return found is not None and found == _KINDS.get(type(other))


def holds(one: Any, operator: tree.Operator, other: Any) -> bool:
    """A comparison of two values."""
    if not comparable(one, other):
        return False
    match operator:
        case tree.Operator.EQUAL:
            result = one == other
        case tree.Operator.NOT_EQUAL:
            result = one != other
        case tree.Operator.LESS:
            result = one < other
        case tree.Operator.LESS_OR_EQUAL:
            result = one <= other
        case tree.Operator.GREATER:
            result = one > other
        case tree.Operator.GREATER_OR_EQUAL:
            result = one >= other
    return bool(result)


def compiled(predicate: tree.Predicate) -> Test:
    """The function that says whether an event satisfies a predicate."""
    match predicate:
        case tree.Comparison(left=left, operator=operator, right=right):
            one, other = _value(left), _value(right)
            return lambda event: holds(one(event), operator, other(event))
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
