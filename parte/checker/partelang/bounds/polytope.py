"""The most partial matches that can be live at one moment: a count over the temporal polytope (D §5.3.7;
specification: retention-left).

All sources have promised m, no event is later than m, and the window of every event of each partial match is still
open. Times are counted in steps of the greatest common divisor of all windows and periods, which changes no count.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from math import gcd, prod
from typing import Protocol

from parte.semantics.events.bounds import Natural
from parte.semantics.events.rates import Supply
from parte.semantics.partelang.counting import FREE, Budget, NotComputed
from parte.semantics.partelang.streams import Partial, Stream

LISTED = 50_000
"""The most partial matches, or beginnings of them, that are counted one by one."""

TRIED = 3_000
"""The most arrangements of events that are tried."""

LONGEST_GRID = 40
"""The most steps of a grid whose arrangements are tried."""

STEPS = 2_000_000
"""The most events that are placed, over all arrangements."""

Passed = Sequence[tuple[int, int]]
"""For events of a partial match, by index, how long (ms) a not-node that it has passed kept their window."""


@dataclass(frozen=True, slots=True)
class Count:
    """A maximum between two bounds; some arrangement attains `least`."""

    least: Natural
    greatest: Natural

    @property
    def exact(self) -> bool:
        """Return whether the two bounds are equal."""
        return self.least == self.greatest


def most_alive(partial: Partial, back: Sequence[int], passed: Sequence[Passed] = (), budget: Budget = FREE) -> Count:
    """Return the most partial matches whose event j lies at most `back[j]` milliseconds before m, and none after m.

    The upper bound is the least product (`Partial.product`) if there are too many arrangements to try. For streams
    that rules feed, and for known keys, it is the only bound.
    """
    upper = partial.product([partial.root(j, width) for j, width in enumerate(back)])
    if any(stream.emissions or stream.keys for stream in partial.streams) or not upper:
        return Count(0, upper)
    periods = [supply.rate.period for stream in partial.streams for supply in stream.supplies]
    ends = [end for row in partial.distances for window in row for end in window]
    unit = gcd(*periods, *ends, *back, *(end for windows_kept in passed for _, end in windows_kept))
    full = all(period == unit for period in periods)
    if upper > LISTED:
        number = _filled(partial, [width // unit for width in back], unit) if full and not passed else None
        return Count(0, upper) if number is None else Count(number, number)
    listing = _Listing(partial, back, passed, budget)
    best, complete = 0, False
    try:
        best = listing.count([_Dense(stream.supplies) for stream in partial.streams])
        # If every instant of the grid is as full as the rates allow, nothing can be added.
        if best == upper or full:
            return Count(best, best)
        arrangements = _arrangements(partial.streams, back, unit)
        complete = arrangements is not None
        for number, arrangement in enumerate(arrangements or ()):
            if number >= TRIED:
                complete = False
                break
            best = max(best, listing.count(arrangement))
    except NotComputed:
        complete = False
    return Count(best, best if complete else upper)


def _filled(partial: Partial, back: Sequence[int], unit: int) -> int | None:
    """Return the partial matches if every step of the grid is as full as the rates allow; None if it takes too long."""
    distances = [[(least // unit, greatest // unit) for least, greatest in row] for row in partial.distances]
    points = lattice_points(back, distances)
    if points is None:
        return None
    return points * prod(sum(supply.rate.events for supply in stream.supplies) for stream in partial.streams)


def lattice_points(back: Sequence[int], distances: Sequence[Sequence[tuple[int, int]]]) -> int | None:
    """Return the number of integer vectors x with -back[j] <= x[j] <= 0 and x[j] - x[i] in distances[i][j] for i < j.

    None if more than `LISTED` prefixes would have to be listed: all coordinates but the last two are listed.
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
    """Return the number of pairs of x in `first` and y in `second` with y - x in `distance`, all three closed."""
    (low, high), (least, greatest) = second, distance
    start, end = max(first[0], low - greatest), min(first[1], high - least)
    if low > high or least > greatest or start > end:
        return 0

    def partners(x: int) -> int:
        return min(high, x + greatest) - max(low, x + least) + 1

    # Between these cuts, the number of partners changes by the same amount at each step.
    cuts = sorted({start, end + 1, *(cut for cut in (high - greatest, low - least) if start < cut <= end)})
    return sum(
        (partners(low_cut) + partners(high_cut - 1)) * (high_cut - low_cut) // 2 for low_cut, high_cut in pairwise(cuts)
    )


