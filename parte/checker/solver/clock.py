"""How long a question may take that is decided without the solver: beyond, it is not decided."""

from __future__ import annotations

from time import perf_counter

from parte.semantics.events.bounds import Seconds


class Undecided(Exception):
    """A question that was not decided; it says why."""


class Clock:
    """The time of one question, and how many steps it may take."""

    def __init__(self, seconds: Seconds, steps: int = 10_000_000) -> None:
        self._until = perf_counter() + seconds
        self._seconds, self._left, self._most = seconds, steps, steps
        if seconds <= 0:
            raise Undecided("no time was allowed")

    def tick(self, every: int = 64) -> None:
        """One step more; the time is looked at every so many steps."""
        self._left -= 1
        if self._left < 0:
            raise Undecided(f"it takes more than {self._most} steps")
        if self._left % every == 0 and perf_counter() > self._until:
            raise Undecided(f"it takes more than {self._seconds:g} s")
