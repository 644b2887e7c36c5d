"""The most partial matches that can be live at one moment: a count over the temporal polytope (D §5.3.7, SPEC §5).

All sources have promised m, no event is later than m, and of each partial match every event's window is still open.
Times are counted in steps of the greatest common divisor of all windows and periods, which changes no count.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import gcd

from semantics.streams import Partial

LISTED = 50_000
"""At most so many partial matches are counted one by one."""

TRIED = 3_000
"""At most so many arrangements of events are tried."""

Passed = Sequence[tuple[int, int]]
"""For events of a partial match, by index, how long in milliseconds a not-node that it has passed kept their window."""


@dataclass(frozen=True, slots=True)
class Count:
    """A greatest number, known to be between two bounds; `least` is attained."""

    least: int
    greatest: int

    @property
    def exact(self) -> bool:
        """Whether the two bounds are one."""
        return self.least == self.greatest


def most_alive(partial: Partial, back: Sequence[int], passed: Sequence[Passed] = ()) -> Count:
    """The most partial matches whose event j lies at most `back[j]` milliseconds before m and none after it.

    The upper bound is a product along the best spanning tree where the arrangements are too many to be tried. Streams
    that rules feed, and known keys, are bounded by it alone.
    """
    upper = partial.product([partial.candidates(j, width) for j, width in enumerate(back)])
    if any(stream.emissions or stream.keys for stream in partial.streams) or not 0 < upper <= LISTED:
        return Count(0, upper)
    periods = [supply.rate.period for stream in partial.streams for supply in stream.supplies]
    ends = [end for row in partial.distances for window in row for end in window]
    unit = gcd(*periods, *ends, *back, *(end for one in passed for _, end in one))
    grid = _Grid(partial, [width // unit for width in back], passed, unit)
    dense = grid.count(grid.dense())
    if dense == upper or all(period == unit for period in periods):
        # Every instant of the grid is as full as the rates allow, so nothing can be added.
        return Count(dense, dense)
    best, complete = dense, grid.single
    for number, arrangement in enumerate(grid.arrangements() if grid.single else ()):
        if number >= TRIED:
            complete = False
            break
        best = max(best, grid.count(arrangement))
    return Count(best, best if complete else upper)


Arrangement = Mapping[int, Mapping[int, int]]
"""For each stream, by identity, how many events lie at each step of the grid."""


class _Grid:
    def __init__(self, partial: Partial, back: Sequence[int], passed: Sequence[Passed], unit: int) -> None:
        self.partial = partial
        self.back = back
        self.passed = [[(index, (-end - 1) // unit) for index, end in one] for one in passed]
        self.unit = unit
        self.streams = {id(stream): stream for stream in partial.streams}
        self.depth = {
            key: max(width for width, stream in zip(back, partial.streams, strict=True) if id(stream) == key)
            for key in self.streams
        }
        self.single = all(
            len(stream.supplies) == 1 and stream.supplies[0].rate.events == 1 for stream in self.streams.values()
        )

    def dense(self) -> Arrangement:
        """Every source sends as much as it may, beginning with m and going back."""
        found: dict[int, dict[int, int]] = {}
        for key, stream in self.streams.items():
            times = found.setdefault(key, {})
            for supply in stream.supplies:
                for time in range(0, self.depth[key] + 1, supply.rate.period // self.unit):
                    times[-time] = times.get(-time, 0) + supply.rate.events
        return found

    def arrangements(self) -> Iterator[Arrangement]:
        """All that the rates allow and that cannot be filled up; for streams of one source, one event at a time."""
        keys = list(self.streams)
        options = [list(self.spaced(-self.depth[key], key)) for key in keys] if self.small() else []
        for choice in product(*options) if options else ():
            yield {key: dict.fromkeys(times, 1) for key, times in zip(keys, choice, strict=True)}
        if not options:
            # Too many to list: running out of tries leaves the upper bound.
            while True:
                yield {}

    def small(self) -> bool:
        """Whether the steps of the grid are few enough to list the arrangements."""
        return sum(self.depth.values()) <= 40

    def spaced(self, start: int, key: int) -> Iterator[tuple[int, ...]]:
        """The sequences of times from `start` to 0 with the least distance or more, but no room for one more."""
        period = self.streams[key].supplies[0].rate.period // self.unit

        def from_(first: int) -> Iterator[tuple[int, ...]]:
            for time in range(first, min(first + period, 1)):
                if time + period > 0:
                    yield (time,)
                else:
                    for rest in from_(time + period):
                        yield (time, *rest)

        yield from from_(start)

    def count(self, arrangement: Arrangement) -> int:
        """The partial matches of an arrangement."""
        distances, streams = self.partial.distances, self.partial.streams
        unit = self.unit

        def extend(times: tuple[int, ...]) -> int:
            j = len(times)
            if j == len(streams):
                return int(all(any(times[index] <= end for index, end in one) for one in self.passed))
            low, high = -self.back[j], 0
            for i, time in enumerate(times):
                least, greatest = distances[i][j]
                low, high = max(low, time + least // unit), min(high, time + greatest // unit)
            at = arrangement.get(id(streams[j]), {})
            return sum(at[time] * extend((*times, time)) for time in range(low, high + 1) if time in at)

        return extend(())
