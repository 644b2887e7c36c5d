"""Partial match histories: the entries that two-input nodes store (D def. 13).

An entry is live during an interval: the lifetime of a left partial match, or the instant of a right event. So both
sides have the same operations: the entries that overlap a window, those that have passed a time, the earliest event.
`PlainHistory` is an immutable value, for bounded machines, for recorded steps and for exploration; `IndexedHistory`
gives the same results faster and is updated in place. Use each history once: after an update only the returned one is
valid.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import chain
from operator import attrgetter
from typing import Protocol

from msgspec import Struct

from parte.semantics.events.event import POSITIVE_INFINITY
from parte.semantics.partelang.kernel import in_window, is_stale
from parte.semantics.partelang.tokens import PartialMatch


class Entry(Struct, eq=False, gc=False):
    """A partial match, the interval in which it is live, and the values of its equality conditions."""

    events: PartialMatch
    opens: int
    closes: int
    key: Hashable
    stored: bool = True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Entry) and self.events == other.events

    def __hash__(self) -> int:
        return hash(self.events)

    def __repr__(self) -> str:
        return f"Entry({', '.join(event.id for event in self.events)}; [{self.opens}, {self.closes}])"


class History(Protocol):
    """The operations that the rules use."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Entry]: ...

    def stored(self, entry: Entry) -> History:
        """Return the history with one more entry."""
        ...

    def overlapping(self, opens: int, closes: int, key: Hashable) -> Sequence[Entry]:
        """Return the entries whose interval overlaps a window and whose key is `key`, in any order."""
        ...

    def passed(self, bound: int) -> tuple[History, Sequence[Entry]]:
        """Return the history without the entries whose interval ends before `bound`, and those entries."""
        ...

    def parted(self, stays: Callable[[Entry], bool]) -> tuple[History, Sequence[Entry]]:
        """Return the entries for which `stays` holds, and the others."""
        ...

    def without(self, entries: Iterable[Entry]) -> History:
        """Return the history without these entries, which it must contain."""
        ...

    def earliest(self, position: int) -> int:
        """Return the least timestamp of the events at `position` of the entries; `POSITIVE_INFINITY` if empty."""
        ...


def _overlaps(entry: Entry, opens: int, closes: int) -> bool:
    # One of the two intervals is an instant, so overlap means that the other contains that instant.
    if opens == closes:
        return in_window(opens, entry.opens, entry.closes)
    return in_window(entry.opens, opens, closes)


class PlainHistory:
    """An immutable history in the order of arrival; every operation looks at every entry."""

    __slots__ = ("entries",)

    def __init__(self, entries: tuple[Entry, ...] = ()) -> None:
        self.entries = entries

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PlainHistory) and self.entries == other.entries

    def __hash__(self) -> int:
        return hash(self.entries)

    def stored(self, entry: Entry) -> PlainHistory:
        return PlainHistory((*self.entries, entry))

    def overlapping(self, opens: int, closes: int, key: Hashable) -> Sequence[Entry]:
        return [entry for entry in self.entries if entry.key == key and _overlaps(entry, opens, closes)]

    def passed(self, bound: int) -> tuple[PlainHistory, Sequence[Entry]]:
        return self.parted(lambda entry: not is_stale(entry.closes, bound))

    def parted(self, stays: Callable[[Entry], bool]) -> tuple[PlainHistory, Sequence[Entry]]:
        staying: list[Entry] = []
        leaving: list[Entry] = []
        for entry in self.entries:
            (staying if stays(entry) else leaving).append(entry)
        return (PlainHistory(tuple(staying)), leaving) if leaving else (self, leaving)

    def without(self, entries: Iterable[Entry]) -> PlainHistory:
        gone = {id(entry) for entry in entries}
        return self.parted(lambda entry: id(entry) not in gone)[0] if gone else self

    def earliest(self, position: int) -> int:
        return min((entry.events[position].timestamp for entry in self.entries), default=POSITIVE_INFINITY)


_closes = attrgetter("closes")


class _Bucket:
    """Entries of one key by the end of their interval; expired entries leave at the front."""

    __slots__ = ("entries", "head")

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.head = 0

    def add(self, entry: Entry) -> None:
        if not self.entries or self.entries[-1].closes <= entry.closes:
            self.entries.append(entry)
        else:
            insort(self.entries, entry, lo=self.head, key=_closes)

    def remove(self, entry: Entry) -> None:
        entries, head = self.entries, self.head
        if entries[head] is entry:
            self.head = head = head + 1
            if head * 2 > len(entries):
                del entries[:head]
                self.head = 0
            return
        index = bisect_left(entries, entry.closes, lo=head, key=_closes)
        while entries[index] is not entry:
            index += 1
        del entries[index]


