"""Histories of staged runs: a list of entries for each key, in the order in which they expire.

Both give the results of `IndexedHistory`, but expired entries may stay in the list of their key, before the live ones.
So a search in `buckets` must begin at a time that is not before the last bound, as those of the rules do
(specification: bounds-on-later-payloads).

- `SweptHistory` stores nothing else, if no node reads its bounds. `sweep` removes expired entries: a run calls it when
  it tells bounds, and it does something when about half of the entries have expired. It does not return them: it is for
  those histories of which no rule asks that.
- `ReleasingHistory` returns them.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from heapq import heappop, heappush
from operator import attrgetter
from typing import Final

from parte.semantics.events.event import NEGATIVE_INFINITY, POSITIVE_INFINITY
from parte.semantics.partelang.histories import Entry, History
from parte.semantics.partelang.kernel import in_window
from parte.semantics.partelang.network import TwoInputNode

CELLS: Final = 256
"""The cells of time in the longest window of a node."""

closes_of: Callable[[Entry], int] = attrgetter("closes")


def staged_histories(node: TwoInputNode, *, read: bool) -> tuple[History, History]:
    """Return the empty left and right history of a node; `read` if another node reads its bounds."""
    width = max(1, (max(node.maxima) - min(node.minima)) // CELLS)
    left = (ReleasingHistory if node.negated else SweptHistory)(len(node.left) if read else 0, width)
    return left, SweptHistory(int(read), width)


class _Calendar:
    """Entries by a time. Most come in order and are in a queue; of the others, only one cell of time is sorted."""

    __slots__ = ("_cells", "_horizon", "_near", "_numbers", "_ordered", "_time", "_width")

    def __init__(self, time: Callable[[Entry], int], width: int) -> None:
        self._time = time
        self._width = width
        self._ordered: deque[Entry] = deque()
        self._near: list[Entry] = []
        """Those before the horizon, the last one first."""
        self._horizon = NEGATIVE_INFINITY
        self._cells: dict[int, list[Entry]] = {}
        self._numbers: list[int] = []

    def add(self, entry: Entry) -> None:
        time, ordered = self._time(entry), self._ordered
        if not ordered or self._time(ordered[-1]) <= time:
            ordered.append(entry)
        elif time < self._horizon:
            insort(self._near, entry, key=lambda entry: -self._time(entry))
        elif (cell := self._cells.get(number := time // self._width)) is not None:
            cell.append(entry)
        else:
            self._cells[number] = [entry]
            heappush(self._numbers, number)

    def expired(self, least: int) -> list[Entry]:
        """Remove and return the first entries, up to one that is stored and that ends at `least` or later."""
        ordered, leaving = self._ordered, list[Entry]()
        while ordered and not (ordered[0].stored and ordered[0].closes >= least):
            leaving.append(ordered.popleft())
        while True:
            near = self._near
            while near and not (near[-1].stored and near[-1].closes >= least):
                leaving.append(near.pop())
            if near or not self._numbers:
                return leaving
            number = heappop(self._numbers)
            self._near = sorted(self._cells.pop(number), key=self._time, reverse=True)
            self._horizon = (number + 1) * self._width

    def first(self) -> int:
        """Return the least time after `expired`; `POSITIVE_INFINITY` if there is no entry."""
        ordered, near = self._ordered, self._near
        return min(
            self._time(ordered[0]) if ordered else POSITIVE_INFINITY,
            self._time(near[-1]) if near else POSITIVE_INFINITY,
        )


def _timestamp_at(position: int) -> Callable[[Entry], int]:
    return lambda entry: entry.events[position].timestamp


class SweptHistory:
    """A history with an index on key and time, updated in place.

    `positions` counts the events of an entry whose earliest timestamps are asked for; `width` is that of a cell, in
    milliseconds. No entry that ends before `least` is live.
    """

    __slots__ = ("_by_event", "_due", "_new", "buckets", "least")

    def __init__(self, positions: int, width: int) -> None:
        self.buckets: dict[Hashable, list[Entry]] = {}
        self.least = NEGATIVE_INFINITY
        self._due = NEGATIVE_INFINITY
        self._new: list[Entry] = []
        """Entries that are not in `_by_event` yet: most expire before it is read."""
        self._by_event = tuple(_Calendar(_timestamp_at(position), width) for position in range(positions))

    def __len__(self) -> int:
        return sum(len(bucket) - self._expired(bucket) for bucket in self.buckets.values())

    def __iter__(self) -> Iterator[Entry]:
        return (entry for bucket in self.buckets.values() for entry in bucket[self._expired(bucket) :])

    def _expired(self, bucket: list[Entry]) -> int:
        return bisect_left(bucket, self.least, key=closes_of)

    def stored(self, entry: Entry) -> SweptHistory:
        closes = entry.closes
        if closes < self.least:
            return self
        bucket = self.buckets.get(entry.key)
        if bucket is None:
            self.buckets[entry.key] = [entry]
        elif bucket[-1].closes <= closes:
            bucket.append(entry)
        else:
            insort(bucket, entry, key=closes_of)
        if self._by_event:
            self._new.append(entry)
        return self

    def sweep(self) -> None:
        """Remove the expired entries if about half of those have expired that the last sweep left."""
        least = self.least
        if least <= self._due:
            return
        self.buckets = {
            key: bucket if bucket[0].closes >= least else bucket[self._expired(bucket) :]
            for key, bucket in self.buckets.items()
            if bucket[-1].closes >= least
        }
        middles = sorted(bucket[len(bucket) >> 1].closes for bucket in self.buckets.values())
        self._due = middles[len(middles) >> 1] if middles else NEGATIVE_INFINITY

    def overlapping(self, opens: int, closes: int, key: Hashable) -> Sequence[Entry]:
        bucket = self.buckets.get(key, ())
        entries = bucket[bisect_left(bucket, max(opens, self.least), key=closes_of) :]
        if opens == closes:
            return [entry for entry in entries if entry.opens <= opens]
        return [entry for entry in entries if in_window(entry.opens, opens, closes)]

    def passed(self, bound: int) -> tuple[SweptHistory, Sequence[Entry]]:
        self.least = max(self.least, bound)
        return self, ()

    def parted(self, stays: Callable[[Entry], bool]) -> tuple[SweptHistory, Sequence[Entry]]:
        leaving = [entry for entry in self if not stays(entry)]
        return self.without(leaving), leaving

    def without(self, entries: Iterable[Entry]) -> SweptHistory:
        for entry in entries:
            entry.stored = False
            bucket = self.buckets[entry.key]
            index = bisect_left(bucket, entry.closes, key=closes_of)
            while bucket[index] is not entry:
                index += 1
            del bucket[index]
            if not bucket:
                del self.buckets[entry.key]
        return self

    def earliest(self, position: int) -> int:
        if self._new:
            live = [entry for entry in self._new if entry.closes >= self.least and entry.stored]
            self._new = []
            for calendar in self._by_event:
                for entry in live:
                    calendar.add(entry)
        calendar = self._by_event[position]
        calendar.expired(self.least)
        return calendar.first()


class ReleasingHistory(SweptHistory):
    """The same, and `passed` returns the entries that have expired."""

    __slots__ = ("_by_closes",)

    def __init__(self, positions: int, width: int) -> None:
        super().__init__(positions, width)
        self._by_closes = _Calendar(closes_of, width)

    def stored(self, entry: Entry) -> ReleasingHistory:
        super().stored(entry)
        if entry.closes >= self.least:
            self._by_closes.add(entry)
        return self

    def passed(self, bound: int) -> tuple[ReleasingHistory, Sequence[Entry]]:
        if bound <= self.least:
            return self, ()
        self.least = bound
        return self, [entry for entry in self._by_closes.expired(bound) if entry.stored]
