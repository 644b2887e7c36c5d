"""Complex events: where something happened in a stream, and the events that make it up (specification: cel-results)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class ComplexEvent:
    """The positions of a stream from `start` to `end`, both included, and those of them that matter, which fall into
    the interval and rise. Positions are counted from 0."""

    end: int
    start: int
    positions: tuple[int, ...]
