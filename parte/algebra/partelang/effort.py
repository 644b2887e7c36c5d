"""The bounds of the evaluators of the event algebra: each evaluator ends, and names the bound that it exceeds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MOST_VALUES: Final = 5_000_000
"""The most values of patterns, and pairs of values, that the definition looks at."""
MOST_CANDIDATES: Final = 1_000_000_000
"""The most events that the evaluator with indexes looks at; an event counts once each time it is tried in a pattern."""
MOST_MATCHES: Final = 5_000_000
"""The most matches of a rule that are stored."""


class TooMuch(MemoryError):
    """There is no room for the matches or intermediate results: raised before the run, or as soon as it shows."""

    hint = (
        "the model sound needs memory for the open windows only: parte run --model sound PROGRAM TRACE; or shorten the "
        "windows, add conditions, or give it a part of the log"
    )


@dataclass(slots=True)
class Effort:
    """The number of things that may be looked at (`most`), and that have been (`spent`)."""

    most: int = MOST_VALUES
    what: str = "values of patterns and pairs of them"
    spent: int = 0

    def spend(self, amount: int) -> None:
        """Count `amount` more things. Raise TooMuch if the total exceeds the bound."""
        self.spent += amount
        if self.spent > self.most:
            raise TooMuch(f"more than {self.most:,} {self.what} would have to be looked at")
