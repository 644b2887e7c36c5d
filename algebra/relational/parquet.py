"""A log of events in Parquet, with the columns of `algebra.relational.columns`, from and to events.

It is the log that Spark is given, at a size that fits memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from os import PathLike
from pathlib import Path
from typing import Any, Final

import pyarrow
import pyarrow.parquet

from algebra.relational.columns import COLUMNS, OPTIONAL, fields
from semantics.events.event import NO_LINE, Event, TraceItem, Value
from semantics.events.problems import Problem, TraceError
from semantics.events.strictjson import quoted
from semantics.events.trace import DEFAULT_SOURCE
from semantics.syntax import core
from semantics.syntax.core import ListOf, Scalar, Type

_ARROW: Final = {
    Scalar.INTEGER: pyarrow.int64(),
    Scalar.FLOAT: pyarrow.float64(),
    Scalar.STRING: pyarrow.string(),
    Scalar.BOOLEAN: pyarrow.bool_(),
}
_SHAPE = (
    "a log has the columns id, template, timestamp (64-bit integers, milliseconds), attributes (a struct with a field "
    "for each attribute, null where a template has no such attribute) and, if it likes, source"
)
_BATCH: Final = 2**16


def arrow_type(of: Type) -> Any:
    """The Arrow type of the values of a type."""
    return pyarrow.list_(_ARROW[of.element]) if isinstance(of, ListOf) else _ARROW[of]


def log_schema(program: core.Program) -> Any:
    """The Arrow schema of a log."""
    given = {field.name: arrow_type(field.type) for field in fields(program).values()}
    text = pyarrow.string()
    named = [("id", text), ("template", text), ("timestamp", pyarrow.int64()), ("source", text)]
    return pyarrow.schema([*named, ("attributes", pyarrow.struct(list(given.items())))] if given else named)


def log_of(program: core.Program, events: Iterable[TraceItem]) -> Any:
    """The Arrow table of events that conform to a program; promises of progress are no events and are left out."""
    given = fields(program)
    schema = log_schema(program)
    rows = [
        {
            "id": event.id,
            "template": event.template,
            "timestamp": event.timestamp,
            "source": event.source,
            "attributes": {given[event.template, name].name: value for name, value in event.attributes.items()},
        }
        for event in events
        if isinstance(event, Event)
    ]
    return pyarrow.Table.from_pylist(rows, schema=schema)


def write_log(program: core.Program, events: Iterable[TraceItem], path: str | PathLike[str]) -> None:
    """Write events that conform to a program as a log. OSError if that cannot be done."""
    pyarrow.parquet.write_table(log_of(program, events), str(path))


def load_log(program: core.Program, path: str | PathLike[str]) -> tuple[Event, ...]:
    """The events of a log in the order of its rows. What they hold is for `conform` to check.

    TraceError if the file is no Parquet file or lacks columns, OSError if it cannot be read.
    """
    name = Path(path).name
    try:
        with Path(path).open("rb") as file:
            table = pyarrow.parquet.read_table(file)
    except pyarrow.ArrowException as error:
        message = f"not a Parquet file that can be read: {error}"
        raise TraceError([Problem(name, NO_LINE, message, "write it with pyarrow, Spark or DuckDB")]) from None
    if problems := [Problem(name, NO_LINE, message, _SHAPE) for message in _wrong_columns(table.schema)]:
        raise TraceError(problems)
    return tuple(_events(program, table, name))


def _wrong_columns(schema: Any) -> Iterator[str]:
    text = (pyarrow.types.is_string, pyarrow.types.is_large_string, pyarrow.types.is_dictionary)
    wanted = {
        "timestamp": ("an integer", (pyarrow.types.is_integer,)),
        "attributes": ("a struct", (pyarrow.types.is_struct,)),
    }
    for name in schema.names:
        if name not in COLUMNS:
            yield f"the column {quoted(name)} is not one of a log"
        elif schema.names.count(name) > 1:
            yield f"the column {quoted(name)} is there more than once"
        else:
            expected, checks = wanted.get(name, ("a string", text))
            found = schema.field(name).type
            if not any(check(found) for check in checks):
                yield f"the column {name}: expected {expected}, found {found}"
    for name in COLUMNS:
        if name not in schema.names and name not in (*OPTIONAL, "attributes"):
            yield f"the column {quoted(name)} is missing"


def _events(program: core.Program, table: Any, filename: str) -> Iterator[Event]:
    given = fields(program)
    names = {
        template.name: {given[template.name, slot.name].name: slot.name for slot in template.attributes}
        for template in program.templates
    }
    position = 0
    for batch in table.to_batches(_BATCH):
        for row in batch.to_pylist():
            position += 1
            for name in ("id", "template", "timestamp"):
                if row[name] is None:
                    message = f"row {position}: the column {name} is null"
                    raise TraceError([Problem(filename, NO_LINE, message, _SHAPE)])
            own = names.get(row["template"], {})
            attributes: dict[str, Value] = {
                own.get(field, field): value
                for field, value in (row.get("attributes") or {}).items()
                if value is not None
            }
            source = row.get("source")
            yield Event(
                row["id"], row["template"], row["timestamp"], attributes, DEFAULT_SOURCE if source is None else source
            )
