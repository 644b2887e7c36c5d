"""A program on a trace that still comes: lines are fed, and matches come out as soon as they are certain."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar

M = TypeVar("M", covariant=True)


class Running(Protocol[M]):
    """A run of a program. Each call returns the matches that are certain now and were not before."""

    def feed(self, lines: Iterable[str]) -> Iterable[M]:
        """Take more lines: events, and promises where the language has them. TraceError if a line is wrong."""
        ...

    def end(self) -> Iterable[M]:
        """End the trace: nothing more comes from any source."""
        ...
