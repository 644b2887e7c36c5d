"""The occurrences of a trace for a rule (specification: lead-trace)."""

from __future__ import annotations

from collections.abc import Iterable

from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.matches import Occurrence
from parte.semantics.events.event import Event, TraceItem
from parte.semantics.events.problems import Problem, TraceError
from parte.semantics.events.trace import DEFAULT_FILENAME


def occurrences(
    rule: tree.Rule, items: Iterable[TraceItem], disorder: int = 0, filename: str = DEFAULT_FILENAME
) -> list[Occurrence]:
    """Return the events of a rule's streams, in the order of their positions.

    Raise TraceError if an event comes more than `disorder` milliseconds after a later one.
    """
    wanted = {stream.name for stream in rule.streams}
    accepted: list[Occurrence] = []
    problems: list[Problem] = []
    latest: int | None = None
    for arrival, item in enumerate(items):
        if not isinstance(item, Event):
            continue
        problem = late(item, latest, disorder, filename)
        problems += [] if problem is None else [problem]
        latest = item.timestamp if latest is None else max(latest, item.timestamp)
        if item.template in wanted:
            accepted.append(Occurrence((item.timestamp, arrival), item))
    if problems:
        raise TraceError(problems)
    return sorted(accepted, key=lambda occurrence: occurrence.position)


def late(event: Event, latest: int | None, disorder: int, filename: str) -> Problem | None:
    """Return the problem of an event that comes more than `disorder` milliseconds after one at `latest`, or None."""
    if latest is None or event.timestamp >= latest - disorder:
        return None
    message = f"late-event: the timestamp {event.timestamp} comes after {latest}, which is later"
    return Problem(filename, event.line, message, "sort the trace, or allow more disorder")
