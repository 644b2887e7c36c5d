"""The rows of a trace for Flink: each event with the watermark that the promises allow after it.

A promise states that nothing below a timestamp follows, a watermark that nothing up to it does: it is one less. All
rows come through one source, so the watermark is that of the pair of source and template that is furthest behind, among
those that the rules read.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from parte.conformance.engines.foreign import Inexpressible
from parte.conformance.partelang.engines.flink.expressions import COMPONENT, IDENTITY, TIMESTAMP
from parte.conformance.partelang.engines.flink.intervals import EARLIEST, LATEST
from parte.conformance.partelang.engines.flink.trace import TEMPLATE, WATERMARK, attribute_column
from parte.semantics.events.event import NEGATIVE_INFINITY, Arrival, Event
from parte.semantics.events.match import component

Json = Any


def rows(
    arrivals: Sequence[Arrival], emitted: Iterable[Mapping[str, Json]], read: Collection[str], moved: int
) -> Iterator[str]:
    """Yield the lines of the file: first the emissions of lower strata, then the arrivals in their order.

    Only templates that are `read` appear. Inexpressible for a timestamp outside Flink's time once it is `moved`.
    """
    for emission in emitted:
        if emission["template"] in read:
            row = {IDENTITY: emission["id"], COMPONENT: emission["id"], TIMESTAMP: emission["timestamp"]}
            yield _line(emission["template"], row, emission["attributes"], None, moved)
    for event, before, reached in paced(arrivals, read):
        watermark = None if reached + moved <= EARLIEST else min(reached - 1, LATEST - moved)
        if event is not None:
            row = {IDENTITY: event.id, COMPONENT: component(event), TIMESTAMP: event.timestamp}
            yield _line(event.template, row, event.attributes, watermark, moved)
        elif reached > before and watermark is not None:
            # Time passes without an event: a row of no template. Its own time must be within Flink's time.
            yield _line("", {IDENTITY: "", COMPONENT: "", TIMESTAMP: watermark}, {}, watermark, moved)


def paced(arrivals: Sequence[Arrival], read: Collection[str]) -> Iterator[tuple[Event | None, int, int]]:
    """Yield the arrivals of templates that are `read`, each with the promises of all of them before and after it."""
    bounds = {(a.source, a.template): NEGATIVE_INFINITY for a in arrivals if a.template in read}
    reached = NEGATIVE_INFINITY
    for arrival in arrivals:
        if arrival.template in read:
            bounds[arrival.source, arrival.template] = arrival.bound
            before, reached = reached, min(bounds.values())
            yield arrival.event, before, reached


def _line(
    template: str, row: Mapping[str, Json], attributes: Mapping[str, Json], watermark: int | None, moved: int
) -> str:
    if not EARLIEST <= row[TIMESTAMP] + moved <= LATEST:
        raise Inexpressible("a timestamp outside the years 0 to 9999, which TIMESTAMP_LTZ(3) covers")
    named = {attribute_column(template, name): _written(value) for name, value in attributes.items()}
    return json.dumps({TEMPLATE: template, **row, WATERMARK: watermark, **named}, allow_nan=False)


def _written(value: Json) -> Json:
    """Return a value for the file: Flink reads numbers that are not finite, which lower strata may emit, from texts."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, list | tuple):
        return [_written(item) for item in value]
    return value
