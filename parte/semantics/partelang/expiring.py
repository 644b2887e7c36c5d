"""Histories of staged runs: a list of entries for each key, in the order in which they expire.

Both give the results of `IndexedHistory`, but expired entries may stay in the list of their key, before the live ones.
So a search in `buckets` must begin at a time that is not before the last bound, as those of the rules do
(specification: bounds-on-later-payloads).

- `SweptHistory` stores nothing else. Expired entries leave a list when the next one comes into it, and all lists when
  most entries have expired. It does not return them: it is for those histories of which no rule asks that.
- `ReleasingHistory` returns them. Entries that come in the order in which they expire are in a queue. Of others, such
  as partial matches of events of different ages, only those are sorted that expire next.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Final

from parte.semantics.events.event import NEGATIVE_INFINITY, POSITIVE_INFINITY
from parte.semantics.partelang.histories import Entry, History, _Queue
from parte.semantics.partelang.kernel import in_window
from parte.semantics.partelang.network import TwoInputNode

CELLS: Final = 256
"""The cells of time in the longest window of a node."""
UNSWEPT: Final = 1_024
"""A history with so many entries or fewer is not swept."""

closes_of: Callable[[Entry], int] = attrgetter("closes")


def _later_first(entry: Entry) -> int:
    return -entry.closes


def staged_histories(node: TwoInputNode, *, read: bool) -> tuple[History, History]:
    """Return the empty left and right history of a node; `read` if another node reads its bounds."""
    positions = len(node.left) if read else 0
    left = ReleasingHistory(positions, max(node.maxima)) if node.negated else SweptHistory(positions)
    return left, SweptHistory(int(read))


class SweptHistory:
    """A history with an index on key and time, updated in place.

    `positions` counts the events of an entry whose earliest timestamps are asked for. No entry that ends before `least`
    is live.
    """

    __slots__ = ("_by_event", "_limit", "_size", "buckets", "least")

    def __init__(self, positions: int) -> None:
        self.buckets: dict[Hashable, list[Entry]] = {}
        self.least = NEGATIVE_INFINITY
        self._size = 0
        self._limit = UNSWEPT
        self._by_event = tuple(_Queue() for _ in range(positions))

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
        self._size += 1
        if self._size > self._limit:
            self._sweep()
        bucket = self.buckets.get(entry.key)
        if bucket is None:
            self.buckets[entry.key] = [entry]
        else:
            if bucket[len(bucket) >> 1].closes < self.least:  # most have expired
                self._drop(bucket)
            if not bucket or bucket[-1].closes <= closes:
                bucket.append(entry)
            else:
                insort(bucket, entry, key=closes_of)
        if self._by_event:
            for event, queue in zip(entry.events, self._by_event, strict=True):
                queue.add(event.timestamp, id(entry), entry)
        return self

    def _drop(self, bucket: list[Entry]) -> None:
        expired = self._expired(bucket)
        self._size -= expired
        del bucket[:expired]

    def _sweep(self) -> None:
        least = self.least
        for key in [key for key, bucket in self.buckets.items() if bucket[0].closes < least]:
            bucket = self.buckets[key]
            self._drop(bucket)
            if not bucket:
                del self.buckets[key]
        self._limit = max(UNSWEPT, 2 * self._size)

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
            self._size -= 1
            if not bucket:
                del self.buckets[entry.key]
        return self

    def earliest(self, position: int) -> int:
        queue = self._by_event[position]
        while (entry := queue.first()) is not None and entry.closes < self.least:
            entry.stored = False
        return POSITIVE_INFINITY if entry is None else entry.events[position].timestamp


class ReleasingHistory(SweptHistory):
    """The same, and `passed` returns the entries that have expired. The longest lifetime is `span` milliseconds."""

    __slots__ = ("_cells", "_horizon", "_near", "_ordered", "_width")

    def __init__(self, positions: int, span: int) -> None:
        super().__init__(positions)
        self._ordered: deque[Entry] = deque()
        self._near: list[Entry] = []
        self._cells: dict[int, list[Entry]] = {}
        self._width = max(1, span // CELLS)
        self._horizon = NEGATIVE_INFINITY

    def stored(self, entry: Entry) -> ReleasingHistory:
        super().stored(entry)
        closes, ordered = entry.closes, self._ordered
        if closes < self.least:
            return self
        if not ordered or ordered[-1].closes <= closes:
            ordered.append(entry)
        elif closes < self._horizon:
            insort(self._near, entry, key=_later_first)
        else:
            self._cells.setdefault(closes // self._width, []).append(entry)
        return self

    def passed(self, bound: int) -> tuple[ReleasingHistory, Sequence[Entry]]:
        if bound <= self.least:
            return self, ()
        self.least = bound
        ordered, near, leaving = self._ordered, self._near, list[Entry]()
        while ordered and ordered[0].closes < bound:
            leaving.append(ordered.popleft())
        while near and near[-1].closes < bound:
            leaving.append(near.pop())
        if self._horizon <= bound and self._cells:
            leaving += self._advanced(bound)
        return self, [entry for entry in leaving if entry.stored]

    def _advanced(self, bound: int) -> list[Entry]:
        """Move the horizon beyond a bound, and return the entries of the cells before it that have expired."""
        last = bound // self._width
        numbers = [number for number in self._cells if number <= last]
        entries = [entry for number in numbers for entry in self._cells.pop(number)]
        self._near += [entry for entry in entries if entry.closes >= bound]
        self._near.sort(key=_later_first)
        self._horizon = (last + 1) * self._width
        return [entry for entry in entries if entry.closes < bound]
