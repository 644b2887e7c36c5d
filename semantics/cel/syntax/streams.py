"""The stream that a trace is for a query (specification: cel-stream, cel-time)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from parte.semantics.cel.syntax import tree
from parte.semantics.events.event import Event, TraceItem
from parte.semantics.events.problems import Problem, TraceError


def stream(query: tree.Query, items: Iterable[TraceItem], filename: str = "trace.jsonl") -> tuple[Event, ...]:
    """The events of a trace. TraceError if timestamps fall under a window of time."""
    events = tuple(item for item in items if isinstance(item, Event))
    if isinstance(query.window, tree.TimeWindow):
        problems = [
            Problem(
                filename,
                event.line,
                f"the timestamp {event.timestamp} is before {before.timestamp}, that of the event before",
                "under a window of time events come in the order of their timestamps; sort the trace",
            )
            for before, event in pairwise(events)
            if event.timestamp < before.timestamp
        ]
        if problems:
            raise TraceError(problems)
    return events
