"""The work of Spark's Python workers: rows of a log become lines with the keys of their events, and the lines of a key
become the results of a sequence with it.

A task needs only its rows: the query comes with the function, and tasks do not communicate.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import groupby, islice
from operator import itemgetter
from typing import Final

import pyarrow as pa

from parte.languages.eql.semantics.chains import Chain
from parte.languages.eql.semantics.plans import Key, Plan, plan_of
from parte.languages.eql.semantics.sequences import Sequences
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.parser import parse
from parte.languages.eql.semantics.syntax.readings import Readings
from parte.semantics.events.event import POSITIVE_INFINITY, Event
from parte.semantics.events.trace import LineReader
from parte.spark_adapter.lines import LINE, read_row

LINES: Final = pa.schema([*LINE, ("keys", pa.list_(pa.string()))])
"""A row of the log as a line of a trace, or the error in it, and the keys in which its event fits a stage."""

RESULTS: Final = pa.schema(
    [
        ("keys", pa.string()),
        ("events", pa.list_(pa.string())),
        ("start", pa.int64()),
        ("first", pa.int64()),
        ("end", pa.int64()),
        ("last", pa.int64()),
    ]
)
"""A result: its keys in JSON, the ids of its events, and the timestamps and positions of the first and the last."""
_BATCH: Final = 5_000


@lru_cache(8)
def _plan(text: str) -> Plan:
    query = parse(text)
    assert isinstance(query, tree.Sequence)
    return plan_of(query, Readings())


def line_batches(text: str, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a log as `LINES`, for the query of a text."""
    plan = _plan(text)
    steps = {*plan.steps, *(step for gap in plan.gaps for step in gap), *plan.trailing}
    steps |= set() if plan.until is None else {plan.until}
    for batch in batches:
        rows = []
        for row in batch.to_pylist():
            event, line_row = read_row(row, nulls=True)
            keys = {None if event is None else step.key(event) for step in steps}
            rows.append(line_row | {"keys": sorted({_written(key) for key in keys if key is not None})})
        yield pa.RecordBatch.from_pylist(rows, schema=LINES)


def _written(key: Key) -> str:
    """Return a text that is the same for equal keys, and for few others: numbers are written as those of binary64."""
    return json.dumps([float(part) + 0.0 if isinstance(part, int | float) else part for part in key])


def result_batches(text: str, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the results on the rows of one task: `key`, `position` and `line`, one key after another, each in the order
    of events."""
    rows = _results(_plan(text), batches)
    while some := list(islice(rows, _BATCH)):
        yield pa.RecordBatch.from_pylist(some, schema=RESULTS)


def _results(plan: Plan, batches: Iterable[pa.RecordBatch]) -> Iterator[dict[str, object]]:
    columns = ([batch.column(name).to_pylist() for name in ("key", "position", "line")] for batch in batches)
    rows = (row for column in columns for row in zip(*column, strict=True))
    for key, group in groupby(rows, itemgetter(0)):
        run = Sequences(plan)
        for _, position, line in group:
            event = LineReader("", nulls=True).read(line, position + 1)
            assert isinstance(event, Event), "a line was checked that holds no event"
            yield from _of_key(plan, key, [*run.decided(event.timestamp), *run.event(event)])
        yield from _of_key(plan, key, run.decided(POSITIVE_INFINITY))


def _of_key(plan: Plan, key: str, chains: Iterable[Chain]) -> Iterator[dict[str, object]]:
    """Yield the results of a key as rows. Its events may also be in other keys, whose other events are elsewhere."""
    for chain in chains:
        first, last = chain.events[0], chain.events[-1]
        own = plan.steps[0].key(first)
        if own is not None and _written(own) == key:
            yield {
                "keys": json.dumps(plan.steps[0].written(first)),
                "events": [event.id for event in chain.events],
                "start": first.timestamp,
                "first": first.line - 1,
                "end": last.timestamp,
                "last": last.line - 1,
            }
