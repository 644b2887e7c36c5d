"""One bucket of a group: what follows from the events of a batch and the promise that came with it, by queries.

A bucket holds all keys of a group that hash to it. Nothing here knows of Spark; `keyed` is the same by machines.
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
    """What a batch gave a bucket. `retained` is what it remembers (None: nothing), `timer` the least promise with which
    it has something to do even without events (None: there is none)."""

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
        """Give the database up."""
        self._increments.close()

    def admitted(self, blocks: Sequence[bytes], promise: int) -> tuple[Tables, list[Event]]:
        """The rows of some blocks that are not below a promise, and the events that are."""
        return admitted(self._increments.layout, blocks, promise)

    def run(self, before: Retained | None, store: Store, new: Tables, promise: int) -> Batch:
        """What follows from some rows, which are not below the promise, and from the promise. StateError."""
        retained = before or NOTHING
        old = self._shelf.tables(retained, store)
        step = self._increments.step(old, new, retained.promise, promise)
        after = self._shelf.added(retained, store, together([new, step.emitted]), promise)
        if not after.segments:
            return Batch(step.matches, step.failures, None, None)
        # What can only go out of date may wait until all of it can; no window is waited for after that.
        timer = max(segment.until for segment in after.segments) + 1
        if step.due is not None:
            timer = min(timer, step.due)
        return Batch(step.matches, step.failures, after, timer)


Fillings = Callable[[Event], Mapping[int, int]]
"""For each bucket that an event goes to, by number, the patterns that it fills there: none if it fills those only of
rules that match nothing. It goes there all the same, to be told if it is late."""


def buckets_of(group: Group, predicates: Predicates, places: Places, count: int) -> Fillings:
    """How the events of a group are spread over so many buckets: by a hash of the key of each pattern."""
    fillings = fillings_of(group, predicates)

    def buckets(event: Event) -> Mapping[int, int]:
        found: dict[int, int] = {}
        for place, key in fillings(event):
            bucket = zlib.crc32(key.encode("utf-8", "surrogatepass")) % count
            bit = places.bits.get(place)
            found[bucket] = found.get(bucket, 0) | (0 if bit is None else 1 << bit)
        return found

    return buckets
