"""Limits on the work of the definition (specification: lead-denotation), which is exponential where its result is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

MAX_MATCHES = 20_000
"""More matches of a pattern than these are an error: the definition is not meant for them."""
MAX_STEPS = 5_000_000
"""So many events, matches and pairs of them are looked at."""

T = TypeVar("T")


class TooManyMatches(ValueError):
    """The definition would take too much memory, or too long."""

    def __init__(self, what: str = "") -> None:
        limit = what or f"a pattern has more than {MAX_MATCHES} matches here"
        super().__init__(f"{limit}; run a machine, or a shorter trace")


@dataclass(slots=True)
class Effort:
    """How many events, matches and pairs of them may be looked at, and were."""

    most: int = MAX_STEPS
    spent: int = 0

    def spend(self, amount: int) -> None:
        """Look at some. TooManyMatches if too many were."""
        self.spent += amount
        if self.spent > self.most:
            raise TooManyMatches(f"the definition would have to look at more than {self.most} events and matches")


def few(found: Iterable[T]) -> list[T]:
    """A list of the matches found. TooManyMatches where it is more than the definition is meant for."""
    first = list(islice(found, MAX_MATCHES + 1))
    if len(first) > MAX_MATCHES:
        raise TooManyMatches
    return first
