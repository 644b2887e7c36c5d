"""Limits on the content of Parquet files, checked before reading: a few kilobytes can expand to gigabytes.

Repeated values are stored once, with their number. So this module checks the numbers in the metadata, and the expanded
length of text that is stored as references into a dictionary.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from typing import Any, BinaryIO, Final

import pyarrow
import pyarrow.compute
import pyarrow.parquet

from parte.semantics.events.files import UnusableFile, check_kind

MAX_CELLS: Final = 2**22
"""Maximum number of values of a table that becomes Python objects, which take some hundred bytes each."""
MAX_VALUES: Final = 2**26
"""Maximum number of values of a log that stays in columns."""
MAX_BYTES: Final = 2**28
"""Maximum size of a table in bytes."""
MAX_LOG_BYTES: Final = 2**31
"""Maximum size of a log in bytes."""

_HINT: Final = "no more are read: split the table"


@contextmanager
def opened(
    path: str | PathLike[str], *, values: int = MAX_CELLS, size: int = MAX_BYTES
) -> Iterator[pyarrow.parquet.ParquetFile]:
    """Open a Parquet file whose content has no more values and bytes than allowed.

    Raise UnusableFile if it has more, another OSError if it cannot be read, and pyarrow's error if it is not Parquet.
    """
    check_kind(path)
    with open(path, "rb") as file, pyarrow.parquet.ParquetFile(file) as parquet:
        _check(path, file, parquet.metadata, values, size)
        yield parquet


def _check(path: str | PathLike[str], file: BinaryIO, metadata: Any, values: int, size: int) -> None:
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    columns = [group.column(number) for group in groups for number in range(group.num_columns)]
    rows = sum(group.num_rows for group in groups)
    count = max(metadata.num_rows, rows, sum(column.num_values for column in columns))
    if count > values:
        raise UnusableFile(path, f"it stands for {count:,} values; at most {values:,} are read", hint=_HINT)
    expanded = sum(max(column.total_uncompressed_size, column.total_compressed_size) for column in columns)
    referring = {
        column.path_in_schema
        for column in columns
        if column.physical_type == "BYTE_ARRAY" and column.num_values * column.total_uncompressed_size > size
    }
    if expanded <= size and referring:
        expanded += _text(file, sorted(referring))
    if expanded > size:
        raise UnusableFile(path, f"it stands for {expanded:,} bytes; at most {size:,} are read", hint=_HINT)


def _text(file: BinaryIO, columns: list[str]) -> int:
    """Return the size in bytes of the text in some columns, without expanding any of it."""
    file.seek(0)
    total = 0
    with pyarrow.parquet.ParquetFile(file, read_dictionary=columns) as parquet:
        for number in range(parquet.num_row_groups):
            for column in parquet.read_row_group(number, columns=columns).columns:
                total += sum(_length(chunk) for chunk in column.chunks)
    file.seek(0)
    return total


def _length(array: Any) -> int:
    """Return the size in bytes of the text in an array, nested or not."""
    kind = array.type
    if pyarrow.types.is_dictionary(kind):
        lengths = pyarrow.compute.binary_length(array.dictionary)
        return pyarrow.compute.sum(pyarrow.compute.take(lengths, array.indices)).as_py() or 0
    if pyarrow.types.is_struct(kind):
        return sum(map(_length, array.flatten()))
    if pyarrow.types.is_list(kind) or pyarrow.types.is_large_list(kind) or pyarrow.types.is_fixed_size_list(kind):
        return _length(array.flatten())
    return int(array.nbytes)
