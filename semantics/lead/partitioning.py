"""The runs of a net on a trace: one for each partition (specification: lead-partition)."""

from __future__ import annotations

from collections.abc import Iterable

from parte.semantics.lead.syntax import tree
from parte.semantics.lead.syntax.matches import Occurrence


def partitions(rule: tree.Rule, found: Iterable[Occurrence]) -> list[list[Occurrence]]:
    """The occurrences of each run: one for each combination of values, and in it for each stretch; an event that lacks
    a value is in none."""
    names = [key.attribute for key in rule.keys if key.length is None]
    groups: dict[object, list[Occurrence]] = {}
    for each in found:
        values = [each.event.attributes.get(name) for name in names]
        if None not in values:
            kinds = tuple((isinstance(value, bool), isinstance(value, str), value) for value in values)
            groups.setdefault(kinds, []).append(each)
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
