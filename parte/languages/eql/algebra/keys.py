"""The keys of events (specification: eql-key)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.folding import folded
from parte.languages.eql.semantics.syntax.readings import Readings
from parte.semantics.events.event import Event, Value

Key = tuple[Hashable, ...]
"""The values of the key fields, so that equal keys are the same key."""


def key_of(event: Event, fields: Sequence[tree.Field], readings: Readings) -> Key | None:
    """Return the key of an event; None if it lacks a field that is not optional, or a field is a list."""
    values = [event.attributes.get(field.name) for field in fields]
    if any(isinstance(value, tuple) for value in values):
        return None
    for field, value in zip(fields, values, strict=True):
        if value is None and not field.optional and readings.keys == "present":
            return None
    return tuple(_part(value, readings.case == "folded") for value in values)


def _part(value: Value | None, folds: bool) -> Hashable:
    if folds:
        return folded(value) if isinstance(value, str) else value
    return isinstance(value, bool), value


def written(event: Event, fields: Sequence[tree.Field]) -> list[Value | None]:
    """Return the values of the key fields as a result reports them."""
    return [event.attributes.get(field.name) for field in fields]
