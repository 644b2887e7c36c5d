"""The first records of a raw file, as texts by path: for guesses and for hints."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

import duckdb

from parte.logs.conversion import table_of
from parte.logs.mapping import parts_of
from parte.logs.mapping_text import quoted
from parte.logs.records import bytes_of, format_of, lines_of
from parte.logs.rows import rows_of

SAMPLE: Final = 2_000
"""The most records that are looked at."""
_LONGEST: Final = 1_000
_BARE: Final = re.compile(r"[\w@-]+")

Flat = dict[str, str]
"""The texts of a record by path, without nulls."""


def sample(path: str, form_name: str | None = None, most: int = SAMPLE) -> tuple[list[Flat], bool]:
    """Return the first records of a raw file, and whether it has more. Raise OSError if it cannot be read."""
    records = list(islice(_records(path, form_name), most + 1))
    return records[:most], len(records) > most


def normal(path: str, most: int | None = None) -> str:
    """Return a path, or so many of its first parts, as records have it here. Raise ValueError if it is none."""
    return ".".join(map(_part, parts_of(path)[:most]))


def _part(key: str) -> str:
    return key if _BARE.fullmatch(key) else f'"{key}"'


def no_record(path: str) -> str:
    """Return a hint for a file none of whose first lines is a record."""
    first = b"" if path == "-" else next(bytes_of(path), b"").lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if first == b"[":
        return "it begins as one JSON array; write its members one a line: jq -c '.[]' FILE > raw.jsonl"
    if first == b"{":
        return (
            "it begins as JSON over several lines; write an object a line: jq -c . FILE > raw.jsonl, or the members of "
            "an array in it: jq -c '.Records[]' FILE > raw.jsonl"
        )
    return "a record is a JSON object, or a row"


def _records(path: str, form_name: str | None) -> Iterator[Flat]:
    if format_of(path, form_name) == "jsonl":
        for text in next((lines.texts for lines in lines_of(path)), []):
            try:
                record = json.loads(text)
                quoted(record)  # an error for halves of characters
                flat = dict(_flat(record)) if isinstance(record, dict) else None
            except (ValueError, RecursionError):
                continue
            if flat is not None:
                yield flat
        return
    if format_of(path, form_name) == "csv":
        header, batches = rows_of(path)
        for row in next(batches, []):
            # Of columns with one name, the first counts.
            named = reversed([*zip(header.names, row.fields, strict=False)])
            yield dict(_flat({name: value for name, value in named if name}))
        return
    with duckdb.connect() as database, table_of(path) as relation:
        rows = database.execute(f"SELECT to_json(t) FROM {relation} t LIMIT {SAMPLE + 1}").fetchall()
    for (text,) in rows:
        yield dict(_flat(json.loads(text)))


def _flat(record: dict[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    for key, value in record.items():
        path = before + _part(key)
        if isinstance(value, dict) and value:
            yield from _flat(value, f"{path}.")
        elif value is not None and '"' not in key and len(path) <= _LONGEST:
            yield path, value if isinstance(value, str) else json.dumps(value)
