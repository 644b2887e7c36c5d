"""The rows of a relation, from JSON, CSV and Parquet (specification: domain-rows, domain-files)."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from parte.semantics.events.event import NO_LINE
from parte.semantics.events.files import UnusableFile, read_text
from parte.semantics.events.installation import install_command
from parte.semantics.events.problems import DomainError, Problem, Problems
from parte.semantics.events.strictjson import MalformedJson, decode, quoted
from parte.semantics.events.values import describe

_JSON_HINT = 'rows are lists of arguments: [["E", "F"], ["G", "H"]]'
_CSV_HINT = "a CSV file has a header row, then one row for each combination of arguments, all in UTF-8"


@dataclass(frozen=True, slots=True)
class Row:
    """Values as they were read, not yet converted to the types of a predicate; `line` is their line or `NO_LINE`."""

    values: tuple[object, ...]
    line: int = NO_LINE


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of one table, and the name of its file.

    `textual`: all values are texts to be converted. `columns`: the number of columns, if the file itself defines it.
    """

    rows: tuple[Row, ...]
    filename: str
    textual: bool = False
    columns: int | None = None


def rows_of(content: object, what: str, filename: str) -> Rows:
    """Return the rows in parsed JSON. `what` names the predicate in messages. Raise DomainError."""
    if not isinstance(content, list | tuple):
        message = f"{what}: expected a list of rows, found {describe(content)}"
        raise DomainError([Problem(filename, NO_LINE, message, _JSON_HINT)])
    problems = Problems()
    problems.extend(
        Problem(filename, NO_LINE, f"{what}, row {n}: expected a list of arguments, found {describe(row)}", _JSON_HINT)
        for n, row in enumerate(content, 1)
        if not isinstance(row, list | tuple)
    )
    if problems:
        raise DomainError(problems)
    return Rows(tuple(Row(tuple(row)) for row in content), filename)


def read_rows(directory: Path, name: str, what: str, filename: str) -> Rows:
    """Return the rows in the file `name`, which must lie in `directory`. Raise DomainError.

    `what` names the predicate and `filename` the domain file that names the table, both for messages.
    """

    def failure(message: str, hint: str, where: str = filename) -> DomainError:
        return DomainError([Problem(where, NO_LINE, f"{what}: {message}", hint)])

    reader = _READERS.get(Path(name).suffix.lower())
    if reader is None:
        raise failure(
            f"the file {quoted(name)} is of an unknown kind", f"tables are read from {', '.join(_READERS)} files"
        )
    try:
        path = (directory / name).resolve()
        inside = path.is_relative_to(directory.resolve())
    except (OSError, ValueError, RuntimeError) as error:  # cyclic links, null characters
        raise failure(f"the file name {quoted(name)} is not usable: {error}", "name a file beside this one") from None
    if not inside:
        raise failure(
            f"the file {quoted(name)} lies outside the directory of the domain file",
            "put the table beside the domain file, or below it",
        )
    try:
        return reader(path, what, name)
    except UnusableFile as error:
        line, message = error.line or NO_LINE, f"{what}: {error.reason}"
        raise DomainError([Problem(name, line, message, error.hint)]) from None
    except OSError as error:
        raise failure(
            f"the file {quoted(name)} cannot be read: {error.strerror or error}",
            "the name is relative to the domain file",
        ) from None


def _read_json(path: Path, what: str, name: str) -> Rows:
    try:
        content = decode(read_text(path))
    except MalformedJson as error:
        raise DomainError([Problem(name, error.line, f"{what}: {error.message}", _JSON_HINT)]) from None
    return rows_of(content, what, name)


def _read_csv(path: Path, what: str, name: str) -> Rows:
    reader = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
    try:
        header = next(reader, None)
        rows = tuple(Row(tuple(row), reader.line_num) for row in reader if row)
    except csv.Error as error:
        problem = Problem(name, reader.line_num, f"{what}: not CSV: {error}", _CSV_HINT)
        raise DomainError([problem]) from None
    if not header:
        raise DomainError([Problem(name, 1, f"{what}: expected a header row, found none", _CSV_HINT)])
    # Compare the length of a row with the header here: otherwise the message would blame the arity of the predicate.
    problems = Problems()
    problems.extend(
        Problem(name, row.line, f"{what}: expected {len(header)} values as in the header, found {len(row.values)}")
        for row in rows
        if len(row.values) != len(header)
    )
    if problems:
        raise DomainError(problems)
    return Rows(rows, name, textual=True, columns=len(header))


def _read_parquet(path: Path, what: str, name: str) -> Rows:
    try:
        import pyarrow

        from parte.semantics.events.columnar import opened
    except ImportError:
        message = f"{what}: reading {quoted(name)} needs pyarrow, which is not installed"
        hint = f"{install_command('parquet')}, or convert the table to CSV"
        raise DomainError([Problem(name, NO_LINE, message, hint)]) from None
    types = pyarrow.types

    def refused(message: str, hint: str) -> DomainError:
        return DomainError([Problem(name, NO_LINE, f"{what}: {message}", hint)])

    try:
        with opened(path) as file:
            for field in file.schema_arrow:
                of = field.type.value_type if types.is_dictionary(field.type) else field.type
                text = types.is_string(of) or types.is_large_string(of) or types.is_null(of)
                if not (text or types.is_integer(of) or types.is_floating(of) or types.is_boolean(of)):
                    message = f"the column {quoted(field.name)} is of type {of}"
                    raise refused(message, "values are integers, numbers, strings or Booleans")
            columns = [column.to_pylist() for column in file.read().columns]
    except (pyarrow.ArrowException, ValueError) as error:
        message = f"not a Parquet file that can be read: {error}"
        raise refused(message, "write it anew, or convert it to CSV") from None
    return Rows(tuple(Row(values) for values in zip(*columns, strict=True)), name, columns=len(columns))


_READERS: dict[str, Callable[[Path, str, str], Rows]] = {
    ".csv": _read_csv,
    ".json": _read_json,
    ".parquet": _read_parquet,
}
