"""The runs of a rule on a trace, by what PARTITION BY says (specification: lead-partition)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.matches import Keys, Occurrence
from parte.semantics.events.event import Value

Events = Sequence[Occurrence]


def runs(rule: tree.Rule, events: Events) -> list[tuple[Keys, Events]]:
    """The events of each run, in the order of their first ones, with the value of each key: of an attribute that of the
    first event, of a window its number, from 1."""
    found: list[tuple[dict[int, Value], Events]] = [({}, events)] if events else []
    for place, key in sorted(enumerate(rule.keys), key=lambda each: each[1].length is not None):
        if key.length is None:
            found = [(numbers, part) for numbers, run in found for part in _by_value(run, key.attribute)]
        else:
            windows = [(numbers, _windows(run, key.length)) for numbers, run in found]
            found = [({**before, place: number}, part) for before, parts in windows for number, part in parts]
    return [(_values(rule, run[0], numbers), run) for numbers, run in found]


def _values(rule: tree.Rule, first: Occurrence, numbers: Mapping[int, Value]) -> Keys:
    attributes = first.event.attributes
    return tuple(
        attributes[key.attribute] if key.length is None else numbers[place] for place, key in enumerate(rule.keys)
    )


def _by_value(run: Events, attribute: str) -> list[Events]:
    """A run for each value; values are equal if they are of one kind. An event without a value, or with a list, is in
    none."""
    parts: list[tuple[Value, list[Occurrence]]] = []
    for each in run:
        value = each.event.attributes.get(attribute)
        if value is None or isinstance(value, tuple):
            continue
        same = [part for known, part in parts if _kind(known) == _kind(value) and known == value]
        if same:
            same[0].append(each)
        else:
            parts.append((value, [each]))
    return [part for _, part in parts]


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return "truth"
    return "number" if isinstance(value, int | float) else type(value).__name__


def _windows(run: Events, length: tree.Duration | int) -> list[tuple[int, Events]]:
    """Windows of so many events, or of so many milliseconds from the first event, with their numbers."""
    if isinstance(length, int):
        return [(number, run[start : start + length]) for number, start in enumerate(range(0, len(run), length), 1)]
    begin, size = run[0].time, length.milliseconds
    return [(number + 1, list(part)) for number, part in groupby(run, key=lambda each: (each.time - begin) // size)]
