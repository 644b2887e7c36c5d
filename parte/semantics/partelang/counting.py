"""Counts that are given up: where they grow beyond all use, or take longer than is allowed."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

LARGEST = 10**300
"""No count goes beyond this: it would be of no use, and hardly be written down."""


class NotComputed(ValueError):
    """A count was given up; the message says why, and of what."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Until when, by `time.monotonic`, counting may go on."""

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
