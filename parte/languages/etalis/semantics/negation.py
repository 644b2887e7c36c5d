"""Negation: an event that is absent between two others (E §5, algorithm 5.4; specification: etalis-steps).

Only the absent events that may still lie between two others are stored: one that begins no later than another that
ended before it adds nothing.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from parte.languages.etalis.semantics.goals import Goals
from parte.languages.etalis.semantics.rulebook import rule
from parte.languages.etalis.semantics.syntax.values import Number


@dataclass(slots=True)
class Blocks:
    """The events that are to be absent: by end, and each begins after those before it."""

    starts: list[Number] = field(default_factory=list)
    ends: list[Number] = field(default_factory=list)

    def latest(self, before: Number) -> Number | None:
        """Return the start of the last event that ended before a point in time; None if there is none."""
        place = bisect_left(self.ends, before)
        return self.starts[place - 1] if place else None

    def forget(self, least: Number) -> None:
        """Drop the events that are never the latest for an event that begins at `least` or later."""
        while len(self.ends) > 1 and self.ends[1] < least:
            del self.starts[0], self.ends[0]

    def forget_begun(self, least: Number) -> None:
        """Drop the events that began at `least` or before: no goal that ended later precedes them."""
        count = bisect_right(self.starts, least)
        del self.starts[:count], self.ends[:count]


@rule("NOT-GOAL", "Negation, goal inserting rule", "5, algorithm 5.4")
def not_goal(start: Number, end: Number) -> bool:
    """x is the first end: it waits for the second."""
    return True


@rule("NOT-BLOCK", "Negation, what is absent", "5, algorithm 5.4")
def not_block(blocks: Blocks, start: Number, end: Number) -> None:
    """x is absent between a goal that ended before it and a later event: store it, unless the stored ones imply it."""
    if not blocks.starts or blocks.starts[-1] < start:
        blocks.starts.append(start)
        blocks.ends.append(end)


@rule("NOT-IDLE", "Negation, what is absent", "5, algorithm 5.4")
def not_idle(goals: Collection[Goals], start: Number) -> bool:
    """x is absent between no two events, because no goal ended before it began."""
    return not any(waiting.ends[0] < start for waiting in goals)


@rule("NOT-CHECK", "Negation, checking rule", "5, algorithm 5.4")
def not_check(goals: Goals, start: Number, latest: Number | None) -> Sequence[int]:
    """x is the second end: the goals that ended before it began, such that no absent event began after the end of the
    goal and ended before x began."""
    ended = bisect_left(goals.ends, start)
    return range(ended) if latest is None else range(bisect_left(goals.ends, latest), ended)


@rule("NOT-DECIDE", "Negation, by intervals", "4, fig. 2")
def not_decide(pierced: Collection[object], pair: object) -> bool:
    """All shorter events of this instant have arrived: the head happens if no pair with its interval has an absent
    event between its ends."""
    return pair not in pierced
