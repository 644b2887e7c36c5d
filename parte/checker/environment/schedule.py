"""The times of a query schedule (specification: query-schedules). Times and durations are integer milliseconds.

A query runs every so often, in any phase, over the events of its lookback. The functions accept solver terms too: the
lemmas `schedule-…` are about them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from parte.semantics.events.event import Event
from parte.semantics.rulebook.connectives import conj

LONGEST = 2**52
"""The greatest duration of a schedule, in milliseconds; about 140,000 years."""


@dataclass(frozen=True, slots=True)
class QuerySchedule:
    """A query runs each `every` milliseconds over the events of the last `lookback` milliseconds.

    An event arrives at most `delay` milliseconds after its timestamp. The events of the lookback are those with such
    timestamps, or, with `by_arrival`, with such times of arrival. Raise ValueError for durations out of range.
    """

    every: int
    lookback: int
    delay: int = 0
    by_arrival: bool = False

    def __post_init__(self) -> None:
        for name, least in (("every", 1), ("lookback", 0), ("delay", 0)):
            if not least <= getattr(self, name) <= LONGEST:
                raise ValueError(f"`{name}` is from {least} to {LONGEST} ms, found {getattr(self, name)} ms")

    def reads(self, run: int, event: Event, arrival: int) -> bool:
        """Return whether the run at a time reads an event."""
        return reads(run, self.lookback, arrival if self.by_arrival else event.timestamp, arrival)

    def looking_back(self, lookback: int) -> QuerySchedule:
        """Return the schedule with another lookback."""
        return replace(self, lookback=lookback)


def reads(run: int, lookback: int, time: int, arrival: int) -> bool:
    """Return whether a run reads an event; `time` is its timestamp, or its arrival in a schedule by arrival."""
    return conj(run - lookback <= time, arrival <= run)


def enough(spread: int, every: int) -> int:
    """Return the least lookback with which each match is seen.

    `spread` is the greatest distance from the time of an event of a match to the arrival of another one.
    """
    return spread + every - 1


def spread_of(span: int, delay: int, *, by_arrival: bool, events: int) -> int:
    """Return the spread of a match of some events whose timestamps are at most `span` apart."""
    return 0 if by_arrival and events == 1 else span + delay


def most_reports(spread: int, every: int, lookback: int) -> int:
    """Return how many runs read all events of a match at most; `spread` is the least one."""
    return max(0, (lookback - spread) // every + 1)


def least_reports(spread: int, every: int, lookback: int) -> int:
    """Return how many runs read all events of a match at least; `spread` is the greatest one."""
    return max(0, (lookback - spread + 1) // every)
