"""How much an evaluator of the event algebra may look at and keep: each of them ends, and names its bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MOST_VALUES: Final = 5_000_000
"""So many values of patterns, and pairs of them, the definition looks at."""
MOST_CANDIDATES: Final = 1_000_000_000
"""So many events, one for each time that it is tried in a pattern, the evaluator with indexes looks at."""
MOST_MATCHES: Final = 5_000_000
"""So many matches of a rule are kept."""


class TooMuch(MemoryError):
    """Matches, or what leads to them, for which there is no room: before anything is run, or as soon as it shows."""

    hint = (
        "the model sound needs memory for the open windows only: parte run --model sound PROGRAM TRACE; or shorten the "
        "windows, add conditions, or give it a part of the log"
    )


@dataclass(slots=True)
class Effort:
    """How much may be looked at, and was."""

    most: int = MOST_VALUES
    what: str = "values of patterns and pairs of them"
    spent: int = 0

    def spend(self, amount: int) -> None:
        """Look at some. TooMuch if that is too many."""
        self.spent += amount
        if self.spent > self.most:
            raise TooMuch(f"more than {self.most:,} {self.what} would have to be looked at")
