"""What Spark's Python workers do: rows of a log become lines of a trace, and these the results of a query.

A task needs nothing but its rows: the query comes with the function, and no task hears of another.
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
from parte.semantics.events.strictjson import MalformedJson, decode
from parte.semantics.events.trace import LineReader

LINES: Final = pa.schema(
    [
        ("position", pa.int64()),
        ("id", pa.string()),
        ("timestamp", pa.int64()),
        ("key", pa.string()),
        ("line", pa.string()),
        ("message", pa.string()),
        ("hint", pa.string()),
    ]
)
"""A row of the log as a line of a trace, or what is wrong with it; `key` is null for what the query looks away from."""

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
"""The key of all events where they are in one group."""


@dataclass(frozen=True, slots=True)
class Task:
    """What is asked of a task: the text of a query, among how many processes the results of each group are shared, how
    rivals are read, and whether groups are substreams."""

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
    """The rows of a log as `LINES`."""
    for batch in batches:
        yield pa.RecordBatch.from_pylist([_line(task, row) for row in batch.to_pylist()], schema=LINES)


def _line(task: Task, row: Mapping[str, Any]) -> dict[str, object]:
    made: dict[str, object] = {"position": row["position"], "id": row["id"], "timestamp": row["timestamp"]}
    reader = LineReader("")
    # A log has no ids that are left out: they are not numbered, as those of a trace are.
    record: dict[str, object] = {"id": row["id"] or "", "template": row["template"] or ""}
    record |= {name: row[name] for name in ("timestamp", "source") if row.get(name) is not None}
    try:
        record["attributes"] = _attributes(row.get("attributes"))
    except MalformedJson as error:
        return made | {"message": f"attributes: {error.message}", "hint": "they are a JSON object"}
    line = json.dumps(record)
    event = reader.read(line, row["position"] + 1)
    if not isinstance(event, Event):
        (problem, *_) = reader.problems
        return made | {"message": problem.message, "hint": problem.hint}
    return made | {"key": _key(task, event), "line": line}


def _attributes(found: str | Mapping[str, object] | None) -> object:
    """The attributes of an event, of a struct or of JSON text: null is none."""
    if isinstance(found, str):
        return decode(found)
    return {name: value for name, value in (found or {}).items() if value is not None}


def _key(task: Task, event: Event) -> str | None:
    """The group of an event. Events of one substream are in one group, and almost always the other way round."""
    if not q_from(task.query.streams, event):
        return None
    if not task.grouped:
        return ALL
    if q_partition(task.query.attributes, event, True) is None:
        return None
    return json.dumps([_plain(event.attributes[name]) for name in task.query.attributes])


def _plain(value: Value) -> Value:
    """A value by its text: equal ones have equal texts."""
    match value:
        case bool() | str():
            return value
        case int() | float():
            return float(value) + 0.0  # which has no sign if it is 0
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
        """The results that end with the event on a line."""
        event = LineReader("").read(line, position + 1)
        assert isinstance(event, Event), "a line was checked that holds no event"
        self.ids[position] = event.id
        self.machine.position = position - 1
        yield from self.machine.results(event)

    def row(self, result: ComplexEvent) -> dict[str, object]:
        """A result as a row."""
        return {
            "start": result.start,
            "end": result.end,
            "positions": result.positions,
            "events": [self.ids[position] for position in result.positions],
        }


def result_batches(task: Task, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The results on the rows of one task: `share`, `key`, `position` and `line`, a group and share after the other,
    each in the order of the stream."""
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
