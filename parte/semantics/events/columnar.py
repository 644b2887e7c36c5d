"""Estimate the size of a Parquet file's content before reading it: a file of kilobytes can expand to gigabytes.

A Parquet file stores a repeated value once, with a count. So this module reads the counts in the metadata; for text
that is stored as references into a dictionary, it computes the length of the expanded text.
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
"""Values of a table that becomes objects of Python, of which each takes some hundred bytes."""
MAX_VALUES: Final = 2**26
"""Values of a log that stays in columns."""
MAX_BYTES: Final = 2**28
"""Bytes of a table."""
MAX_LOG_BYTES: Final = 2**31
"""Bytes of a log."""

_HINT: Final = "no more are read: split the table"


@contextmanager
def opened(
    path: str | PathLike[str], *, values: int = MAX_CELLS, size: int = MAX_BYTES
) -> Iterator[pyarrow.parquet.ParquetFile]:
    """Open a Parquet file whose expanded content is within the limits on values and bytes.

    UnusableFile if it is not, another OSError if it cannot be read, and an error of pyarrow if it is no Parquet file.
    """
    check_kind(path)
    with open(path, "rb") as file, pyarrow.parquet.ParquetFile(file) as found:
        _check(path, file, found.metadata, values, size)
        yield found


def _check(path: str | PathLike[str], file: BinaryIO, metadata: Any, values: int, size: int) -> None:
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    columns = [group.column(number) for group in groups for number in range(group.num_columns)]
    rows = sum(group.num_rows for group in groups)
    count = max(metadata.num_rows, rows, sum(column.num_values for column in columns))
    if count > values:
        raise UnusableFile(path, f"it stands for {count:,} values; at most {values:,} are read", hint=_HINT)
    said = sum(max(column.total_uncompressed_size, column.total_compressed_size) for column in columns)
    referring = {
        column.path_in_schema
        for column in columns
        if column.physical_type == "BYTE_ARRAY" and column.num_values * column.total_uncompressed_size > size
    }
    if said <= size and referring:
        said += _text(file, sorted(referring))
    if said > size:
        raise UnusableFile(path, f"it stands for {said:,} bytes; at most {size:,} are read", hint=_HINT)


def _text(file: BinaryIO, columns: list[str]) -> int:
    """Return the number of bytes of the text in some columns, without expanding any of it."""
    file.seek(0)
    total = 0
    with pyarrow.parquet.ParquetFile(file, read_dictionary=columns) as found:
        for number in range(found.num_row_groups):
            for column in found.read_row_group(number, columns=columns).columns:
                total += sum(_length(chunk) for chunk in column.chunks)
    file.seek(0)
    return total


def _length(array: Any) -> int:
    """The bytes of the text in an array, whatever it is nested in."""
    kind = array.type
    if pyarrow.types.is_dictionary(kind):
        lengths = pyarrow.compute.binary_length(array.dictionary)
        return pyarrow.compute.sum(pyarrow.compute.take(lengths, array.indices)).as_py() or 0
    if pyarrow.types.is_struct(kind):
        return sum(map(_length, array.flatten()))
    if pyarrow.types.is_list(kind) or pyarrow.types.is_large_list(kind) or pyarrow.types.is_fixed_size_list(kind):
        return _length(array.flatten())
    return int(array.nbytes)
