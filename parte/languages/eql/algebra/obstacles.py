"""The parts of a condition that keep an event from fitting a stage, and the fields that keep it from having a key
(specification: eql-three, eql-key)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from parte.languages.eql.algebra.conditions import truth, values_of
from parte.languages.eql.algebra.keys import key_of
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.printer import expression_text
from parte.languages.eql.semantics.syntax.readings import Readings
from parte.semantics.events.event import Event
from parte.semantics.events.strictjson import dumped, quoted


def obstacles(
    node: tree.Expression, event: Event, readings: Readings, wanted: bool = True
) -> Iterator[tuple[tree.Expression, bool]]:
    """Yield the comparisons and calls that keep a condition from being `wanted`, each with the truth that it lacks: if
    they all had it, the condition would be as wanted."""
    if truth(node, event, readings) is wanted:
        return
    match node:
        case tree.Not(operand=operand):
            yield from obstacles(operand, event, readings, not wanted)
        case tree.And(parts=parts) | tree.Or(parts=parts):
            for part in parts:
                yield from obstacles(part, event, readings, wanted)
        case _:
            yield node, wanted


def misfit(event: Event, pattern: tree.Event, readings: Readings) -> str:
    """Return in words why an event does not fit; an empty text if it does."""
    if pattern.category not in (None, event.template):
        return f"its category is {quoted(event.template)}"
    return "; ".join(_described(node, event, readings) for node, _ in obstacles(pattern.condition, event, readings))


def _described(node: tree.Expression, event: Event, readings: Readings) -> str:
    """Return a part of a condition, its truth, its fields, and the distance of the numbers that it compares."""
    fields = dict.fromkeys(part for part in tree.within(node) if isinstance(part, tree.Field))
    values = [fields_text(event, tuple(fields))] if fields else []
    if isinstance(node, tree.Comparison):
        match values_of(node.left, event, readings), values_of(node.right, event, readings):
            case ([int() | float() as left], [int() | float() as right]) if type(left) is not bool is not type(right):
                values += [f"{dumped(abs(left - right))} apart"] if left != right else []
    return f"{expression_text(node)} is {dumped(truth(node, event, readings))}{': ' * bool(values)}{', '.join(values)}"


def keyless(event: Event, fields: Sequence[tree.Field], readings: Readings) -> str:
    """Return in words why an event is in no key; an empty text if it is in one."""
    return fields_text(event, [field for field in fields if key_of(event, (field,), readings) is None])


def fields_text(event: Event, fields: Sequence[tree.Field]) -> str:
    """Return the values of fields of an event, in words."""
    return ", ".join(f"{field.name} {_value_text(event, field.name)}" for field in fields)


def _value_text(event: Event, name: str) -> str:
    value = event.attributes.get(name)
    if value is None:
        return "is missing"
    return (
        "is a list" if isinstance(value, tuple) else f"is {quoted(value) if isinstance(value, str) else dumped(value)}"
    )
