"""The occurrences that a trace has for a rule (specification: lead-trace)."""

from __future__ import annotations

from collections.abc import Iterable

from parte.semantics.events.event import Event, TraceItem
from parte.semantics.events.problems import Problem, TraceError
from parte.semantics.events.trace import DEFAULT_FILENAME
from parte.semantics.lead.syntax import tree
from parte.semantics.lead.syntax.matches import Occurrence


def occurrences(
    rule: tree.Rule, items: Iterable[TraceItem], disorder: int = 0, filename: str = DEFAULT_FILENAME
) -> list[Occurrence]:
    """The events of a rule's streams, in the order of their positions.

    TraceError if one comes more than `disorder` milliseconds after a later one.
    """
    wanted = {stream.name for stream in rule.streams}
    found: list[Occurrence] = []
    problems: list[Problem] = []
    latest: int | None = None
    for arrival, item in enumerate(items):
        if not isinstance(item, Event):
            continue
        if latest is not None and item.timestamp < latest - disorder:
            message = f"late-event: the timestamp {item.timestamp} comes after {latest}, which is later"
            problems.append(Problem(filename, item.line, message, "sort the trace, or allow more disorder"))
        latest = item.timestamp if latest is None else max(latest, item.timestamp)
        if item.template in wanted:
            found.append(Occurrence((item.timestamp, arrival), item))
    if problems:
        raise TraceError(problems)
    return sorted(found, key=lambda each: each.position)


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
