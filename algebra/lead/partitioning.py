"""The runs of a rule on a trace, by what PARTITION BY says (specification: lead-partition)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from parte.semantics.lead.syntax import tree
from parte.semantics.lead.syntax.matches import Occurrence

Events = Sequence[Occurrence]


def runs(rule: tree.Rule, events: Events) -> list[Events]:
    """The events of each run, in the order of their first ones."""
    found: list[Events] = [events] if events else []
    for key in sorted(rule.keys, key=lambda each: each.length is not None):
        match key.length:
            case None:
                found = [part for run in found for part in _by_value(run, key.attribute)]
            case int() as size:
                found = [run[start : start + size] for run in found for start in range(0, len(run), size)]
            case length:
                found = [part for run in found for part in _by_time(run, length.milliseconds)]
    return found


def _by_value(run: Events, attribute: str) -> list[Events]:
    """A run for each value; values are equal if they are of one kind. Without a value an event is in none."""
    parts: list[tuple[object, list[Occurrence]]] = []
    for each in run:
        value = each.event.attributes.get(attribute)
        if value is None:
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


def _by_time(run: Events, length: int) -> list[Events]:
    """Stretches of so many milliseconds, from the first event."""
    begin = run[0].time
    return [list(part) for _, part in groupby(run, key=lambda each: (each.time - begin) // length)]
