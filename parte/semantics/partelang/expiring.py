"""Histories of staged runs: a list of entries for each key, in the order in which they expire.

Both give the results of `IndexedHistory`, but expired entries may stay in the list of their key, before the live ones.
So a search in these lists must begin at a time that is not before the last bound, as those of the rules do
(specification: bounds-on-later-payloads).

- `SweptHistory` may have its lists in common with others. `sweep` removes expired entries: a run calls it when it tells
  bounds. It does not return them: it is for those histories of which no rule asks that.
- `ReleasingHistory` returns them.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from heapq import heappop, heappush, heapreplace
from operator import attrgetter

from parte.semantics.events.event import NEGATIVE_INFINITY, POSITIVE_INFINITY, Event
from parte.semantics.partelang.histories import Entry, History, _Queue
from parte.semantics.partelang.kernel import in_window
from parte.semantics.partelang.network import TwoInputNode

closes_of: Callable[[Entry], int] = attrgetter("closes")

_Batch = tuple[int, int, list[Entry]]
"""Entries that came between two times at which bounds were told: a time by which batches are sorted, and a number."""


def staged_histories(node: TwoInputNode, *, read: bool) -> tuple[History, History]:
    """Return the empty left and right history of a node; `read` if another node reads its bounds."""
    left = (ReleasingHistory if node.negated else SweptHistory)(len(node.left) if read else 0)
    return left, SweptHistory(int(read))


class _Earliest:
    """The least time of an event at one position of the entries, which come in batches."""

    __slots__ = ("_batches", "_number", "_time")

    def __init__(self, position: int) -> None:
        self._time: Callable[[Entry], int] = lambda entry: entry.events[position].timestamp
        self._batches: list[_Batch] = []
        """By the least time in each; the last entry of each has it."""
        self._number = 0

    def add(self, entries: list[Entry]) -> None:
        batch = sorted(entries, key=self._time, reverse=True)
        self._number += 1
        heappush(self._batches, (self._time(batch[-1]), self._number, batch))

    def first(self, least: int) -> int:
        """Return the least time of the entries that are stored and end at `least` or later, and drop others."""
        batches = self._batches
        while batches:
            time, number, batch = batches[0]
            if batch[-1].closes >= least and batch[-1].stored:
                return time
            while batch and not (batch[-1].closes >= least and batch[-1].stored):
                batch.pop()
            if batch:
                heapreplace(batches, (self._time(batch[-1]), number, batch))
            else:
                heappop(batches)
        return POSITIVE_INFINITY


class Lists:
    """The lists of entries by key, for one or more `histories` that store the same entries."""

    __slots__ = ("_batches", "_last", "_number", "by_key", "fresh", "histories")

    def __init__(self, history: SweptHistory) -> None:
        self.by_key: dict[Hashable, list[Entry]] = {}
        self.fresh: list[Entry] = []
        """Entries that are in no batch yet."""
        self.histories = [history]
        self._batches: list[_Batch] = []
        """By the time at which all of a batch have expired."""
        self._number = 0
        self._last: Event | None = None

    def store(self, entry: Entry) -> None:
        """Store an entry. If histories have the lists in common, each stores an event before the next one comes."""
        if len(self.histories) > 1:
            if self._last is entry.events[0]:
                return
            self._last = entry.events[0]
        bucket = self.by_key.get(entry.key)
        if bucket is None:
            self.by_key[entry.key] = [entry]
        elif bucket[-1].closes <= entry.closes:
            bucket.append(entry)
        else:
            insort(bucket, entry, key=closes_of)
        self.fresh.append(entry)

    def end_batch(self) -> None:
        """Make a batch of the entries that are in none."""
        if self.fresh:
            batch = [*self.fresh]
            self.fresh.clear()
            self._number += 1
            heappush(self._batches, (max(map(closes_of, batch)), self._number, batch))
            for history in self.histories:
                history.read(batch)

    def sweep(self) -> None:
        """Remove the entries of the batches that have expired as a whole."""
        self.end_batch()
        least, by_key = min([history.least for history in self.histories]), self.by_key
        while self._batches and self._batches[0][0] < least:
            for entry in heappop(self._batches)[2]:
                bucket = by_key.get(entry.key)
                if bucket is not None and bucket[0].closes < least:
                    if bucket[-1].closes < least:
                        del by_key[entry.key]
                    else:
                        del bucket[: bisect_left(bucket, least, key=closes_of)]


class SweptHistory:
    """A history with an index on key and time, updated in place.

    `positions` counts the events of an entry whose earliest timestamps are asked for. No entry that ends before `least`
    is live.
    """

    __slots__ = ("_by_event", "least", "lists")

    def __init__(self, positions: int) -> None:
        self.lists = Lists(self)
        self.least = NEGATIVE_INFINITY
        self._by_event = tuple(map(_Earliest, range(positions)))

    def share(self, history: SweptHistory) -> None:
        """Have the lists in common with another history. Both must be empty, and store the same events."""
        self.lists = history.lists
        self.lists.histories.append(self)

    def __len__(self) -> int:
        return sum(len(bucket) - self._expired(bucket) for bucket in self.lists.by_key.values())

    def __iter__(self) -> Iterator[Entry]:
        return (entry for bucket in self.lists.by_key.values() for entry in bucket[self._expired(bucket) :])

    def _expired(self, bucket: list[Entry]) -> int:
        return bisect_left(bucket, self.least, key=closes_of)

    def stored(self, entry: Entry) -> SweptHistory:
        self.lists.store(entry)
        return self

    def sweep(self) -> None:
        """Remove expired entries; those of an unfinished batch stay."""
        self.lists.sweep()

    def overlapping(self, opens: int, closes: int, key: Hashable) -> Sequence[Entry]:
        bucket = self.lists.by_key.get(key, ())
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
        by_key = self.lists.by_key
        for entry in entries:
            entry.stored = False
            bucket = by_key[entry.key]
            index = bisect_left(bucket, entry.closes, key=closes_of)
            while bucket[index] is not entry:
                index += 1
            del bucket[index]
            if not bucket:
                del by_key[entry.key]
        return self

    def read(self, batch: list[Entry]) -> None:
        """Take the live entries of a batch into those whose earliest events are asked for."""
        if self._by_event and (live := [entry for entry in batch if entry.closes >= self.least and entry.stored]):
            for earliest in self._by_event:
                earliest.add(live)

    def earliest(self, position: int) -> int:
        self.lists.end_batch()
        return self._by_event[position].first(self.least)


class ReleasingHistory(SweptHistory):
    """The same, and `passed` returns the entries that have expired."""

    __slots__ = ("_by_closes", "_number")

    def __init__(self, positions: int) -> None:
        super().__init__(positions)
        self._by_closes = _Queue()
        self._number = 0

    def stored(self, entry: Entry) -> ReleasingHistory:
        super().stored(entry)
        self._number += 1
        self._by_closes.add(entry.closes, self._number, entry)
        return self

    def passed(self, bound: int) -> tuple[ReleasingHistory, Sequence[Entry]]:
        if bound <= self.least:
            return self, ()
        self.least = bound
        return self, self._by_closes.passed(bound)
