"""Expressions compiled into functions of bindings (specification: lead-conditions)."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.matches import Match, Occurrence

Value = Any
"""An integer, a number, a string, a Boolean, or None."""


_NO_KEYS: Mapping[str, object] = MappingProxyType({})


class View(NamedTuple):
    """The values that an expression sees: bound names, the list that is being collected, the keys of the partition."""

    names: Mapping[str, object]
    items: tuple[Match, ...] | None = None
    keys: Mapping[str, object] = _NO_KEYS


Compiled = Callable[[View], Value]

_ORDERS: dict[tree.Operator, Callable[[Any, Any], bool]] = {
    tree.Operator.LESS: operator.lt,
    tree.Operator.LESS_OR_EQUAL: operator.le,
    tree.Operator.GREATER: operator.gt,
    tree.Operator.GREATER_OR_EQUAL: operator.ge,
    tree.Operator.EQUAL: operator.eq,
    tree.Operator.NOT_EQUAL: operator.ne,
}


def true_of(condition: tree.Expression, view: View) -> bool:
    """Return whether a condition holds."""
    return compiled(condition)(view) is True


class Test:
    """A condition that is compiled once."""

    def __init__(self, condition: tree.Expression) -> None:
        self.condition = condition
        self._value = compiled(condition)

    def holds(self, view: View) -> bool:
        """Return whether it holds."""
        return self._value(view) is True


def compiled(node: tree.Expression) -> Compiled:
    """Return a function that computes the value of an expression."""
    match node:
        case tree.Literal(value=constant):
            return lambda _: constant
        case tree.Duration():
            length = node.milliseconds
            return lambda _: length
        case tree.Reference(path=(key,)):
            return lambda view: _plain(view.keys.get(key))
        case tree.Reference(path=path):
            name, inside = path[0], path[1:]
            return lambda view: _at(view.names.get(name), inside)
        case tree.Aggregate(function=function, path=path):
            return lambda view: _aggregated(function, path, view)
        case tree.Sum(parts=parts):
            terms = [compiled(part) for part in parts]
            return lambda view: _folded(operator.add, [term(view) for term in terms], 0)
        case tree.Product(parts=parts):
            factors = [compiled(part) for part in parts]
            return lambda view: _folded(operator.mul, [factor(view) for factor in factors], 1)
        case tree.Negative(operand=operand):
            value = compiled(operand)
            return lambda view: _folded(operator.mul, [value(view), -1], 1)
        case tree.Comparison(left=left, operator=sign, right=right):
            first, second, order = compiled(left), compiled(right), _ORDERS[sign]
            return lambda view: _ordered(order, first(view), second(view))
        case tree.Both(parts=parts):
            every = [compiled(part) for part in parts]
            return lambda view: all(part(view) is True for part in every)
        case tree.Either(parts=parts):
            some = [compiled(part) for part in parts]
            return lambda view: any(part(view) is True for part in some)
        case tree.Negation(operand=operand):
            inner = compiled(operand)
            return lambda view: inner(view) is not True
        case tree.Quantified(least=least, most=most, condition=condition):
            return _counted(least, most, condition)
        case tree.Outside():
            return lambda _: False


def _counted(least: int | None, most: int | None, condition: tree.Expression) -> Compiled:
    inner = compiled(condition)
    heads = [node.path[0] for node in tree.within(condition) if isinstance(node, tree.Reference)]

    def value(view: View) -> bool:
        for name in heads:
            items = view.names.get(name)
            if isinstance(items, tuple):
                break
        else:
            name, items = "", ()
        fit = [item for item in items if inner(View({**view.names, name: item}, view.items, view.keys)) is True]
        low = len(items) if least is None and most is None else least or 0
        return low <= len(fit) <= (len(items) if most is None else most)

    return value


def _at(place: object, path: tuple[str, ...]) -> Value:
    """Return the value at the end of a path."""
    if isinstance(place, Occurrence):
        return place.time if path == ("event_time",) else _plain(place.event.attributes.get(path[0]))
    if not isinstance(place, Match):
        return None
    if len(path) > 1:
        return _at(next((bound for name, bound in place.bindings if name == path[0]), None), path[1:])
    if path == ("event_time",):
        return place.end
    return _at(place.bindings[0][1], path) if len(place.bindings) == 1 else None


def _plain(value: object) -> Value:
    return value if isinstance(value, int | float | str) else None


def _aggregated(function: tree.Function, path: tuple[str, ...], view: View) -> Value:
    items, rest = view.items, path
    if path:
        named = view.names.get(path[0])
        if isinstance(named, tuple):
            items, rest = named, path[1:]
    if items is None:
        return None
    if not rest:
        return len(items)
    values = [value for item in items if (value := _at(item, rest)) is not None]
    match function:
        case tree.Function.COUNT:
            return len(values)
        case tree.Function.SUM:
            return _folded(operator.add, values, 0)
        case tree.Function.AVG:
            total = _folded(operator.add, values, 0)
            return None if total is None or not values else _finite(lambda: total / len(values))
        case tree.Function.MIN | tree.Function.MAX:
            if len({_sort(value) for value in values}) != 1:
                return None
            return max(values) if function is tree.Function.MAX else min(values)


def _sort(value: Value) -> type:
    return bool if isinstance(value, bool) else str if isinstance(value, str) else float


def _folded(fold: Callable[[Any, Any], Any], values: list[Value], start: int) -> Value:
    result: Any = start
    for value in values:
        if _sort(value) is not float or value is None:
            return None
        try:
            result = fold(result, value)
        except OverflowError:
            return None
    return _finite(lambda: result)


def _finite(number: Callable[[], Any]) -> Value:
    try:
        value = number()
    except OverflowError:
        return None
    return value if isinstance(value, int) or math.isfinite(value) else None


def compared(left: Value, sign: tree.Operator, right: Value) -> bool:
    """Return whether two values are in an order."""
    return _ordered(_ORDERS[sign], left, right)


def _ordered(order: Callable[[Any, Any], bool], left: Value, right: Value) -> bool:
    if left is None or right is None or _sort(left) is not _sort(right):
        return False
    return order(left, right)
