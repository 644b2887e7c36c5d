"""Values of expressions over the bindings of a match (specification: lead-conditions).

None means that there is no value: the event lacks the attribute, or the name is not bound.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite, prod

from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.matches import Bound, Match, Occurrence
from parte.semantics.events.event import Value

Known = Bound | Match
"""The value of a name; a match is an item of a list."""


@dataclass(frozen=True, slots=True)
class Environment:
    """The values of names, the list that is being collected, and the values of the partition keys."""

    names: Mapping[str, Known]
    current: Sequence[Match] | None = None
    keys: Mapping[str, Value] = field(default_factory=dict)


def holds(condition: tree.Expression, environment: Environment) -> bool:
    """Return whether a condition is true."""
    return value_of(condition, environment) is True


def value_of(node: tree.Expression, environment: Environment) -> tree.Constant | None:
    """Return the value of an expression, or None if it has none."""
    match node:
        case tree.Literal(value=value):
            return value
        case tree.Duration():
            return node.milliseconds
        case tree.Reference(path=path):
            return _reference(path, environment)
        case tree.Aggregate():
            return _aggregate(node, environment)
        case tree.Sum(parts=parts):
            return _numeric([value_of(part, environment) for part in parts], sum)
        case tree.Product(parts=parts):
            return _numeric([value_of(part, environment) for part in parts], prod)
        case tree.Negative(operand=operand):
            return _numeric([value_of(operand, environment)], lambda values: -values[0])
        case tree.Comparison(left=left, operator=operator, right=right):
            return _compared(value_of(left, environment), operator, value_of(right, environment))
        case tree.Both(parts=parts):
            return all(holds(part, environment) for part in parts)
        case tree.Either(parts=parts):
            return any(holds(part, environment) for part in parts)
        case tree.Negation(operand=operand):
            return not holds(operand, environment)
        case tree.Quantified():
            return _quantified(node, environment)
        case tree.Outside():
            return False


def _reference(path: Sequence[str], environment: Environment) -> tree.Constant | None:
    if len(path) == 1:
        return _scalar(environment.keys.get(path[0]))
    value: Known | None = environment.names.get(path[0])
    for name in path[1:-1]:
        value = dict(value.bindings).get(name) if isinstance(value, Match) else None
    return _attribute(value, path[-1])


def _attribute(value: Known | None, name: str) -> tree.Constant | None:
    match value:
        case Occurrence():
            return value.time if name == "event_time" else _scalar(value.event.attributes.get(name))
        case Match(bindings=bindings, end=end):
            if name == "event_time":
                return end
            return _attribute(bindings[0][1], name) if len(bindings) == 1 else None
        case _:
            return None


def _scalar(value: Value | None) -> tree.Constant | None:
    return None if isinstance(value, tuple) else value


def _aggregate(node: tree.Aggregate, environment: Environment) -> tree.Constant | None:
    items, path = environment.current, node.path
    if path and isinstance(environment.names.get(path[0]), tuple):
        named = environment.names[path[0]]
        items, path = (named if isinstance(named, tuple) else ()), path[1:]
    if items is None:
        return None
    if not path:
        return len(items)
    inner = [_item_value(item, path) for item in items]
    values = [value for value in inner if value is not None]
    if node.function is tree.Function.COUNT:
        return len(values)
    if node.function in (tree.Function.MIN, tree.Function.MAX):
        return _extreme(values, greatest=node.function is tree.Function.MAX)
    if node.function is tree.Function.SUM:
        return _numeric(values, sum)
    return _numeric(values, lambda numbers: sum(numbers) / len(numbers)) if values else None


def _item_value(item: Match, path: Sequence[str]) -> tree.Constant | None:
    return _attribute(item if len(path) == 1 else dict(item.bindings).get(path[0]), path[-1])


def _extreme(values: list[tree.Constant], *, greatest: bool) -> tree.Constant | None:
    best: tree.Constant | None = None
    for value in values:
        if best is None or _compared(value, tree.Operator.GREATER if greatest else tree.Operator.LESS, best):
            best = value
    return best if len({_kind(value) for value in values}) == 1 else None


def _quantified(node: tree.Quantified, environment: Environment) -> bool:
    names = [part.path[0] for part in tree.within(node.condition) if isinstance(part, tree.Reference)]
    name = next((candidate for candidate in names if isinstance(environment.names.get(candidate), tuple)), None)
    items = environment.names[name] if name is not None else ()
    assert isinstance(items, tuple)
    held = sum(
        holds(node.condition, replace(environment, names={**environment.names, name or "": item})) for item in items
    )
    if node.least is None and node.most is None:
        return held == len(items)
    return (node.least or 0) <= held and (node.most is None or held <= node.most)


def _kind(value: tree.Constant) -> str:
    if isinstance(value, bool):
        return "truth"
    return "text" if isinstance(value, str) else "number"


def _numeric(values: Sequence[tree.Constant | None], function: object) -> int | float | None:
    if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return None
    assert callable(function)
    try:
        result = function(values)
    except OverflowError:
        return None
    return result if isinstance(result, int) or isfinite(result) else None


def _compared(left: tree.Constant | None, operator: tree.Operator, right: tree.Constant | None) -> bool:
    if left is None or right is None or _kind(left) != _kind(right):
        return False
    less, equal = left < right, left == right  # type: ignore[operator]  # both are of one kind
    match operator:
        case tree.Operator.LESS:
            return bool(less)
        case tree.Operator.LESS_OR_EQUAL:
            return bool(less) or equal
        case tree.Operator.GREATER:
            return not less and not equal
        case tree.Operator.GREATER_OR_EQUAL:
            return not less
        case tree.Operator.EQUAL:
            return equal
        case tree.Operator.NOT_EQUAL:
            return not equal
