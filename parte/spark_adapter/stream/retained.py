"""The state of a bucket of a stream between two batches: rows of events in segments, as Arrow, and a list of these.

Each batch adds a segment. One that is not much larger than the next is merged with it, so there are few, and a row is
written again only a few times (the logarithmic method of Bentley and Saxe, 1980); a merge drops rows that are no longer
needed. A segment without needed rows is removed at once. So a bucket stores at most a few times the needed rows.

Segments do not change, and their names are unique, so that a worker may cache the segments that it has read.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Protocol

import pyarrow

from parte.algebra.partelang.incremental.tables import Tables, live, until
from parte.spark_adapter.stream.state import StateError

_MOST_ROWS: Final = 2**20
"""Rows of a segment that is merged with no other: the size of a single write is limited."""


class Store(Protocol):
    """The place of segments: bytes by the name of a segment and a template."""

    def read(self, segment: str, template: str) -> bytes:
        """Return the written content."""

    def write(self, segment: str, template: str, content: bytes) -> None:
        """Store content."""

    def remove(self, segment: str, template: str) -> None:
        """Remove content."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Some rows: their number, the last promise under which one of them is needed, and their templates."""

    name: str
    rows: int
    until: int
    templates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Retained:
    """The segments of a bucket, oldest first, and the promise under which they were last processed."""

    segments: tuple[Segment, ...]
    promise: int

    @property
    def rows(self) -> int:
        """The number of all rows."""
        return sum(segment.rows for segment in self.segments)

    def to_json(self) -> str:
        """Return the list of segments as text."""
        listed = [[segment.name, segment.rows, segment.until, segment.templates] for segment in self.segments]
        return json.dumps([self.promise, listed], separators=(",", ":"))

    @staticmethod
    def of_json(text: str) -> Retained:
        """Return the list of segments from text. StateError if the text is invalid."""
        try:
            promise, listed = json.loads(text)
            segments = tuple(Segment(str(n), int(r), int(u), tuple(map(str, t))) for n, r, u, t in listed)
            return Retained(segments, int(promise))
        except (ValueError, TypeError, OverflowError, RecursionError) as error:
            raise StateError(f"the state of a bucket cannot be read: {type(error).__name__}: {error}") from None


class Shelf:
    """The segments of one bucket, read from a store and written to it, with the last read ones in memory."""

    def __init__(self) -> None:
        self._tables: dict[str, Tables] = {}

    def tables(self, retained: Retained, store: Store) -> Tables:
        """Return the rows of all segments by template."""
        known = self._tables
        self._tables = {segment.name: known.get(segment.name) or _read(segment, store) for segment in retained.segments}
        return together(self._tables.values())

    def added(self, retained: Retained, store: Store, new: Tables, promise: int) -> Retained:
        """Return the list of segments after a batch with new rows, under a promise, and update the store."""
        remaining: list[Segment] = []
        for segment in retained.segments:
            if segment.until >= promise:
                remaining.append(segment)
            else:
                self._drop(segment, store)
        rows = _live(new, promise)
        while remaining and remaining[-1].rows <= 2 * _count(rows) and remaining[-1].rows + _count(rows) <= _MOST_ROWS:
            last = remaining.pop()
            rows = together([_live(self._tables[last.name], promise), rows])
            self._drop(last, store)
        if rows:
            remaining.append(self._write(rows, store))
        return Retained(tuple(remaining), promise)

    def _write(self, rows: Tables, store: Store) -> Segment:
        name = uuid.uuid4().hex
        for template, table in rows.items():
            store.write(name, template, packed(table))
        self._tables[name] = rows
        return Segment(name, _count(rows), max(map(until, rows.values())), tuple(rows))

    def _drop(self, segment: Segment, store: Store) -> None:
        for template in segment.templates:
            store.remove(segment.name, template)
        self._tables.pop(segment.name, None)


def together(parts: Iterable[Tables]) -> Tables:
    """Return the rows of all parts by template."""
    tables_by_template: dict[str, list[pyarrow.Table]] = {}
    for part in parts:
        for template, table in part.items():
            tables_by_template.setdefault(template, []).append(table)
    return {template: pyarrow.concat_tables(tables) for template, tables in tables_by_template.items()}


def packed(table: pyarrow.Table) -> bytes:
    """Return a table as an Arrow stream."""
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, table.schema, options=pyarrow.ipc.IpcWriteOptions(compression="lz4")) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def unpacked(content: bytes) -> pyarrow.Table:
    """Return the table of an Arrow stream. StateError if the content is invalid."""
    try:
        with pyarrow.ipc.open_stream(content) as reader:
            return reader.read_all()
    except (pyarrow.ArrowException, OSError) as error:
        raise StateError(f"a segment of a bucket cannot be read: {error}") from None


def _read(segment: Segment, store: Store) -> Tables:
    return {template: unpacked(store.read(segment.name, template)) for template in segment.templates}


def _live(tables: Tables, promise: int) -> Tables:
    needed = {template: live(table, promise) for template, table in tables.items()}
    return {template: table for template, table in needed.items() if table.num_rows}


def _count(tables: Tables) -> int:
    return sum(table.num_rows for table in tables.values())
