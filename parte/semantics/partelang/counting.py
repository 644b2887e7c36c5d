"""Counts with limits: they are given up if they become too large, or take longer than allowed."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

LARGEST = 10**300
"""The largest count: a larger one would be useless, and hardly printable."""


class NotComputed(ValueError):
    """A count was given up; the message names the count and the reason."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The time, by `time.monotonic`, until which counting may go on."""

    until: float = math.inf

    @classmethod
    def of(cls, seconds: float) -> Budget:
        """Return a budget that begins now."""
        return cls(time.monotonic() + seconds)

    def spend(self) -> None:
        """Raise NotComputed if the time is over."""
        if time.monotonic() > self.until:
            raise NotComputed("the time that was allowed is over")


FREE = Budget()
"""No limit."""


def affordable(count: int) -> int:
    """Return the count; raise NotComputed if it is too large."""
    if count > LARGEST:
        raise NotComputed("more than 10^300 of them are possible")
    return count