_Timed = tuple[int, int, Entry]
"""An entry, the time by which it is sorted, and a unique number, so that entries are never compared."""


class _Queue:
    """Entries in the order of a time. Most arrive in that order and need no search; a heap takes the others.

    Removed entries are dropped when they come to the front.
    """

    __slots__ = ("late", "ordered")

    def __init__(self) -> None:
        self.ordered: deque[_Timed] = deque()
        self.late: list[_Timed] = []

    def __iter__(self) -> Iterator[Entry]:
        return (entry for _, _, entry in sorted(chain(self.ordered, self.late)) if entry.stored)

    def add(self, time: int, number: int, entry: Entry) -> None:
        ordered = self.ordered
        if not ordered or ordered[-1][0] <= time:
            ordered.append((time, number, entry))
        else:
            heappush(self.late, (time, number, entry))

    def first(self) -> Entry | None:
        """Return the entry with the least time."""
        ordered, late = self.ordered, self.late
        while ordered and not ordered[0][2].stored:
            ordered.popleft()
        while late and not late[0][2].stored:
            heappop(late)
        if late and (not ordered or late[0][0] < ordered[0][0]):
            return late[0][2]
        return ordered[0][2] if ordered else None

    def passed(self, bound: int) -> Sequence[Entry]:
        """Remove and return the entries whose time lies before a bound."""
        ordered, late = self.ordered, self.late
        leaving: list[Entry] = []
        while ordered and is_stale(ordered[0][0], bound):
            entry = ordered.popleft()[2]
            if entry.stored:
                leaving.append(entry)
        while late and is_stale(late[0][0], bound):
            entry = heappop(late)[2]
            if entry.stored:
                leaving.append(entry)
        return leaving


class IndexedHistory:
    """A history with an index on key and time, updated in place.

    `width` is the number of events of an entry whose earliest will be asked for. More than one event needs a queue for
    each.
    """

    __slots__ = ("_buckets", "_by_closes", "_by_event", "_sequence", "_size")

    def __init__(self, width: int) -> None:
        self._buckets: dict[Hashable, _Bucket] = {}
        self._size = 0
        self._sequence = 0
        self._by_closes = _Queue()
        # For single events the order by the end of the interval is that by timestamp.
        self._by_event = tuple(_Queue() for _ in range(width)) if width > 1 else ()

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._by_closes)

    def stored(self, entry: Entry) -> IndexedHistory:
        bucket = self._buckets.get(entry.key)
        if bucket is None:
            bucket = self._buckets[entry.key] = _Bucket()
        bucket.add(entry)
        self._size += 1
        self._sequence = sequence = self._sequence + 1
        self._by_closes.add(entry.closes, sequence, entry)
        if self._by_event:
            for event, queue in zip(entry.events, self._by_event, strict=True):
                queue.add(event.timestamp, sequence, entry)
        return self

    def overlapping(self, opens: int, closes: int, key: Hashable) -> Sequence[Entry]:
        bucket = self._buckets.get(key)
        if bucket is None:
            return ()
        entries, index = bucket.entries, bucket.head
        if entries[index].closes < opens:
            index = bisect_left(entries, opens, lo=index, key=_closes)
        if opens == closes:
            return [entry for entry in entries[index:] if in_window(opens, entry.opens, entry.closes)]
        # All entries are instants, in order, so the search ends with the first one after the window.
        overlapping = []
        for entry in entries[index:]:
            if entry.opens > closes:
                break
            if in_window(entry.opens, opens, closes):
                overlapping.append(entry)
        return overlapping

    def passed(self, bound: int) -> tuple[IndexedHistory, Sequence[Entry]]:
        leaving = self._by_closes.passed(bound)
        for entry in leaving:
            self._remove(entry)
        return self, leaving

    def parted(self, stays: Callable[[Entry], bool]) -> tuple[IndexedHistory, Sequence[Entry]]:
        leaving = [entry for entry in self if not stays(entry)]
        return self.without(leaving), leaving

    def without(self, entries: Iterable[Entry]) -> IndexedHistory:
        for entry in entries:
            self._remove(entry)
        return self

    def earliest(self, position: int) -> int:
        entry = (self._by_event[position] if self._by_event else self._by_closes).first()
        return POSITIVE_INFINITY if entry is None else entry.events[position].timestamp

    def _remove(self, entry: Entry) -> None:
        entry.stored = False
        self._size -= 1
        bucket = self._buckets[entry.key]
        if len(bucket.entries) - bucket.head == 1:
            del self._buckets[entry.key]
        else:
            bucket.remove(entry)
