"""The events of a trace in order, and what is promised of those to come (specification: eql-trace, eql-release).

Without progress lines, an event promises that no event comes that is older by more than the disorder, from any source.
A pair of source and template promises by its progress lines only, from the first of them on.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from parte.languages.eql.semantics.syntax.readings import Readings
from parte.semantics.events.duration import duration_text
from parte.semantics.events.event import NEGATIVE_INFINITY, Event, Progress, TraceItem
from parte.semantics.events.problems import Problem, TraceError
from parte.semantics.events.promises import Pair
from parte.semantics.events.strictjson import quoted
from parte.semantics.events.trace import DEFAULT_FILENAME, LineReader

TIEBREAKER = "tiebreaker"
"""The option that names the attribute by which events of one timestamp are ordered."""

Place = tuple[int, int, int | float, int]
"""The place of an event in the order: its timestamp, whether it has no tiebreaker, the tiebreaker, its arrival."""


class Arrived(NamedTuple):
    """An event with its place in the order of events."""

    place: Place
    event: Event


@dataclass(slots=True)
class Stream:
    """A trace as it arrives. No event below `bound` comes any more.

    In the order of arrival timestamps may fall, but not in a query that is `spanned`, which has a maxspan.
    """

    readings: Readings
    tiebreaker: str = ""
    disorder: int = 0
    filename: str = DEFAULT_FILENAME
    spanned: bool = False
    bound: int = NEGATIVE_INFINITY
    lines: int = 0
    _reader: LineReader = field(init=False)
    _clock: int = NEGATIVE_INFINITY
    _latest: int = NEGATIVE_INFINITY
    _promised: dict[Pair, int] = field(default_factory=dict)
    _pairs: set[Pair] = field(default_factory=set)
    _arrivals: int = 0
    _is_plain: bool = field(init=False)

    def __post_init__(self) -> None:
        self._reader = LineReader(self.filename, nulls=True)
        self._is_plain = self.readings.order == "time" and not self.tiebreaker and not self.disorder

    def read(self, line: str) -> Arrived | None:
        """Return the event on the next line, if it has one. Raise TraceError if it is none, or comes too late."""
        self.lines += 1
        item = self._reader.read(line, self.lines) if line.strip() else None
        if self._reader.problems:
            raise TraceError(self._reader.problems)
        return None if item is None else self.add(item)

    def add(self, item: TraceItem) -> Arrived | None:
        """Return the next event with its place; None for a promise. Raise TraceError if it comes too late."""
        pair, timestamp = (item.source, item.template), item.timestamp
        if isinstance(item, Progress):
            self._promised[pair] = max(item.timestamp, self._promised.get(pair, NEGATIVE_INFINITY))
            self._pairs.discard(pair)
            self._raise_bound()
            return None
        if self._is_plain and timestamp >= self._clock and not self._promised:  # what is below needs no time then
            self._pairs.add(pair)
            self._clock = self.bound = timestamp
            self._arrivals += 1
            return Arrived((timestamp, 1, 0, self._arrivals), item)
        promised = max(self.bound, self._promised.get(pair, self._clock - self.disorder))
        if self.readings.order == "arrival":
            promised = self._latest if self.spanned else NEGATIVE_INFINITY
        if item.timestamp < promised:
            raise TraceError([self._late(item, promised)])
        self._latest = max(self._latest, item.timestamp)
        if pair not in self._promised:
            self._pairs.add(pair)
            self._clock = max(self._clock, item.timestamp)
        self._raise_bound()
        self._arrivals += 1
        return Arrived(self._place(item), item)

    def _raise_bound(self) -> None:
        if not self._promised:
            self.bound = max(self.bound, self._clock - self.disorder)
            return
        promises = [*self._promised.values(), *([self._clock - self.disorder] if self._pairs else [])]
        self.bound = max(self.bound, min(promises, default=NEGATIVE_INFINITY))

    def _place(self, event: Event) -> Place:
        if self.readings.order == "arrival":
            return 0, 0, 0, self._arrivals
        value = event.attributes.get(self.tiebreaker) if self.tiebreaker else None
        if isinstance(value, bool) or not isinstance(value, int | float):
            return event.timestamp, 1, 0, self._arrivals
        return event.timestamp, 0, value, self._arrivals

    def _late(self, event: Event, promised: int) -> Problem:
        lag = promised - event.timestamp
        return Problem(
            self.filename,
            event.line,
            f"event {quoted(event.id)} of {event.template} has the timestamp {event.timestamp}, "
            f"{lag} ms below what was promised before it",
            f"sort the trace, allow for the delay with --disorder '{duration_text(self.disorder + lag)}', "
            "or begin with a progress line of each source",
        )


def ordered(items: Iterable[TraceItem], stream: Stream) -> list[Event]:
    """Return the events of a whole trace in order. Raise TraceError if one comes too late."""
    arrived = [added for item in items if (added := stream.add(item)) is not None]
    return [item.event for item in sorted(arrived, key=lambda item: item.place)]
