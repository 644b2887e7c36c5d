"""Conversion of raw logs: DuckDB reads the records, sorts out which are events, and these are written whole."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from collections.abc import Mapping as Map
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO, Final

import duckdb
import pyarrow

from parte.algebra.partelang.relational.arrow import arrow_type
from parte.algebra.partelang.relational.columns import fields
from parte.logs.mapping import MappedTemplate, Mapping, Slot, parts_of
from parte.logs.queries import by_template, duckdb_type, events_query, identifier, likely, literal, pointers
from parte.logs.records import MAX_LINE, Lines, contains, format_of, is_plain, lines_of, plain
from parte.logs.rows import Header, Row, rows_of
from parte.semantics.events.files import UnusableFile, replacing, write_all
from parte.semantics.events.rejection import FOUND, Rejected
from parte.semantics.events.types import Scalar

_ROWS: Final = 2**16
STRAY: Final = 20 * 365 * 86_400_000
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
    refused: Counter[str] = field(default_factory=Counter)
    """Rejected records by the template that they fit."""
    absent: set[tuple[str, str]] = field(default_factory=set)
    """Attributes that no event of their template has, or whose default all have: template and name."""
    first: int = 0
    last: int = 0
    """The earliest and the latest timestamp of an event, in milliseconds since 1970."""
    strayed: int = 0
    """Events that are more than `STRAY` milliseconds before or after the middle one."""

    def count(self, template: str, events: int, present: Iterable[tuple[str, int]]) -> None:
        """Count events of a template, and those of them that have certain attributes."""
        self.events[template] = events
        self.absent.update((template, attribute) for attribute, count in present if not count)


Reporting = Callable[[str], None] | None


class Conversion:
    """The events of raw files, in a database of their own. Use it as a context: its files are removed at the end."""

    def __init__(self, mapping: Mapping, rejecting: Callable[[Rejected], None], report: Reporting = None) -> None:
        self._mapping, self._rejecting, self._report = mapping, rejecting, report
        self._folder = TemporaryDirectory(prefix="parte-log-")
        self._database = duckdb.connect(str(Path(self._folder.name) / "events.duckdb"))
        self._database.execute("SET TimeZone = 'UTC'; SET preserve_insertion_order = true")
        declared = fields(mapping)
        names = dict.fromkeys(attribute.name for attribute in declared.values())
        numbers = {name: number for number, name in enumerate(names)}
        self._columns = {
            where: (f"a{numbers[attribute.name]}", attribute.type)
            for where, attribute in declared.items()
            if isinstance(attribute.type, Scalar)
        }
        self.names = {column: declared[where].name for where, (column, _) in self._columns.items()}
        self._types = dict(self._columns.values())
        self.spare: dict[str, list[tuple[MappedTemplate, str, Slot]]] = {}
        """Attributes that events may lack, or have a default for, by column."""
        for template in mapping.templates:
            for name, slot in template.slots.items():
                if slot.optional or slot.default is not None:
                    self.spare.setdefault(self._columns[template.name, name][0], []).append((template, name, slot))
        shape = "".join(f", {identifier(column)} {duckdb_type(of)}" for column, of in self._types.items())
        self._database.execute(
            "CREATE TEMP TABLE events (file INTEGER, number BIGINT, content UBIGINT, reason VARCHAR, template VARCHAR, "
            f"id VARCHAR, source VARCHAR, timestamp BIGINT{shape})"
        )
        self._files: list[str] = []
        self.file = 0
        """The number of the file that is read, from 1."""
        self._likely = likely(mapping)
        self.converted = Converted()

    def __enter__(self) -> Conversion:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()
        self._folder.cleanup()

    def add(self, path: str, form_name: str | None = None) -> None:
        """Read a file. Raise OSError if it cannot be read."""
        self._files.append(path)
        self.file = len(self._files)
        self._tell(f"{path}: reading")
        form = format_of(path, form_name)
        if form == "jsonl":
            if not self._add_quickly(path, self._lines_in(path), "hash(text)"):
                self._add_lines(path)
        elif form == "parquet":
            self._add_parquet(path)
        else:
            self._add_csv(path)

    def _tell(self, text: str) -> None:
        if self._report is not None:
            self._report(text)

    def _add_quickly(self, path: str, records: str | None, digest: str) -> bool:
        """Read a file by DuckDB, which is fast. Return False if it cannot: for lines that are no UTF-8, or too long, a
        stream, a compression that it does not know."""
        if records is None or not is_plain(path):
            return False
        try:
            self._sort_out(records, digest)
        except duckdb.Error:
            return False
        return True

    def _lines_in(self, path: str) -> str | None:
        """Return the query for the records in a file of lines, or None if DuckDB may not read all of them."""
        # Columns are separated by a character that no line contains; its first byte is rare in text.
        if not is_plain(path) or contains(path, "\U0010ffff".encode()[:1]):
            return None
        options = f"header = false, auto_detect = false, quote = '', escape = '', max_line_size = {MAX_LINE}"
        return self._of_lines(
            "(SELECT text, CAST(NULL AS VARCHAR) AS fault FROM read_csv("
            f"{_exactly(path)}, columns = {{'text': 'VARCHAR'}}, delim = '\U0010ffff', new_line = '\\n', {options}))"
        )

    def _add_lines(self, path: str) -> None:
        for lines in lines_of(path):
            self._tell(f"{path}: {lines.read / 2**20:,.0f} MiB, {self.converted.records:,} records")
            self.add_lines(lines)

    def add_lines(self, lines: Lines) -> None:
        """Read some lines of the file at hand."""
        self._database.register("lines", lines.table())
        self._sort_out(self._of_lines("lines"), "hash(text)", "number")

    def _of_lines(self, lines: str) -> str:
        """Return the query for the records in `lines`, a relation with `text` and `fault`, and its other columns."""
        wanted = pointers(self._mapping.paths)
        fault = (
            "CASE WHEN fault IS NOT NULL THEN fault WHEN NOT json_valid(text) THEN 'it is not JSON' "
            "WHEN NOT starts_with(ltrim(text, ' \t\r'), '{') THEN 'it is no JSON object' END"
        )
        # A line that is neither blank nor wrong begins with a brace, mostly.
        there = "CASE WHEN starts_with(text, '{') OR fault IS NOT NULL THEN true ELSE trim(text, ' \t\r') <> '' END"
        extracted = (
            f"CASE WHEN there AND fault IS NULL AND ({self._likely}) THEN json_extract_string(text, {wanted}) END"
        )
        return (
            f"SELECT *, {extracted} AS fields "
            f"FROM (SELECT * REPLACE (CASE WHEN there THEN {fault} END AS fault) "
            f"FROM (SELECT *, {there} AS there FROM {lines}))"
        )

    def _add_csv(self, path: str) -> None:
        header, batches = rows_of(path)
        if not self._add_quickly(path, _csv_records(path, header, self._places(header)), "hash(fields)"):
            for rows in batches:
                self._tell(f"{path}: {self.converted.records:,} records")
                self.add_rows(header, rows)

    def _places(self, header: Header) -> list[int | None]:
        return [header.place(path_of_column(path)) for path in self._mapping.paths]

    def add_rows(self, header: Header, rows: Sequence[Row]) -> None:
        """Read some rows of the file of CSV at hand."""
        places = self._places(header)
        fields = [None if row.fault else [_at(row.fields, place) for place in places] for row in rows]
        columns = {
            "number": pyarrow.array([row.number for row in rows], pyarrow.int64()),
            "fault": pyarrow.array([row.fault for row in rows], pyarrow.string()),
            "fields": pyarrow.array(fields, pyarrow.list_(pyarrow.string())),
        }
        self._database.register("lines", pyarrow.table(columns))
        self._sort_out("SELECT *, true AS there FROM lines", "hash(fields)", "number")

    def _add_parquet(self, path: str) -> None:
        with table_of(path) as relation:
            self._sort_out(self._of_table(relation), "hash(fields)")

    def add_table(self, table: Any, numbers: Any) -> None:
        """Read some rows, an Arrow table, of the file of Parquet at hand."""
        self._database.register("rows", table)
        records = self._of_table("rows")
        self._database.register("numbered", table.select([]).append_column("number", numbers))
        self._sort_out(f"SELECT * FROM ({records}) POSITIONAL JOIN numbered", "hash(fields)", "number")

    def _of_table(self, relation: str) -> str:
        """Return the query for the records in the rows of a relation."""
        described = self._database.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()
        there = {name for name, *_ in described}
        values = ", ".join(self._column(path, there, relation) for path in self._mapping.paths)
        return f"SELECT true AS there, CAST(NULL AS VARCHAR) AS fault, [{values}] AS fields FROM {relation}"

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

    def _sort_out(self, records: str, digest: str, number: str = "rowid + 1") -> None:
        """Store the events in records, a query, and the reasons why others are none.

        `digest` is equal for the same content. Records are numbered in their order: a window function would number
        them on one core.
        """
        file = self.file
        numbering = "" if number == "rowid + 1" else f"{number}, "
        query = events_query(self._mapping, self._columns, records, digest, numbering)
        self._database.execute(f"CREATE OR REPLACE TEMP TABLE records AS {query}")
        (total, mapped) = self._row(
            "SELECT count(content), count(*) FILTER (template IS NOT NULL OR reason IS NOT NULL) FROM records"
        )
        columns = "".join(f", {identifier(column)}" for column in self._types)
        identity = "id" if self._mapping.id is not None else f"'record-{file}-' || ({number})"
        self._database.execute(
            f"INSERT INTO events SELECT {file}, {number}, content, reason, template, {identity}, source, timestamp"
            f"{columns} FROM records WHERE template IS NOT NULL OR reason IS NOT NULL"
        )
        self._database.execute("DROP TABLE records")
        self.converted.records += total
        self.converted.unmapped += total - mapped

    @property
    def schema(self) -> Any:
        """The schema of `taken`."""
        types = {"file": pyarrow.int32(), "number": pyarrow.int64(), "timestamp": pyarrow.int64()}
        names = ("file", "number", "content", "reason", "template", "id", "source", "timestamp")
        attributes = [(column, arrow_type(of)) for column, of in self._types.items()]
        return pyarrow.schema([*((name, types.get(name, pyarrow.string())) for name in names), *attributes])

    def taken(self) -> Any:
        """Return the events and the rejected records that were read, as an Arrow table, and forget them."""
        query = "SELECT * REPLACE (CAST(content AS VARCHAR) AS content) FROM events"
        table: Any = self._database.sql(query).to_arrow_table()
        self._database.execute("DELETE FROM events")
        return table.cast(self.schema)

    def _reject_all(self, query: str) -> None:
        """Report the records of a query with file, number, reason and template."""
        rejected = self._database.execute(f"{query} ORDER BY file, number")
        while rows := rejected.fetchmany(_ROWS):
            for file, number, reason, template in rows:
                self.converted.refused.update([template] * (template is not None))
                self.converted.rejected[reason.partition(FOUND)[0]] += 1
                self._rejecting(Rejected(self._files[file - 1], number, reason))

    def _row(self, query: str) -> tuple[Any, ...]:
        (row,) = self._database.execute(query).fetchall()
        return row

    def finish(self) -> None:
        """Report what is no event, remove events whose id is there already, and measure disorder."""
        self._reject_all("SELECT file, number, reason, template FROM events WHERE reason IS NOT NULL")
        self._database.execute("DELETE FROM events WHERE reason IS NOT NULL")
        self._database.execute(
            "CREATE TEMP TABLE again AS SELECT file, number, template, id, same, earlier FROM (SELECT *, "
            "row_number() OVER one > 1 AS repeated, content = first_value(content) OVER one AS same, "
            "first_value(number) OVER one AS earlier FROM events WHERE id IN "
            "(SELECT id FROM events GROUP BY id HAVING count(*) > 1) "
            "WINDOW one AS (PARTITION BY id ORDER BY file, number)) WHERE repeated"
        )
        (self.converted.doubled,) = self._row("SELECT count(*) FROM again WHERE same")
        self._reject_all(
            "SELECT file, number, 'its id is that of another record, found ' || to_json(left(id, 100)) || ' of line ' "
            "|| earlier, template FROM again WHERE NOT same"
        )
        self._database.execute("DELETE FROM events WHERE (file, number) IN (SELECT (file, number) FROM again)")
        present = "".join(f", {self._present(column)}" for column in self.spare)
        counted = self._database.execute(f"SELECT template, count(*){present} FROM events GROUP BY template ORDER BY 1")
        for template, events, *counts in counted.fetchall():
            self.converted.count(template, events, present_in(template, self.spare, counts))
        first, last = self._row("SELECT min(timestamp), max(timestamp) FROM events")
        self.converted.first, self.converted.last = first or 0, last or 0
        if self.converted.last - self.converted.first > STRAY:
            (self.converted.strayed,) = self._row(
                "SELECT count(*) FROM events, (SELECT quantile_disc(timestamp, 0.5) AS middle FROM events) "
                f"WHERE abs(timestamp::HUGEINT - middle) > {STRAY}"
            )
        (self.converted.disorder,) = self._row(
            "SELECT coalesce(max(latest::HUGEINT - timestamp), 0) FROM (SELECT timestamp, max(timestamp) OVER "
            "(PARTITION BY source, template ORDER BY file, number ROWS UNBOUNDED PRECEDING) AS latest FROM events)"
        )

    def _present(self, column: str) -> str:
        """Return the number of events with a value in a column that is not the default."""
        defaults = [
            (template, f"CAST({literal(slot.default)} AS {duckdb_type(slot.type)})")
            for template, _, slot in self.spare[column]
            if slot.default is not None
        ]
        if not defaults:
            return f"count({identifier(column)})"
        return f"count(*) FILTER ({identifier(column)} IS DISTINCT FROM {by_template(defaults)})"

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
        lines = self._database.execute(f"SELECT CAST({line} AS VARCHAR) FROM events ORDER BY file, number")
        while rows := lines.fetchmany(_ROWS):
            yield ("\n".join(text for (text,) in rows) + "\n").encode("utf-8")

    def _write_log(self, file: BinaryIO) -> None:
        parts = ", ".join(f"{identifier(name)} := {identifier(column)}" for column, name in self.names.items())
        attributes = f", struct_pack({parts}) AS attributes" if parts else ""
        query = f"SELECT id, template, timestamp, source{attributes} FROM events ORDER BY file, number"
        draft = Path(self._folder.name) / "log.parquet"
        self._database.execute(f"COPY ({query}) TO {literal(str(draft))} (FORMAT parquet)")
        with draft.open("rb") as written:
            while chunk := written.read(2**24):
                write_all(file, chunk)
        draft.unlink()


def present_in(
    template: str, spare: Map[str, Sequence[tuple[MappedTemplate, str, Slot]]], counts: Iterable[int]
) -> Iterator[tuple[str, int]]:
    """Yield the attributes of a template in columns, each with the count of its column."""
    for described, count in zip(spare.values(), counts, strict=True):
        yield from ((name, count) for owner, name, _ in described if owner.name == template)


@contextmanager
def table_of(path: str) -> Iterator[str]:
    """Yield the relation of a file of Parquet, as SQL. Raise UnusableFile for what DuckDB says of it inside."""
    with plain(path) as file:
        try:
            yield f"read_parquet({_exactly(file)}, hive_partitioning = false)"
        except duckdb.Error as error:
            raise UnusableFile(path, str(error).partition("\n")[0]) from None


def path_of_column(path: str) -> str:
    """Return the name of the column at a path, which may stand in quotes."""
    parts = parts_of(path)
    return parts[0] if len(parts) == 1 else path


def _csv_records(path: str, header: Header, places: Sequence[int | None]) -> str | None:
    """Return the query for the rows of a file of CSV, or None if DuckDB would read it in another way than `rows`.

    It raises an error for a row that is too short, too long, or no text.
    """
    width = len(header.names)
    if width < 2 or not header.plain:
        return None
    columns = ", ".join(f"'c{place}': 'VARCHAR'" for place in range(width))
    values = ", ".join("CAST(NULL AS VARCHAR)" if place is None else f"c{place}" for place in places)
    # Only of columns that are read DuckDB checks that they are text.
    all_read = f"hash({', '.join(f'c{place}' for place in range(width) if place not in places)}) IS NOT NULL"
    everything = f"WHERE {all_read}" if len({*places} - {None}) < width else ""
    return (
        f"SELECT true AS there, CAST(NULL AS VARCHAR) AS fault, [{values}] AS fields FROM read_csv({_exactly(path)}, "
        f"columns = {{{columns}}}, auto_detect = false, header = true, delim = {literal(header.separator.decode())}, "
        "quote = '\"', escape = '\"', comment = '', new_line = '\\n', strict_mode = true, hive_partitioning = false, "
        f"max_line_size = {MAX_LINE}) {everything}"
    )


def _at(fields: Sequence[str | None], place: int | None) -> str | None:
    return fields[place] if place is not None and place < len(fields) else None


def _exactly(path: str) -> str:
    """Return the name of one file as SQL; to DuckDB, some characters stand for others."""
    return literal(re.sub(r"([*?[])", r"[\1]", path))
