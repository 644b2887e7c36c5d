"""One bucket of a group: queries compute the consequences of the events of a batch and of its promise.

A bucket has all keys of a group that hash to it. This module does not import Spark; `keyed` does the same by machines.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from parte.algebra.partelang.incremental.evaluation import Increments
from parte.algebra.partelang.incremental.places import Places, places_of
from parte.algebra.partelang.incremental.tables import Tables
from parte.semantics.events.domain import Predicates
from parte.semantics.events.event import NEGATIVE_INFINITY, Event
from parte.semantics.events.match import Match
from parte.semantics.events.outcome import EmissionFailure
from parte.spark_adapter.partitioning import Group, fillings_of
from parte.spark_adapter.stream.blocks import admitted
from parte.spark_adapter.stream.retained import Retained, Shelf, Store, together

NOTHING = Retained((), NEGATIVE_INFINITY)


@dataclass(frozen=True, slots=True)
class Batch:
    """The results of a batch for a bucket. `retained` is its new state (None: empty), `timer` the least promise that
    needs work even without events (None: there is none)."""

    matches: tuple[Match, ...]
    failures: tuple[EmissionFailure, ...]
    retained: Retained | None
    timer: int | None


class Bucket:
    """The queries of a group, and the rows that one of its buckets retains."""

    def __init__(self, group: Group, predicates: Predicates) -> None:
        places = places_of(group.program)
        fillings = fillings_of(group, predicates)

        def fills(event: Event) -> int:
            return sum(1 << places.bits[place] for place, _ in fillings(event) if place in places.bits)

        self._increments = Increments(group.program, predicates, fills)
        self._shelf = Shelf()

    def close(self) -> None:
        """Close the database."""
        self._increments.close()

    def admitted(self, blocks: Sequence[bytes], promise: int) -> tuple[Tables, list[Event]]:
        """Return the rows of some blocks that are not below a promise, and the events that are."""
        return admitted(self._increments.layout, blocks, promise)

    def run(self, before: Retained | None, store: Store, new: Tables, promise: int) -> Batch:
        """Return the results of some rows, which are not below the promise, and of the promise. StateError."""
        retained = before or NOTHING
        old = self._shelf.tables(retained, store)
        step = self._increments.step(old, new, retained.promise, promise)
        after = self._shelf.added(retained, store, together([new, step.emitted]), promise)
        if not after.segments:
            return Batch(step.matches, step.failures, None, None)
        # Rows that only expire may wait until all of them do; no window is open after that.
        timer = max(segment.until for segment in after.segments) + 1
        if step.due is not None:
            timer = min(timer, step.due)
        return Batch(step.matches, step.failures, after, timer)


Fillings = Callable[[Event], Mapping[int, int]]
"""The patterns that an event fills in each bucket that it goes to, by number: none if it fills only patterns of rules
that match nothing. It goes there all the same, to be reported if it is late."""


def buckets_of(group: Group, predicates: Predicates, places: Places, count: int) -> Fillings:
    """Return a function that distributes the events of a group over so many buckets, by a hash of the key of each
    pattern."""
    fillings = fillings_of(group, predicates)

    def buckets(event: Event) -> Mapping[int, int]:
        fills_by_bucket: dict[int, int] = {}
        for place, key in fillings(event):
            bucket = zlib.crc32(key.encode("utf-8", "surrogatepass")) % count
            bit = places.bits.get(place)
            fills_by_bucket[bucket] = fills_by_bucket.get(bucket, 0) | (0 if bit is None else 1 << bit)
        return fills_by_bucket

    return buckets
