"""Data in TOML: a file of tables `[[name]]`, each of which is a value of one type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from parte.semantics.events.codec import Codec
from parte.semantics.events.files import read_text
from parte.semantics.events.stricttoml import decode

T = TypeVar("T")


class BadRecord(ValueError):
    """A file of tables is invalid; the message names the file, the table and the place, and the expected value."""


def read_records(path: Path, name: str, kind: type[T]) -> Sequence[T]:
    """Return the tables `[[name]]` of a file, in order; their keys are the fields of `kind`, `name` among them."""
    codec = Codec[T](kind)
    where = path.name
    try:
        tables = decode(read_text(path)).get(name)
        if not isinstance(tables, list):
            raise ValueError(f"expected tables [[{name}]]")
        records = []
        for number, table in enumerate(tables, 1):
            where = f"{path.name}: {_called(table) or f'{name} {number}'}"
            records.append(codec.decode(table))
    except ValueError as error:
        raise BadRecord(f"{where}: {error}") from None
    return records


def _called(table: object) -> object:
    return table.get("name") if isinstance(table, Mapping) else None
