"""Counts with limits on their size and on the time that they take."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

LARGEST = 10**300
"""The largest count: a greater one would be of no use."""


class NotComputed(ValueError):
    """A count was given up; the message says which count, and why."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The end of the time for counting, by `time.monotonic`."""

    until: float = math.inf

    @classmethod
    def of(cls, seconds: float) -> Budget:
        """From now on."""
        return cls(time.monotonic() + seconds)

    def spend(self) -> None:
        """NotComputed if the time is over."""
        if time.monotonic() > self.until:
            raise NotComputed("the time that was allowed is over")


FREE = Budget()
"""No limit."""


def affordable(count: int) -> int:
    """The count; NotComputed if it is too large."""
    if count > LARGEST:
        raise NotComputed("more than 10^300 of them are possible")
    return count
