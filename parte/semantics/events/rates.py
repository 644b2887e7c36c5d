"""Arrival rates (D def. 2): rates as absolute upper bounds, and the lateness of a source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Rate:
    """At most `events` in any `period` milliseconds, a window that is closed at its start only (D def. 2)."""

    events: int
    period: int

    def __post_init__(self) -> None:
        if self.events < 1 or self.period < 1:
            raise ValueError(f"a rate needs at least one event and one millisecond, found {self}")

    @property
    def per_millisecond(self) -> Fraction:
        """Events per millisecond in the long run."""
        return Fraction(self.events, self.period)

    def within(self, width: int) -> int:
        """Return the number of events that fit into a closed window of `width` milliseconds; 0 if it is empty."""
        return 0 if width < 0 else self.events * (width // self.period + 1)


@dataclass(frozen=True, slots=True)
class Supply:
    """The events that one external source sends of one template: their rate, and lateness in milliseconds.

    After each of its events the source promises at least the latest timestamp so far less `late`; so its events are
    out of order by at most that much.
    """

    rate: Rate
    late: int = 0


def within(supplies: Sequence[Supply], width: int) -> int:
    """Return the number of events of several sources that fit into a closed window of `width` milliseconds."""
    return sum(supply.rate.within(width) for supply in supplies)


def least_span(supplies: Sequence[Supply], events: int) -> int:
    """Return the width in milliseconds of the narrowest closed window for `events` events; -1 for no event.

    The inverse of `within`: `least_span(s, n) > w` exactly when `n > within(s, w)`.
    """
    if events < 1:
        return -1
    if not supplies:
        raise ValueError("nothing is sent, so no window is wide enough")
    low, high = -1, 0
    while within(supplies, high) < events:
        low, high = high, 2 * high + 1
    while high - low > 1:
        middle = (low + high) // 2
        if within(supplies, middle) < events:
            low = middle
        else:
            high = middle
    return high
