"""The most partial matches that can be live at one moment: a count over the temporal polytope (D §5.3.7;
specification: retention-left).

All sources have promised m, no event is later than m, and of each partial match every event's window is still open.
Times are counted in steps of the greatest common divisor of all windows and periods, which changes no count.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from math import gcd, prod

from parte.semantics.events.bounds import Natural
from parte.semantics.parte.streams import Partial

LISTED = 50_000
"""At most so many partial matches, or beginnings of them, are counted one by one."""

TRIED = 3_000
"""At most so many arrangements of events are tried."""

Passed = Sequence[tuple[int, int]]
"""For events of a partial match, by index, how long in milliseconds a not-node that it has passed kept their window."""


@dataclass(frozen=True, slots=True)
class Count:
    """A greatest number, known to be between two bounds; `least` is attained."""

    least: Natural
    greatest: Natural

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
    if any(stream.emissions or stream.keys for stream in partial.streams) or not upper:
        return Count(0, upper)
    periods = [supply.rate.period for stream in partial.streams for supply in stream.supplies]
    ends = [end for row in partial.distances for window in row for end in window]
    unit = gcd(*periods, *ends, *back, *(end for one in passed for _, end in one))
    if upper > LISTED:
        filled = not passed and all(period == unit for period in periods)
        number = _filled(partial, [width // unit for width in back], unit) if filled else None
        return Count(0, upper) if number is None else Count(number, number)
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


def _filled(partial: Partial, back: Sequence[int], unit: int) -> int | None:
    """The partial matches when every step of the grid is as full as the rates allow; None if that takes too long."""
    distances = [[(least // unit, greatest // unit) for least, greatest in row] for row in partial.distances]
    points = lattice_points(back, distances)
    if points is None:
        return None
    return points * prod(sum(supply.rate.events for supply in stream.supplies) for stream in partial.streams)


def lattice_points(back: Sequence[int], distances: Sequence[Sequence[tuple[int, int]]]) -> int | None:
    """How many vectors of whole numbers x have -back[j] <= x[j] <= 0 and x[j] - x[i] within distances[i][j] for i < j.

    None if more than `LISTED` prefixes would have to be listed: all coordinates but the last two are.
    """
    if prod(width + 1 for width in back[:-2]) > LISTED:
        return None

    def limits(j: int, before: Sequence[int]) -> tuple[int, int]:
        low = max([-back[j], *(x + distances[i][j][0] for i, x in enumerate(before))])
        return low, min([0, *(x + distances[i][j][1] for i, x in enumerate(before))])

    def extend(before: tuple[int, ...]) -> int:
        j = len(before)
        low, high = limits(j, before)
        if j == len(back) - 1:
            return max(0, high - low + 1)
        if j == len(back) - 2:
            return _pairs((low, high), limits(j + 1, before), distances[j][j + 1])
        return sum(extend((*before, x)) for x in range(low, high + 1))

    return extend(())


def _pairs(first: tuple[int, int], second: tuple[int, int], distance: tuple[int, int]) -> int:
    """How many x within `first` and y within `second` have y - x within `distance`, all three closed."""
    (low, high), (least, greatest) = second, distance
    start, end = max(first[0], low - greatest), min(first[1], high - least)
    if low > high or least > greatest or start > end:
        return 0

    def partners(x: int) -> int:
        return min(high, x + greatest) - max(low, x + least) + 1

    # Between these places the number of partners changes by the same amount at each step.
    cuts = sorted({start, end + 1, *(cut for cut in (high - greatest, low - least) if start < cut <= end)})
    return sum((partners(one) + partners(other - 1)) * (other - one) // 2 for one, other in pairwise(cuts))


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
