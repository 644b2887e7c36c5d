"""Events and promises of progress: the two kinds of line in a trace (specification: trace-items; D def. 5, §5.4.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Value = int | float | str | bool | tuple[int | float | str | bool, ...]
"""An attribute value: Integer, Float, String, Boolean, or a list of them."""

NO_LINE = 0
"""The line of an item that was not read from a file."""


@dataclass(frozen=True, slots=True)
class Event:
    """An occurrence. `id` is its identity: two events with equal contents and different ids are two events.

    `timestamp` is in integer milliseconds (signed 64 bit). `line` is where the event was read, from 1, or `NO_LINE`.
    The attributes must not be changed.
    """

    id: str
    template: str
    timestamp: int
    attributes: Mapping[str, Value]
    source: str = "default"
    line: int = field(default=NO_LINE, compare=False, repr=False)

    def __hash__(self) -> int:
        return hash(self.id)


@dataclass(frozen=True, slots=True)
class Progress:
    """A promise: every later event of `template` from `source` has timestamp >= `timestamp` (milliseconds)."""

    source: str
    template: str
    timestamp: int
    line: int = field(default=NO_LINE, compare=False, repr=False)


TraceItem = Event | Progress


@dataclass(frozen=True, slots=True)
class Arrival:
    """A step of the input of an engine: an event or None, and the promise that holds from then on.

    After this arrival every later event of `template` from `source` has timestamp >= `bound`. Bounds of one source
    and template never decrease; the last is `POSITIVE_INFINITY`.
    """

    source: str
    template: str
    bound: int
    event: Event | None


NEGATIVE_INFINITY = -(2**100)
POSITIVE_INFINITY = 2**100
"""Bounds below and above all timestamps: integers so large that no sum of 64-bit durations reaches back.

They are integers, not floats, so that the arithmetic of the rules also runs on solver terms.
"""
