"""Limits on the work of the definition (specification: lead-denotation), which is exponential where its result is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

MAX_MATCHES = 20_000
"""The greatest number of matches of a pattern; more are an error."""
MAX_STEPS = 5_000_000
"""The greatest number of events, matches and pairs of them that the definition examines."""

T = TypeVar("T")


class TooManyMatches(ValueError):
    """The definition would take too much memory, or too long."""

    def __init__(self, what: str = "") -> None:
        limit = what or f"a pattern has more than {MAX_MATCHES} matches here"
        super().__init__(f"{limit}; run a machine, or a shorter trace")


@dataclass(slots=True)
class Effort:
    """The numbers of events, matches and pairs of them that may be examined, and that were."""

    most: int = MAX_STEPS
    spent: int = 0

    def spend(self, amount: int) -> None:
        """Count `amount` more examined items. Raise TooManyMatches above the limit."""
        self.spent += amount
        if self.spent > self.most:
            raise TooManyMatches(f"the definition would have to look at more than {self.most} events and matches")


def few(matches: Iterable[T]) -> list[T]:
    """Return the matches as a list. Raise TooManyMatches if there are more than MAX_MATCHES."""
    first = list(islice(matches, MAX_MATCHES + 1))
    if len(first) > MAX_MATCHES:
        raise TooManyMatches
    return first
