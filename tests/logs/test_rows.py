"""Rows of CSV one by one: as Python's csv has them, and as DuckDB's reader where it reads the file."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from parte.logs.conversion import Conversion
from parte.logs.mapping import read_mapping
from parte.logs.rows import rows_of
from tests.logs.test_conversion import converted

MAPPING = """
[timestamp]
path = "t"
forms = ["seconds"]
[[template]]
name = "A"
attributes.k = { type = "String", optional = true }
attributes.l = { type = "String", optional = true }
"""
values = st.text("ab \"',;\r\n\tä", max_size=4)


@settings(max_examples=60)
@given(
    table=st.lists(st.lists(values, min_size=1, max_size=3), max_size=6),
    separator=st.sampled_from(",;\t|"),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_rows_are_those_that_python_reads(
    table: list[list[str]], separator: str, quoting: Any, end: str, tmp_path_factory: Any
) -> None:
    path = tmp_path_factory.mktemp("raw") / "r.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(f"t{separator}k{separator}l{end}")
        # A blank before a quote belongs to no field here; Python takes it and the quote for text.
        # It also writes a carriage return without quotes, where none ends a line.
        table = [[value.lstrip(" ").replace("\r", "") for value in row] for row in table]
        csv.writer(file, delimiter=separator, quoting=quoting, lineterminator=end).writerows(table)
    header, batches = rows_of(str(path))
    assert header.names == ("t", "k", "l")
    rows = [row for batch in batches for row in batch]
    assert [row.fields for row in rows] == [[value or None for value in row] for row in table]
    assert [row.number for row in rows] == [*range(1, len(rows) + 1)]


pieces = st.lists(
    st.sampled_from(["1", "x", ",", ",", "\n", "\n", '"', '""', " ", "\r\n", "\xff", "1,x,\n", '1,"x","y"\n', "2\n"]),
    max_size=14,
)


@settings(max_examples=80)
@given(drawn=pieces)
@example(drawn=['1,"x","y"\n', "1", ",", '"', "x"])
@example(drawn=["1,x,\n", "\xff"])
@example(drawn=["1", ",", " ", '"', "x", '"', " ", "\n"])
def test_a_quick_reading_is_the_same(drawn: list[str], tmp_path_factory: Any) -> None:
    path: Path = tmp_path_factory.mktemp("raw") / "r.csv"
    path.write_bytes(b"t,k,l\n" + b"1,x,y\n" * 2 + "".join(drawn).encode("latin-1"))
    mapping = read_mapping(MAPPING)
    quick = converted(mapping, path)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Conversion, "_add_quickly", lambda *_: False)
        assert converted(mapping, path) == quick
    assert len(quick[0]) >= 2
