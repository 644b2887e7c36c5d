"""Conversion of raw logs: DuckDB reads the records, sorts out which are events, and these are written whole."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO, Final

import duckdb
import pyarrow
import pyarrow.parquet

from parte.algebra.partelang.relational.columns import fields
from parte.logs.mapping import Mapping, parts_of
from parte.logs.queries import duckdb_type, events_query, identifier, literal, pointers
from parte.logs.records import MAX_LINE, delimiter_of, format_of, is_plain, lines_of, plain
from parte.semantics.events.files import UnusableFile, replacing, write_all
from parte.semantics.events.types import Scalar

_ROWS: Final = 2**16
_OF_CSV: Final = "CSV is text in UTF-8; rows have no more fields than the first line, and a quote in quotes is doubled"
TRACE, LOG = ".jsonl", ".parquet"
"""Endings of the files that are written: of a trace, and of a log as Spark and DuckDB read it."""


@dataclass(slots=True)
class Converted:
    """The fate of the records of raw files, in numbers."""

    records: int = 0
    events: Counter[str] = field(default_factory=Counter)
    """By template."""
    unmapped: int = 0
    """Records that fit no template."""
    rejected: Counter[str] = field(default_factory=Counter)
    """Records that are no events, by the reason without what was found."""
    doubled: int = 0
    """Records that are there again with the same id and the same content."""
    disorder: int = 0
    """The most milliseconds by which an event lags behind the latest of its source and template."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """A record that is no event, by its line (of a table its row), from 1."""

    file: str
    line: int
    reason: str

    def to_json(self) -> str:
        """Return it as a line of JSON."""
        return json.dumps({"file": self.file, "line": self.line, "reason": self.reason}, ensure_ascii=False)


Reporting = Callable[[str], None] | None


class Conversion:
    """The events of raw files, in a database of their own. Use it as a context: its files are removed at the end."""

    def __init__(self, mapping: Mapping, rejecting: Callable[[Rejected], None], report: Reporting = None) -> None:
        self._mapping, self._rejecting, self._report = mapping, rejecting, report
        self._folder = TemporaryDirectory(prefix="parte-log-")
        self._database = duckdb.connect(str(Path(self._folder.name) / "events.duckdb"))
        self._database.execute("SET TimeZone = 'UTC'; SET preserve_insertion_order = true")
        declared = fields(mapping)
        numbers = {name: number for number, name in enumerate(dict.fromkeys(one.name for one in declared.values()))}
        self._columns = {
            where: (f"a{numbers[each.name]}", each.type)
            for where, each in declared.items()
            if isinstance(each.type, Scalar)
        }
        self._names = {column: declared[where].name for where, (column, _) in self._columns.items()}
        self._types = dict(self._columns.values())
        shape = "".join(f", {identifier(column)} {duckdb_type(of)}" for column, of in self._types.items())
        self._database.execute(
            "CREATE TABLE events (file INTEGER, number BIGINT, content UBIGINT, reason VARCHAR, template VARCHAR, "
            f"id VARCHAR, source VARCHAR, timestamp BIGINT{shape})"
        )
        self._files: list[str] = []
        self.converted = Converted()

    def __enter__(self) -> Conversion:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()
        self._folder.cleanup()

    def add(self, path: str, given: str | None = None) -> None:
        """Read a file. Raise OSError if it cannot be read."""
        self._files.append(path)
        if format_of(path, given) != "jsonl":
            self._add_table(path, given)
        elif not self._add_file(path):
            for lines in lines_of(path):
                self._tell(f"{path}: {lines.read / 2**20:,.0f} MiB, {self.converted.records:,} records")
                self._database.register("lines", lines.table())
                self._sort_out(self._of_lines("lines"))

    def _tell(self, text: str) -> None:
        if self._report is not None:
            self._report(text)

    def _add_file(self, path: str) -> bool:
        """Read the lines of a file by DuckDB, which is fast. Return False if it cannot: lines that are no UTF-8, or too
        long, a stream, a compression that it does not know."""
        if not is_plain(path):
            return False
        self._tell(f"{path}: reading")
        # No line contains what separates its columns: it is no character.
        options = f"header = false, auto_detect = false, quote = '', escape = '', max_line_size = {MAX_LINE}"
        lines = (
            "(SELECT text, CAST(NULL AS VARCHAR) AS fault FROM read_csv("
            f"{_exactly(path)}, columns = {{'text': 'VARCHAR'}}, delim = '\U0010ffff', new_line = '\\n', {options}))"
        )
        try:
            self._sort_out(
                # Numbered last, so that DuckDB computes the fields once, and not again for each test of them.
                f"SELECT * FROM (SELECT row_number() OVER () AS number, * FROM ({self._of_lines(lines)})) "
                "WHERE content IS NOT NULL"
            )
        except duckdb.Error:
            return False
        return True

    def _of_lines(self, lines: str) -> str:
        """Return the query for the records in `lines`, a relation with `text` and `fault`, and its other columns."""
        wanted = pointers(self._mapping.paths)
        # Most lines are not looked at after their first character.
        fault = (
            "CASE WHEN fault IS NOT NULL THEN fault WHEN NOT json_valid(text) THEN 'it is not JSON' "
            "WHEN starts_with(text, '{') THEN NULL "
            "WHEN NOT starts_with(ltrim(text, ' \t\r'), '{') THEN 'it is no JSON object' END"
        )
        content = "CASE WHEN starts_with(text, '{') THEN hash(text) WHEN trim(text, ' \t\r') <> '' THEN hash(text) END"
        return (
            f"SELECT * EXCLUDE (text), CASE WHEN fault IS NULL THEN json_extract_string(text, {wanted}) END AS fields "
            f"FROM (SELECT * REPLACE ({fault} AS fault), {content} AS content FROM {lines})"
        )

    def _add_table(self, path: str, given: str | None) -> None:
        self._tell(f"{path}: reading")
        with table_of(path, given) as relation:
            shown = self._database.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()
            there = {name for name, *_ in shown}
            values = ", ".join(self._column(path_, there, relation) for path_ in self._mapping.paths)
            self._sort_out(
                f"SELECT number, NULL AS fault, fields, hash(fields) AS content FROM "
                f"(SELECT row_number() OVER () AS number, [{values}] AS fields FROM {relation})"
            )

    def _column(self, path: str, there: Collection[str], relation: str) -> str:
        """Return the text of a value of a table: of the column with that name, or of a field in one, of an object or a
        list its JSON; null if there is none."""
        parts = (path,) if path in there else parts_of(path)
        if parts[0] not in there:
            return "CAST(NULL AS VARCHAR)"
        value = ".".join(map(identifier, parts))
        try:
            ((_, kind, *_),) = self._database.execute(f"DESCRIBE SELECT {value} FROM {relation}").fetchall()
        except duckdb.BinderException:  # the column is no struct, or has no such field
            return "CAST(NULL AS VARCHAR)"
        nested = kind.startswith(("STRUCT", "MAP")) or kind.endswith("]")
        return f"CAST({f'to_json({value})' if nested else value} AS VARCHAR)"

    def _sort_out(self, records: str) -> None:
        """Store the events in records, a query, and the reasons why others are none."""
        file = len(self._files)
        self._database.execute(f"CREATE OR REPLACE TEMP VIEW records AS {records}")
        (total,) = self._row("SELECT count(number) FROM records")
        query = events_query(self._mapping, self._columns, "records", file)
        columns = "".join(f", {identifier(column)}" for column in self._types)
        (stored,) = self._row(
            f"INSERT INTO events SELECT {file}, number, content, reason, template, id, source, timestamp{columns} "
            f"FROM ({query})"
        )
        self.converted.records += total
        self.converted.unmapped += total - stored

    def _reject_all(self, query: str) -> None:
        """Report the records of a query with file, number and reason."""
        found = self._database.execute(f"{query} ORDER BY file, number")
        while rows := found.fetchmany(_ROWS):
            for file, number, reason in rows:
                self.converted.rejected[reason.partition(", found ")[0]] += 1
                self._rejecting(Rejected(self._files[file - 1], number, reason))

    def _row(self, query: str) -> tuple[Any, ...]:
        (row,) = self._database.execute(query).fetchall()
        return row

    def finish(self) -> None:
        """Report what is no event, remove events whose id is there already, and measure disorder."""
        self._reject_all("SELECT file, number, reason FROM events WHERE reason IS NOT NULL")
        self._database.execute("DELETE FROM events WHERE reason IS NOT NULL")
        self._database.execute(
            "CREATE TEMP TABLE again AS SELECT file, number, id, same, earlier FROM (SELECT *, "
            "row_number() OVER one > 1 AS repeated, content = first_value(content) OVER one AS same, "
            "first_value(number) OVER one AS earlier FROM events WHERE id IN "
            "(SELECT id FROM events GROUP BY id HAVING count(*) > 1) "
            "WINDOW one AS (PARTITION BY id ORDER BY file, number)) WHERE repeated"
        )
        (self.converted.doubled,) = self._row("SELECT count(*) FROM again WHERE same")
        self._reject_all(
            "SELECT file, number, 'its id is that of another record, found ' || to_json(left(id, 100)) || ' of line ' "
            "|| earlier FROM again WHERE NOT same"
        )
        self._database.execute("DELETE FROM events WHERE (file, number) IN (SELECT (file, number) FROM again)")
        counted = self._database.execute("SELECT template, count(*) FROM events GROUP BY ALL ORDER BY ALL")
        self.converted.events.update(dict(counted.fetchall()))
        (self.converted.disorder,) = self._row(
            "SELECT coalesce(max(latest::HUGEINT - timestamp), 0) FROM (SELECT timestamp, max(timestamp) OVER "
            "(PARTITION BY source, template ORDER BY file, number ROWS UNBOUNDED PRECEDING) AS latest FROM events)"
        )

    def write(self, path: str) -> None:
        """Write the events to a file, in the order of the records: a log if it ends in .parquet, else a trace."""
        with replacing(path) as file:
            if path.endswith(LOG):
                self._write_log(file)
            else:
                for text in self._traced():
                    write_all(file, text)

    def traced(self) -> Iterator[str]:
        """Yield the text of the trace in parts."""
        return (text.decode("utf-8") for text in self._traced())

    def _traced(self) -> Iterator[bytes]:
        shapes = []
        for template in self._mapping.templates:
            pairs = [f"{literal(name)}, {identifier(self._columns[template.name, name][0])}" for name in template.slots]
            attributes = f"json_object({', '.join(pairs)})"
            if any(slot.optional for slot in template.slots.values()):
                attributes = f"json_merge_patch(json_object(), {attributes})"  # which takes the nulls out
            shapes.append(f"WHEN {literal(template.name)} THEN {attributes}")
        line = (
            "json_object('id', id, 'template', template, 'timestamp', timestamp, 'source', source, 'attributes', "
            f"CASE template {' '.join(shapes)} END)"
        )
        found = self._database.execute(f"SELECT CAST({line} AS VARCHAR) FROM events ORDER BY file, number")
        while rows := found.fetchmany(_ROWS):
            yield ("\n".join(text for (text,) in rows) + "\n").encode("utf-8")

    def _write_log(self, file: BinaryIO) -> None:
        parts = ", ".join(f"{identifier(name)} := {identifier(column)}" for column, name in self._names.items())
        attributes = f", struct_pack({parts}) AS attributes" if parts else ""
        query = f"SELECT id, template, timestamp, source{attributes} FROM events ORDER BY file, number"
        found: Any = self._database.sql(query).to_arrow_reader(_ROWS)
        with pyarrow.parquet.ParquetWriter(file, found.schema) as writer:
            for batch in found:
                writer.write_batch(batch)


@contextmanager
def table_of(path: str, given: str | None) -> Iterator[str]:
    """Yield the relation of a file of CSV or Parquet, as SQL. Raise UnusableFile for what DuckDB says of it inside."""
    with plain(path) as file:
        try:
            if format_of(path, given) == "parquet":
                yield f"read_parquet({_exactly(file)}, hive_partitioning = false)"
            else:
                # All is said: what DuckDB guesses from the first rows may leave out others, or refuse them.
                yield (
                    f"read_csv({_exactly(file)}, all_varchar = true, header = true, delim = "
                    f"{literal(delimiter_of(file))}, quote = '\"', escape = '\"', comment = '', skip = 0, "
                    f"null_padding = true, parallel = false, hive_partitioning = false, max_line_size = {MAX_LINE})"
                )
        except duckdb.Error as error:
            reason = str(error).partition("\n")[0]
            if "Error when sniffing" in reason:
                reason = "its rows do not fit its first line, which names the columns"
            hint = _OF_CSV if format_of(path, given) == "csv" else ""
            raise UnusableFile(path, reason, hint=hint) from None


def _exactly(path: str) -> str:
    """Return the name of one file as SQL; to DuckDB, some characters stand for others."""
    return literal(re.sub(r"([*?[])", r"[\1]", path))
