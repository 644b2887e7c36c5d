"""The runs of a net on a trace: one for each partition (specification: lead-partition)."""

from __future__ import annotations

from collections.abc import Iterable

from parte.semantics.events.event import Value
from parte.semantics.lead.syntax import tree
from parte.semantics.lead.syntax.matches import Occurrence


def key_of(rule: tree.Rule, event: Occurrence) -> tuple[tuple[bool, bool, Value], ...] | None:
    """The combination of values whose run an event is in; None if it lacks one."""
    values = [event.event.attributes.get(key.attribute) for key in rule.keys if key.length is None]
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None
    return tuple((isinstance(value, bool), isinstance(value, str), value) for value in known)


def partitions(rule: tree.Rule, found: Iterable[Occurrence]) -> list[list[Occurrence]]:
    """The occurrences of each run: one for each combination of values, and in it for each stretch; an event that lacks
    a value is in none."""
    groups: dict[object, list[Occurrence]] = {}
    for each in found:
        values = key_of(rule, each)
        if values is not None:
            groups.setdefault(values, []).append(each)
    runs = list(groups.values())
    for key in rule.keys:
        if key.length is not None:
            runs = [piece for run in runs for piece in _stretches(run, key.length)]
    return runs


def _stretches(run: list[Occurrence], length: tree.Duration | int) -> list[list[Occurrence]]:
    pieces: dict[int, list[Occurrence]] = {}
    for number, each in enumerate(run):
        which = number // length if isinstance(length, int) else (each.time - run[0].time) // length.milliseconds
        pieces.setdefault(which, []).append(each)
    return list(pieces.values())
