"""Small Parquet files that stand for much are refused before they are read."""

from __future__ import annotations

from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from parte.semantics.events.columnar import MAX_CELLS, opened
from parte.semantics.events.domain import load_domain
from parte.semantics.events.files import UnusableFile
from parte.semantics.events.problems import DomainError


def repeated(value: object, times: int, kind: pyarrow.DataType) -> pyarrow.Array:
    return pyarrow.array([value], kind).take(pyarrow.nulls(times, pyarrow.int32()).fill_null(0))


def test_a_few_kilobytes_that_stand_for_millions_of_values(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"a": repeated(1, MAX_CELLS + 1, pyarrow.int64())}), path)
    assert path.stat().st_size < 20_000
    (tmp_path / "domain.json").write_text('{"p": {"true_for": "rows.parquet"}}', encoding="utf-8")
    with pytest.raises(DomainError, match=r"rows.parquet: predicate p: it stands for 4,194,305 values"):
        load_domain(tmp_path / "domain.json")


def test_text_that_is_written_once_and_meant_often(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    text = repeated("x" * 10_000, 2000, pyarrow.string())
    inside = pyarrow.StructArray.from_arrays([text], ["s"])
    lists = pyarrow.array([["y" * 10_000]] * 3)
    for columns in ({"a": text}, {"attributes": inside}):
        pyarrow.parquet.write_table(pyarrow.table(columns), path)
        with opened(path, size=20_100_000):
            pass
        with (
            pytest.raises(UnusableFile, match="it stands for 20,0"),
            opened(path, size=20_000_000),
        ):
            pass
    pyarrow.parquet.write_table(pyarrow.table({"l": lists}), path)
    with opened(path, size=45_000):
        pass
    with pytest.raises(UnusableFile, match="it stands for"), opened(path, size=30_000):
        pass
