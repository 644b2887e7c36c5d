"""The runs of a net on a trace: one for each partition (specification: lead-partition)."""

from __future__ import annotations

from collections.abc import Iterable

from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.matches import Keys, Occurrence
from parte.semantics.events.event import Value


def key_of(rule: tree.Rule, event: Occurrence) -> tuple[tuple[bool, bool, Value], ...] | None:
    """Return the combination of values whose run an event is in, or None if a value is missing or a list."""
    values = [event.event.attributes.get(key.attribute) for key in rule.keys if key.length is None]
    known = [value for value in values if value is not None and not isinstance(value, tuple)]
    if len(known) < len(values):
        return None
    return tuple((isinstance(value, bool), isinstance(value, str), value) for value in known)


def partitions(rule: tree.Rule, occurrences: Iterable[Occurrence]) -> list[tuple[Keys, list[Occurrence]]]:
    """Return the occurrences of each run, with its keys. There is a run for each combination of values, and within
    it for each window; an event that lacks a value is in none."""
    groups: dict[object, list[Occurrence]] = {}
    for occurrence in occurrences:
        values = key_of(rule, occurrence)
        if values is not None:
            groups.setdefault(values, []).append(occurrence)
    runs: list[tuple[tuple[int, ...], list[Occurrence]]] = [((), run) for run in groups.values()]
    for key in rule.keys:
        if key.length is not None:
            runs = [((*before, number), piece) for before, run in runs for number, piece in _stretches(run, key.length)]
    return [(keys_of(rule, run[0], numbers), run) for numbers, run in runs]


def keys_of(rule: tree.Rule, event: Occurrence, numbers: Iterable[int]) -> Keys:
    """Return the keys of the run that an event is in. `numbers` are the numbers of its windows, from 0; keys count
    them from 1."""
    left = iter(numbers)
    return tuple(event.event.attributes[key.attribute] if key.length is None else next(left) + 1 for key in rule.keys)


def _stretches(run: list[Occurrence], length: tree.Duration | int) -> list[tuple[int, list[Occurrence]]]:
    pieces: dict[int, list[Occurrence]] = {}
    for number, occurrence in enumerate(run):
        which = number // length if isinstance(length, int) else (occurrence.time - run[0].time) // length.milliseconds
        pieces.setdefault(which, []).append(occurrence)
    return list(pieces.items())


def place_of(keys: Keys) -> tuple[object, ...]:
    """Return the sort key of a partition: numbers, then strings, then Booleans, key by key."""
    return tuple((isinstance(value, bool), isinstance(value, str), value) for value in keys)
