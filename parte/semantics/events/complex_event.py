"""Complex events: an interval of a stream, and the events in it that form the result (specification: cel-results)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class ComplexEvent:
    """The positions of a stream from `start` to `end`, both included, and those of them that matter, which fall into
    the interval and rise. Positions are counted from 0."""

    end: int
    start: int
    positions: tuple[int, ...]
