"""Editions on disk: from fixtures to Parquet and back. Spark is not needed for this."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from parte.conformance.exchange import fixture_text
from parte.conformance.fixtures import Fixture
from parte.conformance.suites import SUITE_FILE
from parte.semantics.events.columnar import MAX_LOG_BYTES, MAX_VALUES, opened
from parte.semantics.events.files import below, refuse_link, write_whole
from parte.spark_adapter.errors import Unusable
from parte.spark_adapter.traces.format import (
    DOMAINS,
    PROGRAMS,
    TRACES,
    BadRow,
    fixture_of,
    fixture_rows,
    item_lines,
    unescape,
)

_SCHEMAS = {"traces": TRACES, "programs": PROGRAMS, "domains": DOMAINS}
_VERSION_KEY = b"parte.suite.version"
_ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*")


class BadEdition(Unusable):
    """A directory that is not an edition, or that must not be written to; the message names it."""


def write_edition(directory: Path, fixtures: Iterable[Fixture], version: str = "") -> int:
    """Write cases as an edition, and return their number. BadEdition if the directory is not empty."""
    _fresh(directory)
    tables: dict[str, list[Mapping[str, Any]]] = {name: [] for name in _SCHEMAS}
    for fixture in fixtures:
        for rows, row in zip(tables.values(), fixture_rows(fixture), strict=True):
            if row is not None:
                rows.append(row)
    for name, schema in reversed(_SCHEMAS.items()):  # traces last: a directory without that table is no edition
        if name == "traces":
            schema = schema.with_metadata({_VERSION_KEY: version.encode()})
        content = pa.BufferOutputStream()
        parquet.write_table(pa.Table.from_pylist(tables[name], schema), content)
        write_whole(below(directory, f"{name}/part-0.parquet"), content.getvalue().to_pybytes())
    return len(tables["traces"])


def read_edition(directory: Path, ids: Iterable[str] = ()) -> Iterator[tuple[Any, Mapping[str, Any]]]:
    """Yield the rows of an edition with their trace ids, all or those named, each with the keys `text` and `document`
    for its program and its domain. BadEdition if the directory is not an edition."""
    chosen = set(ids)
    programs = {row["program_id"]: row for row in _table(directory, "programs")}
    domains = {row["domain_id"]: row["document"] for row in _table(directory, "domains")}
    read = set()
    for row in _table(directory, "traces", required=True):
        name = row.get("trace_id")
        if chosen and name not in chosen:
            continue
        read.add(name)
        program = programs.get(row.get("program_id"), {})
        text = row.get("program")
        if text is None:
            text = unescape(program.get("text"), program.get("escaped"))
        yield name, {**row, "text": text, "document": domains.get(row.get("domain_id"))}
    if chosen - read:
        raise BadEdition(f"{directory}: there is no trace {sorted(chosen - read)[0]!r}")


def write_fixtures(directory: Path, edition: Path, ids: Iterable[str] = ()) -> int:
    """Write the traces of an edition as files, and return their number. BadEdition or BadRow if that fails.

    A trace that is a case of a suite becomes its fixture again, and a suite that was converted as a whole an equal one.
    Any other becomes `ID.parte`, `ID.jsonl` and, with a domain, `ID.domain.json`: the input of `parte run`.
    """
    _fresh(directory)
    written, cases = 0, 0
    for name, row in read_edition(edition, ids):
        if not isinstance(name, str) or not _ID.fullmatch(name):
            raise BadRow(f"the trace id {name!r} cannot be the name of a file")
        path = below(directory, name)
        lines = item_lines(row.get("events"), f"{name}: events")
        if row.get("fixture") is not None:
            case = fixture_of(row["fixture"], row["document"], lines)
            write_whole(_beside(path, ".json"), fixture_text(case))
            cases += 1
        else:
            write_whole(_beside(path, ".parte"), row["text"] or "")
            write_whole(_beside(path, ".jsonl"), "".join(f"{line}\n" for line in lines))
            if row["document"] is not None:
                write_whole(_beside(path, ".domain.json"), row["document"])
        written += 1
    if cases:
        about = {"format": "parte-suite", "version": _version(edition)}
        write_whole(directory / SUITE_FILE, json.dumps(about) + "\n")
    return written


def is_edition(directory: Path) -> bool:
    """Return whether a directory has the table of traces."""
    return (directory / "traces").is_dir()


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def _fresh(directory: Path) -> None:
    if not directory.exists():
        refuse_link(directory)
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise BadEdition(f"{directory} exists and is not an empty directory: name another")


def _files(directory: Path, name: str) -> list[Path]:
    return sorted(path for path in (directory / name).rglob("*.parquet") if not path.name.startswith(("_", ".")))


def _table(directory: Path, name: str, *, required: bool = False) -> Iterator[Mapping[str, Any]]:
    files = _files(directory, name)
    if required and not files:
        raise BadEdition(f"{directory}: expected a table of traces in {name}/*.parquet, found none")
    for file in files:
        try:
            with opened(file, values=MAX_VALUES, size=MAX_LOG_BYTES) as reader:
                _check_columns(file, reader.schema_arrow, _SCHEMAS[name])
                for batch in reader.iter_batches(1000):
                    yield from batch.to_pylist()
        except (pa.ArrowException, OSError, ValueError, OverflowError) as error:  # also times outside Python's range
            raise BadEdition(f"{file} cannot be read: {error}") from None


def _check_columns(file: Path, schema: Any, expected: Any) -> None:
    """Raise BadEdition if a column has another type; `attributes` may have any."""
    for field in expected:
        count = schema.names.count(field.name)
        if count > 1 or (count and not _fits(schema.field(field.name).type, field.type)):
            actual = schema.field(field.name).type if count == 1 else f"{count} columns of that name"
            raise BadEdition(f"{file}: the column {field.name}: expected {field.type}, found {actual}")


def _fits(actual: Any, expected: Any) -> bool:
    types = pa.types
    if types.is_null(actual):
        return True
    if types.is_list(expected):
        item = actual.value_type if types.is_list(actual) or types.is_large_list(actual) else None
        return (
            item is not None
            and types.is_struct(item)
            and all(
                item.get_all_field_indices(field.name) == []
                or field.name == "attributes"
                or _fits(item.field(field.name).type, field.type)
                for field in expected.value_type
            )
        )
    if types.is_string(expected):
        of = actual.value_type if types.is_dictionary(actual) else actual
        return bool(types.is_string(of) or types.is_large_string(of))
    if types.is_integer(expected):
        return bool(types.is_integer(actual))
    return bool(actual == expected)


def _version(edition: Path) -> str:
    metadata = parquet.read_schema(_files(edition, "traces")[0]).metadata or {}
    return str(metadata.get(_VERSION_KEY, b"").decode(errors="replace"))
