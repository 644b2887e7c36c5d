"""Tables of what a source prints beside what comes out here: in the folder of an experiment, `tables.toml` has their
titles, parts, columns and notes, and `missing.toml` what cannot come out again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from parte.experiments.experiment import Scalar, Table
from parte.semantics.events.files import read_text
from parte.semantics.events.records import read_records
from parte.semantics.events.stricttoml import decode
from parte.semantics.source.packages import data_file

if TYPE_CHECKING:
    import pandas as pd

Line = Mapping[str, Scalar]


@dataclass(frozen=True, slots=True)
class Heading:
    """A table of the lines of some parts of a source: the columns by the keys of lines, with what stands above them."""

    title: str
    parts: tuple[str, ...]
    note: str
    columns: Mapping[str, str] = field(default_factory=dict)


def lines_of(rows: pd.DataFrame) -> list[dict[str, Scalar]]:
    """Return the rows of a frame by the names of its columns."""
    return [{str(name): value for name, value in row.items()} for row in rows.to_dict("records")]


def plain(value: Scalar) -> Scalar:
    """Return a whole number as int, and NaN as None: a column of mixed types stores both as float."""
    if isinstance(value, float):
        return None if value != value else int(value) if value.is_integer() else value
    return value


def frame(lines: Sequence[Line], columns: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Return lines as a frame: all that they have, or some columns under other names."""
    import pandas as pd

    if columns is None:
        return pd.DataFrame(list(lines)).astype(object)
    chosen = [{new: line.get(old) for old, new in columns.items()} for line in lines]
    return pd.DataFrame(chosen, columns=list(columns.values())).astype(object)


def missing(package: str) -> Table:
    """Return the table of what cannot come out again, from `missing.toml` in an imported package."""
    tables: object = decode(read_text(data_file(package, "missing.toml")))["missing"]
    assert isinstance(tables, list)
    return Table("What cannot come out again", frame(tables))


def tables_of(package: str, by_part: Mapping[str, Sequence[Line]]) -> list[Table]:
    """Return the tables of `tables.toml` in an imported package, for the lines of each part, and that of `missing`."""
    headings = read_records(data_file(package, "tables.toml"), "table", Heading)
    return [
        *(
            Table(row.title, frame([line for part in row.parts for line in by_part[part]], row.columns), row.note)
            for row in headings
        ),
        missing(package),
    ]
