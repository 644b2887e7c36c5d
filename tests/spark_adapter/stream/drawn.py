"""Streams as Spark hands them on: batches of events in no order, each with the promise that holds when it comes."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from parte.semantics.events.event import NEGATIVE_INFINITY, POSITIVE_INFINITY, Event

Batches = tuple[tuple[tuple[Event, ...], int], ...]


@st.composite
def streams(draw: st.DrawFn, late: int = 0) -> Batches:
    """Batches, each with the promise that holds when it comes; the last promise is the end of the stream.

    Events may lie below the promise by so many milliseconds.
    """
    batches: list[tuple[tuple[Event, ...], int]] = []
    promise, number = NEGATIVE_INFINITY, 0
    least = 0
    for _ in range(draw(st.integers(1, 4))):
        rows = draw(
            st.lists(
                st.tuples(st.sampled_from("ABC"), st.integers(least - late, least + 8), *[st.integers(0, 1)] * 2),
                max_size=5,
            )
        )
        events = []
        for template, timestamp, k, x in rows:
            number += 1
            events.append(Event(f"e{number}", template, timestamp, {"k": k, "x": float(x), "s": "", "b": k == x}))
        batches.append((tuple(events), promise))
        least += draw(st.integers(0, 5))
        promise = least
    return (*batches, ((), POSITIVE_INFINITY))


def batches_of(events: Sequence[Event]) -> Batches:
    """Three batches, each with the greatest promise that what comes after keeps, and the end."""
    ordered = sorted(events, key=lambda event: event.timestamp)
    thirds = [tuple(ordered[len(ordered) * part // 3 : len(ordered) * (part + 1) // 3]) for part in range(3)]
    promises = [NEGATIVE_INFINITY, *(some[0].timestamp if some else NEGATIVE_INFINITY for some in thirds[1:])]
    return (*zip(thirds, promises, strict=True), ((), POSITIVE_INFINITY))
