"""Rows of a log with positions as lines of a trace, in Spark's Python workers. It needs no Spark."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import pyarrow as pa

from parte.semantics.events.event import Event
from parte.semantics.events.strictjson import MalformedJson, decode
from parte.semantics.events.trace import LineReader

LINE: Final = (
    ("position", pa.int64()),
    ("id", pa.string()),
    ("timestamp", pa.int64()),
    ("line", pa.string()),
    ("message", pa.string()),
    ("hint", pa.string()),
)
"""The columns of a row of a log as a line of a trace, or the error in it."""


def read_row(row: Mapping[str, Any], *, nulls: bool = False) -> tuple[Event | None, dict[str, object]]:
    """Return the event of a row, and the row as a line; no event, and the error, if it is none. With `nulls` attributes
    in JSON may be null."""
    line_row: dict[str, object] = {"position": row["position"], "id": row["id"], "timestamp": row["timestamp"]}
    reader = LineReader("", nulls=nulls)
    # A log cannot omit ids: they are not numbered as in a trace.
    record: dict[str, object] = {"id": row["id"] or "", "template": row["template"] or ""}
    record |= {name: row[name] for name in ("timestamp", "source") if row.get(name) is not None}
    try:
        record["attributes"] = _attributes(row.get("attributes"))
    except MalformedJson as error:
        return None, line_row | {"message": f"attributes: {error.message}", "hint": "they are a JSON object"}
    line = json.dumps(record)
    event = reader.read(line, row["position"] + 1)
    if not isinstance(event, Event):
        (problem, *_) = reader.problems
        return None, line_row | {"message": problem.message, "hint": problem.hint}
    return event, line_row | {"line": line}


def _attributes(attributes: str | Mapping[str, object] | None) -> object:
    """Return the attributes of an event from a struct or JSON text: a null field is no attribute."""
    if isinstance(attributes, str):
        return decode(attributes)
    return {name: value for name, value in (attributes or {}).items() if value is not None}
