"""Conversion of a log of events in Parquet, with the columns of `parte.algebra.partelang.relational.columns`.

It has the format of the logs that Spark reads, at a size that fits in memory.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, Final

import pyarrow
import pyarrow.compute
import pyarrow.parquet

from parte.algebra.partelang.relational.arrow import arrow_type
from parte.algebra.partelang.relational.columns import COLUMNS, OPTIONAL, fields, synonyms
from parte.semantics.events.columnar import MAX_LOG_BYTES, MAX_VALUES, opened
from parte.semantics.events.event import NO_LINE, Event, TraceItem, Value
from parte.semantics.events.files import write_whole
from parte.semantics.events.problems import Problem, TraceError
from parte.semantics.events.strictjson import quoted
from parte.semantics.events.trace import DEFAULT_SOURCE
from parte.semantics.events.types import ListOf, Scalar, Type
from parte.semantics.events.values import type_name
from parte.semantics.partelang.syntax import core

_SHAPE = (
    "a log has the columns id, template, timestamp (64-bit integers, milliseconds, or timestamps with a zone), "
    "attributes (a struct with a field for each attribute, null where a template has no such attribute) and, if it "
    "likes, source"
)
_ZONE: Final = (
    "a timestamp without a zone is another moment in each zone: have the writer name it, or convert it to integer "
    "milliseconds"
)
_SHORT: Final = frozenset({pyarrow.uint8(), pyarrow.uint16(), pyarrow.uint32()})
"""Unsigned integers that always fit 64 bit with a sign."""
_EXPECTED: Final = {
    Scalar.INTEGER: "an integer of at most 64 bit, with a sign",
    Scalar.FLOAT: "a number (32 or 64 bit, or an integer)",
    Scalar.STRING: "a string",
    Scalar.BOOLEAN: "a Boolean",
}
_BATCH: Final = 2**16


def log_schema(program: core.Program) -> Any:
    """Return the Arrow schema of a log."""
    types = {field.name: arrow_type(field.type) for field in fields(program).values()}
    text = pyarrow.string()
    named = [("id", text), ("template", text), ("timestamp", pyarrow.int64()), ("source", text)]
    return pyarrow.schema([*named, ("attributes", pyarrow.struct(list(types.items())))] if types else named)


def log_of(program: core.Program, events: Iterable[TraceItem]) -> Any:
    """Return the Arrow table of events that conform to a program; promises of progress are left out."""
    declared = fields(program)
    schema = log_schema(program)
    rows = [
        {
            "id": event.id,
            "template": event.template,
            "timestamp": event.timestamp,
            "source": event.source,
            "attributes": {declared[event.template, name].name: value for name, value in event.attributes.items()},
        }
        for event in events
        if isinstance(event, Event)
    ]
    return pyarrow.Table.from_pylist(rows, schema=schema)


def write_log(program: core.Program, events: Iterable[TraceItem], path: str | PathLike[str]) -> None:
    """Write events that conform to a program as a log. Raise OSError if that fails."""
    content = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(log_of(program, events), content)
    write_whole(path, content.getvalue().to_pybytes())


def load_log(program: core.Program, path: str | PathLike[str]) -> tuple[Event, ...]:
    """Return the events of a log in the order of its rows. Their values are not checked; `conform` does that.

    Raise what `read_log` raises.
    """
    return tuple(_events(program, read_log(program, path), Path(path).name))


def log_lines(program: core.Program, path: str | PathLike[str]) -> Iterator[str]:
    """Yield the rows of a log as lines of a trace, also those that are no events of the program.

    Raise what `read_log` raises.
    """
    table, attributes_of = _for_python(program, _table(program, path))
    for batch in table.to_batches(_BATCH):
        for row in batch.to_pylist():
            named = {name: row[name] for name in ("template", "timestamp", "source") if row.get(name) is not None}
            # Without an id, a line would have that of its number.
            record = {"id": row["id"] or "", **named}
            yield json.dumps(record | {"attributes": attributes_of(row)})


def _for_python(program: core.Program, table: Any) -> tuple[Any, Callable[[Mapping[str, Any]], dict[str, Value]]]:
    """Return a table whose values Python has, and the function from its rows to attributes."""
    declared = fields(program)
    if "attributes" in table.column_names:
        known = {field.name for field in declared.values()}
        struct_type = table.schema.field("attributes").type
        names = [struct_type.field(position).name for position in range(struct_type.num_fields)]
        # Of a field that no template declares, only its presence counts: Python may lack its type.
        parts = [
            values if name in known else presence(values)
            for name, values in zip(names, table.column("attributes").combine_chunks().flatten(), strict=True)
        ]
        struct = pyarrow.StructArray.from_arrays(parts, names) if names else table.column("attributes")
        table = table.set_column(table.column_names.index("attributes"), "attributes", struct)
    names_by_field = {
        template.name: {declared[template.name, slot.name].name: slot.name for slot in template.attributes}
        for template in program.templates
    }
    slots = {template.name: {slot.name for slot in template.attributes} for template in program.templates}

    def attributes_of(row: Mapping[str, Any]) -> dict[str, Value]:
        own, names = names_by_field.get(row["template"], {}), slots.get(row["template"], set())
        return {
            # A surplus field may have the name of an attribute whose own field has another name.
            own.get(field, f"attributes.{field}" if field in names else field): value
            for field, value in (row.get("attributes") or {}).items()
            if value is not None
        }

    return table, attributes_of


def presence(values: Any) -> Any:
    """Return True where a value is present, else null."""
    return pyarrow.compute.if_else(values.is_valid(), True, pyarrow.scalar(None, pyarrow.bool_()))


def read_log(program: core.Program, path: str | PathLike[str]) -> Any:
    """Return the Arrow table of a log. Its columns, their types and UTF-8 are checked; single rows are not.

    Events of templates that the program does not declare are left out; `undeclared_in` counts them. A field of
    `attributes` may be missing or undeclared, as long as no event needs it or has it. Raise TraceError if the file is
    no Parquet file or has columns that no log has, OSError if it cannot be read.
    """
    table = _table(program, path)
    templates = table.column("template")
    names = pyarrow.array([template.name for template in program.templates], pyarrow.string())
    is_declared = pyarrow.compute.is_in(templates.cast(pyarrow.string()), names)
    read = pyarrow.compute.or_(pyarrow.compute.is_null(templates), is_declared)
    return table if pyarrow.compute.all(read).as_py() else table.filter(read)


def _table(program: core.Program, path: str | PathLike[str]) -> Any:
    name = Path(path).name
    try:
        with opened(path, values=MAX_VALUES, size=MAX_LOG_BYTES) as parquet:
            problems_found = list(_wrong_columns(program, parquet.schema_arrow))
            table = None if problems_found else parquet.read()
    except (pyarrow.ArrowException, UnicodeDecodeError) as error:  # the second for a column's name
        message = f"not a Parquet file that can be read: {error}"
        raise TraceError([Problem(name, NO_LINE, message, "write it with pyarrow, Spark or DuckDB")]) from None
    if table is not None:
        table, problems_found = _in_milliseconds(table)
        problems_found += _broken_columns(table)
        if not problems_found:
            table = _renamed(program, table)
            problems_found += _wrong_columns(program, table.schema)
    if problems := [Problem(name, NO_LINE, message, hint) for message, hint in problems_found]:
        raise TraceError(problems)
    return table


def undeclared_in(program: core.Program, path: str | PathLike[str]) -> Mapping[str, int]:
    """Return the number of events of each template that the program does not declare; of no log, of none."""
    try:
        with opened(path, values=MAX_VALUES, size=MAX_LOG_BYTES) as parquet:
            counts = parquet.read(columns=["template"]).column("template").value_counts().to_pylist()
    except (pyarrow.ArrowException, KeyError, OSError, UnicodeDecodeError):
        return {}
    declared = {template.name for template in program.templates}
    return {
        count["values"]: count["counts"]
        for count in counts
        if isinstance(count["values"], str) and count["values"] not in declared
    }


def _renamed(program: core.Program, table: Any) -> Any:
    """Return a log with the fields of the program: one of more or fewer templates may call them by synonyms."""
    compute = pyarrow.compute
    if "attributes" not in table.column_names or not pyarrow.types.is_struct(table.schema.field("attributes").type):
        return table
    struct = table.column("attributes").combine_chunks()
    columns = dict(zip([field.name for field in struct.type], struct.flatten(), strict=True))
    templates = table.column("template").combine_chunks()
    renamed: dict[str, list[Any]] = {}
    for (template, attribute), field in fields(program).items():
        synonym = next((name for name in synonyms(template, attribute) if name in columns), None)
        if field.name not in columns and synonym is not None:
            own = compute.fill_null(compute.equal(templates, template), False)
            values = columns[synonym]
            renamed.setdefault(field.name, []).append(compute.if_else(own, values, pyarrow.scalar(None, values.type)))
            columns[synonym] = compute.if_else(own, pyarrow.scalar(None, values.type), values)
    for name, parts in renamed.items():
        columns[name] = compute.coalesce(*parts) if len({part.type for part in parts}) == 1 else parts[0]
    if renamed:
        struct = pyarrow.StructArray.from_arrays([*columns.values()], [*columns])
        table = table.set_column(table.column_names.index("attributes"), "attributes", struct)
    return table


# --- What is wrong with the columns ----------------------------------------------------------------------------------


def _wrong_columns(program: core.Program, schema: Any) -> Iterator[tuple[str, str]]:
    for name in dict.fromkeys(schema.names):
        if name not in COLUMNS:
            yield f"the column {quoted(name)} is not one of a log", _SHAPE
        elif schema.names.count(name) > 1:
            yield f"the column {quoted(name)} is there more than once", _SHAPE
        elif name == "attributes":
            yield from _wrong_fields(program, schema.field(name).type)
        else:
            of = Scalar.INTEGER if name == "timestamp" else Scalar.STRING
            actual = schema.field(name).type
            if name == "timestamp" and pyarrow.types.is_timestamp(actual):
                if actual.tz is None:
                    yield f"the column timestamp: expected integers or timestamps with a zone, found {actual}", _ZONE
            elif not _fits(of, actual):
                yield f"the column {name}: expected {_EXPECTED[of]}, found {actual}", _SHAPE
    for name in COLUMNS:
        if name not in schema.names and name not in (*OPTIONAL, "attributes"):
            yield f"the column {quoted(name)} is missing", _SHAPE


def _in_milliseconds(table: Any) -> tuple[Any, list[tuple[str, str]]]:
    """Return the table with a column `timestamp` of integers; fractions of a millisecond are cut off."""
    place = table.schema.get_field_index("timestamp")
    moments = table.column("timestamp")
    if not pyarrow.types.is_timestamp(moments.type):
        return table, []
    try:
        whole = pyarrow.compute.floor_temporal(moments, unit="millisecond")
        integers = whole.cast(pyarrow.timestamp("ms", moments.type.tz)).cast(pyarrow.int64())
    except pyarrow.ArrowException as error:
        return table, [(f"the column timestamp cannot be read: {error}", _SHAPE)]
    return table.set_column(place, "timestamp", integers), []


def _wrong_fields(program: core.Program, struct: Any) -> Iterator[tuple[str, str]]:
    if not pyarrow.types.is_struct(struct):
        yield f"the column attributes: expected a struct, found {struct}", _SHAPE
        return
    names = [struct.field(position).name for position in range(struct.num_fields)]
    declared = {field.name: field.type for field in fields(program).values()}
    for position, name in enumerate(names):
        of, actual = declared.get(name), struct.field(position).type
        if name in names[:position]:
            yield f"attributes: the field {quoted(name)} is there more than once", "give every field a name of its own"
        elif of is not None and not pyarrow.types.is_null(actual) and not _fits(of, actual):
            message = f"attributes: the field {quoted(name)}: expected {_expected(of)}, found {actual}"
            yield message, f"the program declares it as {type_name(of)}"


def _expected(of: Type) -> str:
    return f"a list, each item {_EXPECTED[of.element]}" if isinstance(of, ListOf) else _EXPECTED[of]


def _fits(of: Type, actual: Any) -> bool:
    types = pyarrow.types
    if isinstance(of, ListOf):
        if not (types.is_list(actual) or types.is_large_list(actual) or types.is_fixed_size_list(actual)):
            return False
        return types.is_null(actual.value_type) or _fits(of.element, actual.value_type)
    match of:
        case Scalar.INTEGER:
            return bool(types.is_signed_integer(actual)) or actual in _SHORT
        case Scalar.FLOAT:
            return bool(types.is_float32(actual) or types.is_float64(actual)) or _fits(Scalar.INTEGER, actual)
        case Scalar.STRING:
            return _is_text(actual) or bool(types.is_dictionary(actual) and _is_text(actual.value_type))
        case Scalar.BOOLEAN:
            return bool(types.is_boolean(actual))


def _is_text(actual: Any) -> bool:
    return bool(pyarrow.types.is_string(actual) or pyarrow.types.is_large_string(actual))


def _broken_columns(table: Any) -> Iterator[tuple[str, str]]:
    """Yield the columns with invalid text: Parquet need not store UTF-8 as text, and no reader checks it."""
    for name in table.schema.names:
        try:
            table.column(name).validate(full=True)
        except pyarrow.ArrowException as error:
            yield f"the column {name} cannot be read: {error}", "text in Parquet is UTF-8"


# --- Rows ------------------------------------------------------------------------------------------------------------


def _events(program: core.Program, table: Any, filename: str) -> Iterator[Event]:
    table, attributes_of = _for_python(program, table)
    position = 0
    for batch in table.to_batches(_BATCH):
        for row in batch.to_pylist():
            position += 1
            for name in ("id", "template", "timestamp"):
                if row[name] is None:
                    message = f"row {position}: the column {name} is null"
                    raise TraceError([Problem(filename, NO_LINE, message, _SHAPE)])
            source = DEFAULT_SOURCE if row.get("source") is None else row["source"]
            yield Event(row["id"], row["template"], row["timestamp"], attributes_of(row), source)
