"""The runs of a rule on a trace, by PARTITION BY (specification: lead-partition)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.matches import Keys, Occurrence
from parte.semantics.events.event import Value

Events = Sequence[Occurrence]


def runs(rule: tree.Rule, events: Events) -> list[tuple[Keys, Events]]:
    """Return the events of each run, in the order of their first events, with the value of each key. The value of an
    attribute is that of the first event; the value of a window is its number, from 1."""
    partitions: list[tuple[dict[int, Value], Events]] = [({}, events)] if events else []
    for place, key in sorted(enumerate(rule.keys), key=lambda entry: entry[1].length is not None):
        if key.length is None:
            partitions = [(numbers, part) for numbers, run in partitions for part in _by_value(run, key.attribute)]
        else:
            windows = [(numbers, _windows(run, key.length)) for numbers, run in partitions]
            partitions = [({**before, place: number}, part) for before, parts in windows for number, part in parts]
    return [(_values(rule, run[0], numbers), run) for numbers, run in partitions]


def _values(rule: tree.Rule, first: Occurrence, numbers: Mapping[int, Value]) -> Keys:
    attributes = first.event.attributes
    return tuple(
        attributes[key.attribute] if key.length is None else numbers[place] for place, key in enumerate(rule.keys)
    )


def _by_value(run: Events, attribute: str) -> list[Events]:
    """Return a run for each value; values are equal if they are of one kind. An event without a value, or with a
    list, is in no run."""
    parts: list[tuple[Value, list[Occurrence]]] = []
    for occurrence in run:
        value = occurrence.event.attributes.get(attribute)
        if value is None or isinstance(value, tuple):
            continue
        same = [part for known, part in parts if _kind(known) == _kind(value) and known == value]
        if same:
            same[0].append(occurrence)
        else:
            parts.append((value, [occurrence]))
    return [part for _, part in parts]


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return "truth"
    return "number" if isinstance(value, int | float) else type(value).__name__


def _windows(run: Events, length: tree.Duration | int) -> list[tuple[int, Events]]:
    """Return windows of `length` events, or of `length` milliseconds from the first event, with their numbers from
    1."""
    if isinstance(length, int):
        return [(number, run[start : start + length]) for number, start in enumerate(range(0, len(run), length), 1)]
    begin, size = run[0].time, length.milliseconds
    return [
        (number + 1, list(part))
        for number, part in groupby(run, key=lambda occurrence: (occurrence.time - begin) // size)
    ]