class _Events(Protocol):
    """The events of one stream, in an arrangement."""

    def between(self, low: int, high: int) -> Iterable[tuple[int, int]]:
        """Yield the times from `low` to `high` at which there are events, with their numbers."""


@dataclass(frozen=True, slots=True)
class _Dense:
    """Events of sources that send as much as they may, from m backwards."""

    supplies: Sequence[Supply]

    def between(self, low: int, high: int) -> Iterator[tuple[int, int]]:
        for supply in self.supplies:
            period = supply.rate.period
            for step in range(-(high // period), -low // period + 1) if low <= high else ():
                yield -step * period, supply.rate.events


@dataclass(frozen=True, slots=True)
class _Single:
    """One event at each of some times, in order."""

    times: Sequence[int]

    def between(self, low: int, high: int) -> Iterator[tuple[int, int]]:
        for time in self.times[bisect_left(self.times, low) : bisect_right(self.times, high)]:
            yield time, 1


def _arrangements(streams: Sequence[Stream], back: Sequence[int], unit: int) -> Iterator[list[_Events]] | None:
    """Return the arrangements that the rates allow and to which no event can be added.

    Only for streams of one source with one event at a time, and if the grid has few enough steps; else None.
    """
    distinct = list({id(stream): stream for stream in streams}.values())
    if not all(len(stream.supplies) == 1 and stream.supplies[0].rate.events == 1 for stream in distinct):
        return None
    depths = [
        max(width // unit for width, stream in zip(back, streams, strict=True) if stream is member)
        for member in distinct
    ]
    if sum(depths) > LONGEST_GRID:
        return None
    options = [
        list(_spaced(-depth, stream.supplies[0].rate.period // unit))
        for depth, stream in zip(depths, distinct, strict=True)
    ]

    def arrange() -> Iterator[list[_Events]]:
        for choice in product(*options):
            sent = {
                id(stream): _Single([time * unit for time in times])
                for stream, times in zip(distinct, choice, strict=True)
            }
            yield [sent[id(stream)] for stream in streams]

    return arrange()


def _spaced(start: int, period: int) -> Iterator[tuple[int, ...]]:
    """Yield the sequences of times from `start` to 0, at least `period` apart, to which no time can be added."""
    for time in range(start, min(start + period, 1)):
        if time + period > 0:
            yield (time,)
        else:
            for rest in _spaced(time + period, period):
                yield (time, *rest)


class _Listing:
    """A counter of the partial matches of arrangements, one by one, from the event of which there are fewest on."""

    def __init__(self, partial: Partial, back: Sequence[int], passed: Sequence[Passed], budget: Budget) -> None:
        self.back = back
        self.passed = passed
        self.budget = budget
        self.left = STEPS
        self.order = self.fewest_first(partial)
        self.windows = [
            [(number, *partial.distances[i][j]) for number, i in enumerate(self.order[:place])]
            for place, j in enumerate(self.order)
        ]

    def fewest_first(self, partial: Partial) -> list[int]:
        counts = {j: partial.candidates(j, width) for j, width in enumerate(self.back)}
        order: list[int] = []
        while counts:
            _, chosen = min((count, j) for j, count in counts.items())
            del counts[chosen]
            order.append(chosen)
            counts = {j: min(count, partial.edge(chosen, j)) for j, count in counts.items()}
        return order

    def count(self, arrangement: Sequence[_Events]) -> int:
        """Return the number of partial matches of an arrangement. Raise NotComputed if that takes too long."""
        times: list[int] = []

        def extend() -> int:
            place = len(times)
            if place == len(self.order):
                return int(
                    all(
                        any(times[self.order.index(j)] < -end for j, end in windows_kept)
                        for windows_kept in self.passed
                    )
                )
            j = self.order[place]
            low, high = -self.back[j], 0
            for earlier, least, greatest in self.windows[place]:
                low, high = max(low, times[earlier] + least), min(high, times[earlier] + greatest)
            number = 0
            for time, events in arrangement[j].between(low, high):
                self.left -= 1
                if self.left < 0:
                    raise NotComputed("too many partial matches to be listed")
                self.budget.spend()
                times.append(time)
                number += events * extend()
                times.pop()
            return number

        return extend()
