"""Events of one template on their way to one bucket: a table of `Layout`, with further columns for the way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import pyarrow
import pyarrow.compute as compute

from parte.algebra.partelang.incremental.tables import Layout, Tables
from parte.algebra.partelang.relational.relations import Templates
from parte.semantics.events.event import Event, Value
from parte.spark_adapter.stream.retained import packed, together, unpacked
from parte.spark_adapter.stream.state import StateError

_SOURCE: Final = "$source"
_FIRST: Final = "$first"
_TEMPLATE: Final = b"template"

Routed = tuple[Event, int, bool]
"""An event, the patterns that it fills in a bucket, and whether this is the first of its destinations."""


def block_of(layout: Layout, template: str, routed: Sequence[Routed]) -> bytes:
    """Return a block of events."""
    table = layout.table(template, [(event, fills) for event, fills, _ in routed])
    table = table.append_column(_SOURCE, pyarrow.array([event.source for event, _, _ in routed], pyarrow.string()))
    table = table.append_column(_FIRST, pyarrow.array([first for _, _, first in routed], pyarrow.bool_()))
    return packed(table.replace_schema_metadata({_TEMPLATE: template.encode()}))


def admitted(layout: Layout, blocks: Sequence[bytes], promise: int) -> tuple[Tables, list[Event]]:
    """Return the rows of some blocks that are not below the promise and fill a pattern, and the events that are below
    it, each once over all buckets."""
    parts: list[Tables] = []
    late: list[Event] = []
    for block in blocks:
        table = unpacked(block)
        template = (table.schema.metadata or {}).get(_TEMPLATE, b"").decode()
        if template not in layout.templates:
            raise StateError(f"a block of events names the template {template!r}, which the program does not declare")
        least = min(max(promise, -(2**63)), 2**63 - 1)
        below = compute.less(table.column(Templates.timestamp), least)
        late.extend(_events(layout, template, table.filter(compute.and_(below, table.column(_FIRST)))))
        rows = layout.filling(template, table.filter(compute.invert(below)))
        rows = rows.drop_columns([_SOURCE, _FIRST]).replace_schema_metadata(None)
        if rows.num_rows:
            parts.append({template: rows})
    return together(parts), late


def _events(layout: Layout, template: str, table: pyarrow.Table) -> Iterator[Event]:
    columns = layout.templates[template].columns
    for row in table.to_pylist():
        attributes: dict[str, Value] = {}
        for name, column in columns.items():
            value = row[column]
            if value is not None:
                attributes[name] = tuple(value) if isinstance(value, list) else value
        yield Event(row[Templates.identity], template, row[Templates.timestamp], attributes, row[_SOURCE])
