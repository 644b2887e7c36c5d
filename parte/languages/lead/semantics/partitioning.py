"""The runs of a net on a trace: one for each partition (specification: lead-partition)."""

from __future__ import annotations

from collections.abc import Iterable

from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.matches import Keys, Occurrence
from parte.semantics.events.event import Value


def key_of(rule: tree.Rule, event: Occurrence) -> tuple[tuple[bool, bool, Value], ...] | None:
    """The combination of values whose run an event is in; None if it lacks one, or has a list."""
    values = [event.event.attributes.get(key.attribute) for key in rule.keys if key.length is None]
    known = [value for value in values if value is not None and not isinstance(value, tuple)]
    if len(known) < len(values):
        return None
    return tuple((isinstance(value, bool), isinstance(value, str), value) for value in known)


def partitions(rule: tree.Rule, found: Iterable[Occurrence]) -> list[tuple[Keys, list[Occurrence]]]:
    """The occurrences of each run, with what tells it from the others: one for each combination of values, and in it
    for each stretch; an event that lacks a value is in none."""
    groups: dict[object, list[Occurrence]] = {}
    for each in found:
        values = key_of(rule, each)
        if values is not None:
            groups.setdefault(values, []).append(each)
    runs: list[tuple[tuple[int, ...], list[Occurrence]]] = [((), run) for run in groups.values()]
    for key in rule.keys:
        if key.length is not None:
            runs = [((*before, number), piece) for before, run in runs for number, piece in _stretches(run, key.length)]
    return [(keys_of(rule, run[0], numbers), run) for numbers, run in runs]


def keys_of(rule: tree.Rule, event: Occurrence, numbers: Iterable[int]) -> Keys:
    """The values of the keys of the run that an event is in, with the numbers of its windows, which count from 0."""
    left = iter(numbers)
    return tuple(event.event.attributes[key.attribute] if key.length is None else next(left) + 1 for key in rule.keys)


def _stretches(run: list[Occurrence], length: tree.Duration | int) -> list[tuple[int, list[Occurrence]]]:
    pieces: dict[int, list[Occurrence]] = {}
    for number, each in enumerate(run):
        which = number // length if isinstance(length, int) else (each.time - run[0].time) // length.milliseconds
        pieces.setdefault(which, []).append(each)
    return list(pieces.items())


def place_of(keys: Keys) -> tuple[object, ...]:
    """Where a partition stands among others: numbers, then strings, then Booleans, key by key."""
    return tuple((isinstance(value, bool), isinstance(value, str), value) for value in keys)
