"""The time limit of a question that is decided without the solver: beyond it, the question is not decided."""

from __future__ import annotations

from time import perf_counter

from parte.semantics.events.bounds import Seconds


class Undecided(Exception):
    """A question was not decided; the message is the reason."""


class Clock:
    """The time limit of one question, and the most steps that it may take."""

    def __init__(self, seconds: Seconds, steps: int = 10_000_000) -> None:
        self._until = perf_counter() + seconds
        self._seconds, self._left, self._most = seconds, steps, steps
        if seconds <= 0:
            raise Undecided("no time was allowed")

    def tick(self, every: int = 64) -> None:
        """Count one step; check the time every so many steps. Raise Undecided beyond a limit."""
        self._left -= 1
        if self._left < 0:
            raise Undecided(f"it takes more than {self._most} steps")
        if self._left % every == 0 and perf_counter() > self._until:
            raise Undecided(f"it takes more than {self._seconds:g} s")
