"""The stream of a query, from a trace (specification: cel-stream, cel-time)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from parte.languages.cel.semantics.syntax import tree
from parte.semantics.events.event import Event, TraceItem
from parte.semantics.events.problems import Problem, TraceError
from parte.semantics.events.trace import DEFAULT_FILENAME, LineReader


class Stream:
    """The stream of a query while its trace arrives: `events` are those that have arrived."""

    def __init__(self, query: tree.Query, filename: str = DEFAULT_FILENAME) -> None:
        self.events: list[Event] = []
        self._timed = isinstance(query.window, tree.TimeWindow)
        self._reader = LineReader(filename)
        self._lines = 0

    def more(self, lines: Iterable[str]) -> list[Event]:
        """Return the events of the next lines. Raise TraceError if a line does not belong to a trace, or if timestamps
        decrease under a window of time."""
        items = []
        for line in lines:
            self._lines += 1
            item = self._reader.read(line, self._lines) if line.strip() else None
            if item is not None:
                items.append(item)
        if self._reader.problems:
            raise TraceError(self._reader.problems)
        return self.add(items)

    def add(self, items: Iterable[TraceItem]) -> list[Event]:
        """Return the events among the next items. Raise TraceError if timestamps decrease under a window of time."""
        events = [item for item in items if isinstance(item, Event)]
        if self._timed:
            pairs = pairwise([*self.events[-1:], *events])
            problems = [self._falls(earlier, later) for earlier, later in pairs if later.timestamp < earlier.timestamp]
            if problems:
                raise TraceError(problems)
        self.events += events
        return events

    def _falls(self, before: Event, event: Event) -> Problem:
        return Problem(
            self._reader.filename,
            event.line,
            f"the timestamp {event.timestamp} is before {before.timestamp}, that of the event before",
            "under a window of time events come in the order of their timestamps; sort the trace",
        )


def stream(query: tree.Query, items: Iterable[TraceItem], filename: str = DEFAULT_FILENAME) -> list[Event]:
    """Return the events of a whole trace. Raise TraceError if timestamps decrease under a window of time."""
    return Stream(query, filename).add(items)
