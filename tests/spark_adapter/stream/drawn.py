"""Streams as Spark hands them on: batches of events in no order, each with the promise that holds when it comes."""

from __future__ import annotations

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
