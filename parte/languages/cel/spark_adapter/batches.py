"""The work of Spark's Python workers: they convert rows of a log to lines of a trace, and these to results of a query.

A task needs only its rows: the query comes with the function, and tasks do not communicate.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import Any, Final

import pyarrow as pa

from parte.languages.cel.semantics.machine import Machine, q_from, q_partition
from parte.languages.cel.semantics.syntax import tree
from parte.languages.cel.semantics.syntax.parser import parse
from parte.semantics.events.complex_event import ComplexEvent
from parte.semantics.events.event import Event, Value
from parte.semantics.events.trace import LineReader
from parte.spark_adapter.lines import LINE, read_row

LINES: Final = pa.schema([*LINE, ("key", pa.string())])
"""A row of the log as a line of a trace, or the error in it; `key` is null for an event that the query ignores."""

RESULTS: Final = pa.schema(
    [
        ("start", pa.int64()),
        ("end", pa.int64()),
        ("positions", pa.list_(pa.int64())),
        ("events", pa.list_(pa.string())),
    ]
)
_BATCH: Final = 5_000
ALL: Final = ""
"""The key of all events if they are in one group."""


@dataclass(frozen=True, slots=True)
class Task:
    """The parameters of a task: the text of the query, the number of processes that share the results of each group,
    the reading of rivals, and whether groups are substreams."""

    text: str
    processes: int
    rivals: str
    grouped: bool

    @property
    def query(self) -> tree.Query:
        """The query."""
        return _parsed(self.text)


@lru_cache(8)
def _parsed(text: str) -> tree.Query:
    return parse(text)


# --- Rows to lines ----------------------------------------------------------------------------------------------------


def line_batches(task: Task, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a log as `LINES`."""
    for batch in batches:
        yield pa.RecordBatch.from_pylist([_line(task, row) for row in batch.to_pylist()], schema=LINES)


def _line(task: Task, row: Mapping[str, Any]) -> dict[str, object]:
    event, line_row = read_row(row)
    return line_row if event is None else line_row | {"key": _key(task, event)}


def _key(task: Task, event: Event) -> str | None:
    """Return the group of an event. Events of one substream are in one group, and events of one group almost always in
    one substream."""
    if not q_from(task.query.streams, event):
        return None
    if not task.grouped:
        return ALL
    if q_partition(task.query.attributes, event, True) is None:
        return None
    return json.dumps([_plain(event.attributes[name]) for name in task.query.attributes])


def _plain(value: Value) -> Value:
    """Return a value whose text is the same for equal values."""
    match value:
        case bool() | str():
            return value
        case int() | float():
            return float(value) + 0.0  # this removes the sign of 0
        case _:
            return ()


# --- Lines to results -------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Group:
    """The run of a query on one group, or one share of it, and the ids of its events."""

    name: tuple[int, str]
    machine: Machine
    ids: dict[int, str] = field(default_factory=dict)

    def event(self, position: int, line: str) -> Iterator[ComplexEvent]:
        """Yield the results that end with the event on a line."""
        event = LineReader("").read(line, position + 1)
        assert isinstance(event, Event), "a line was checked that holds no event"
        self.ids[position] = event.id
        self.machine.position = position - 1
        yield from self.machine.results(event)

    def row(self, result: ComplexEvent) -> dict[str, object]:
        """Return a result as a row."""
        return {
            "start": result.start,
            "end": result.end,
            "positions": result.positions,
            "events": [self.ids[position] for position in result.positions],
        }


def result_batches(task: Task, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the results on the rows of one task: `share`, `key`, `position` and `line`, one group and share after
    another, each in the order of the stream."""
    rows = _results(task, batches)
    while some := list(islice(rows, _BATCH)):
        yield pa.RecordBatch.from_pylist(some, schema=RESULTS)


def _results(task: Task, batches: Iterable[pa.RecordBatch]) -> Iterator[dict[str, object]]:
    group: _Group | None = None
    for batch in batches:
        columns = (batch.column(name).to_pylist() for name in ("share", "key", "position", "line"))
        for share, key, position, line in zip(*columns, strict=True):
            if group is None or group.name != (share, key):
                machine = Machine(task.query, processes=task.processes, index=share, rivals=task.rivals)
                group = _Group((share, key), machine)
            yield from map(group.row, group.event(position, line))
