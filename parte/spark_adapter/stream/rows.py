"""From the lines of a source to the rows that Spark groups by key.

A line is one event as in a trace (specification: trace-items), with an id. It becomes a row for each part that it goes
to. An invalid line becomes a row too, with the problem.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import pyarrow as pa

from parte.algebra.partelang.incremental.tables import Layout
from parte.semantics.events.conformity import conform
from parte.semantics.events.event import Event, TraceItem
from parte.semantics.events.problems import TraceError
from parte.semantics.events.strictjson import MalformedJson, decode
from parte.semantics.events.trace import read_trace
from parte.semantics.events.types import has_optional
from parte.spark_adapter.partitioning import router_of
from parte.spark_adapter.stream.blocks import Routed, block_of
from parte.spark_adapter.stream.bucket import buckets_of
from parte.spark_adapter.stream.job import Job
from parte.spark_adapter.stream.labels import Labels
from parte.spark_adapter.stream.shared import Sending, Shared
from parte.spark_adapter.stream.state import event_record

END: int = 253_402_300_799_999
"""The last millisecond of the year 9999, in milliseconds since 1970: the time that ends a stream. Events are before it,
and after its negative: Spark counts microseconds in 64 bits, and cannot represent all timestamps of a trace."""

LATEST = END - 3
"""The latest timestamp of an event: after it there is still room for a timer before the end."""

MOST_DISORDER = END // 2
"""The greatest disorder: with more of it the end of a stream would promise nothing."""

ASIDE = -1
"""The part of rows for no machine: invalid lines, and times."""

ROUTED = pa.schema(
    [
        ("job", pa.string()),
        ("part", pa.int32()),
        ("key", pa.string()),
        ("timestamp", pa.int64()),
        ("event", pa.string()),
        ("first", pa.bool_()),
        ("problem", pa.string()),
        ("block", pa.binary()),
    ]
)
"""The columns of a row: its job, the group and the key it goes to, the event's timestamp in milliseconds and the event
as JSON, and whether this is the first of its rows; or a block of events (see `blocks`); or, in the part `ASIDE`, the
line and its problem, or the greatest timestamp of some events."""

_SPREAD = 64
"""The number of keys for invalid lines: enough to use all partitions if nearly all lines are invalid."""


@dataclass(slots=True)
class _Rows:
    """Rows under construction, column by column."""

    columns: dict[str, list[object]] = field(default_factory=lambda: {name: [] for name in ROUTED.names})

    def add(
        self,
        job: str,
        part: int,
        key: str,
        timestamp: int | None = None,
        event: str | None = None,
        *,
        first: bool = False,
        problem: str | None = None,
        block: bytes | None = None,
    ) -> None:
        values = (job, part, key, timestamp, event, first, problem, block)
        for column, value in zip(self.columns.values(), values, strict=True):
            column.append(value)

    def batch(self) -> pa.RecordBatch:
        return pa.RecordBatch.from_pydict(self.columns, schema=ROUTED)


def routing(
    shared: Shared | Sending, labels: Labels | None
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return the function for `mapInArrow` that converts rows of `job` and `line` (bytes) to rows of `ROUTED`: one for
    an event and a key, or, with the `labels` of buckets, one for a block of events of a bucket.

    A row without a job is the end of the stream.
    """

    def route(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        jobs = shared.jobs()
        readers: dict[str, _Reader] = {}
        for batch in batches:
            rows = _Rows()
            lines: dict[str, list[str]] = {}
            for name, line in zip(batch.column("job").to_pylist(), batch.column("line").to_pylist(), strict=True):
                if name is None:
                    rows.add("", ASIDE, "", END)
                elif line is None:
                    # In Kafka a record whose value is null: it must neither end the query nor be ignored.
                    rows.add(name, ASIDE, "", first=True, problem="the line is null: expected an event")
                elif name not in jobs:
                    known = ", ".join(map(repr, jobs))
                    text = line.decode("utf-8", errors="replace")
                    problem = f"no job is called {name!r}; there are: {known}"
                    rows.add(name, ASIDE, _spread(line), None, text, first=True, problem=problem)
                else:
                    lines.setdefault(name, []).append(line.decode("utf-8", errors="surrogateescape"))
            for name, own in lines.items():
                if name not in readers:
                    ways = _ByKey(name, jobs[name]) if labels is None else _ByBucket(name, jobs[name], labels)
                    readers[name] = _Reader(name, jobs[name], ways)
                readers[name].route(own, rows)
            yield rows.batch()

    return route


class _Ways(Protocol):
    """The distribution of the events of a job."""

    def put(self, event: Event, rows: _Rows) -> None:
        """Add the rows of an event."""

    def end(self, rows: _Rows) -> None:
        """Add the rows of events that were collected."""


class _ByKey:
    """The distribution of each event to all keys under which it fills a pattern."""

    def __init__(self, name: str, job: Job) -> None:
        self.name = name
        self.routes = [router_of(group, job.predicates) for group in job.groups]

    def put(self, event: Event, rows: _Rows) -> None:
        text, first = None, True
        for part, route in enumerate(self.routes):
            for key in route(event):
                text = text or json.dumps(event_record(event), ensure_ascii=False, separators=(",", ":"))
                rows.add(self.name, part, key, event.timestamp, text, first=first)
                first = False

    def end(self, rows: _Rows) -> None:
        """Do nothing: no events are collected."""


class _ByBucket:
    """The distribution of events in blocks, one for each bucket and template."""

    def __init__(self, name: str, job: Job, labels: Labels) -> None:
        self.name = name
        self.labels = [labels[name, part] for part in range(len(job.groups))]
        self.layouts = [Layout.of(group.program) for group in job.groups]
        self.routes = [
            buckets_of(group, job.predicates, layout.places, len(own))
            for group, layout, own in zip(job.groups, self.layouts, self.labels, strict=True)
        ]
        self.held: dict[tuple[int, int, str], list[Routed]] = {}

    def put(self, event: Event, rows: _Rows) -> None:  # noqa: ARG002 - `_ByKey` adds rows at once
        first = True
        for part, route in enumerate(self.routes):
            for bucket, fills in route(event).items():
                self.held.setdefault((part, bucket, event.template), []).append((event, fills, first))
                first = False

    def end(self, rows: _Rows) -> None:
        for (part, bucket, template), routed in self.held.items():
            block = block_of(self.layouts[part], template, routed)
            rows.add(self.name, part, self.labels[part][bucket], block=block)
        self.held.clear()


class _Reader:
    """A reader of the lines of one job."""

    def __init__(self, name: str, job: Job, ways: _Ways) -> None:
        self.name = name
        self.job = job
        self.ways = ways

    def route(self, lines: Sequence[str], rows: _Rows) -> None:
        latest: int | None = None
        for line, read in self.read(lines):
            if isinstance(read, str):
                self.refuse(line, read, rows)
                continue
            latest = read.timestamp if latest is None else max(latest, read.timestamp)
            self.ways.put(read, rows)
        self.ways.end(rows)
        if latest is not None:
            # Events without a destination advance time, too.
            rows.add(self.name, ASIDE, "", latest)

    def refuse(self, line: str, problem: str, rows: _Rows) -> None:
        content = line.encode("utf-8", errors="surrogateescape")
        text = content.decode("utf-8", errors="replace")
        rows.add(self.name, ASIDE, _spread(content), None, text, first=True, problem=problem)

    def read(self, lines: Sequence[str]) -> Iterator[tuple[str, Event | str]]:
        """Yield each line with its event, or with its problem."""
        try:
            items = self.conforming(lines)
        except TraceError:
            # Some line is invalid, or two have the same id. Read each line alone.
            yield from ((line, self.read_one(line)) for line in lines if line and not line.isspace())
            return
        for item in items:
            line = lines[item.line - 1]
            yield line, self.checked(item, line)

    def conforming(self, lines: Sequence[str]) -> tuple[TraceItem, ...]:
        """Return the items of lines. Raise TraceError."""
        return conform(self.job.program, read_trace(lines, nulls=has_optional(self.job.program)))

    def read_one(self, line: str) -> Event | str:
        try:
            (item,) = self.conforming([line])
        except TraceError as error:
            return "; ".join(problem.message for problem in error.problems)
        return self.checked(item, line)

    def checked(self, item: TraceItem, line: str) -> Event | str:
        """Return the event, or a problem that only a line of a stream can have."""
        if not isinstance(item, Event):
            return "this is a promise of progress: a stream promises by its watermark, for all of its events at once"
        if item.id == f"e{item.line}" and not _has_id(line):
            return "the event has no id: the lines of a stream have no numbers that could stand for one"
        if not -LATEST <= item.timestamp <= LATEST:
            return f"the timestamp {item.timestamp} is not from {-LATEST} to {LATEST}, the times that Spark can hold"
        if self.job.sent is not None and item.template not in self.job.sent:
            return f"no source of the deployment sends {item.template}"
        return item


def _spread(line: bytes) -> str:
    return str(zlib.crc32(line) % _SPREAD)


def _has_id(line: str) -> bool:
    try:
        record = decode(line)
    except MalformedJson:
        return False
    return isinstance(record, dict) and "id" in record
