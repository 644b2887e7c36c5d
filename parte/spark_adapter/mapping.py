"""Functions of Arrow batches as Spark calls them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType


def mapped(rows: DataFrame, function: partial[Iterator[pa.RecordBatch]], schema: pa.Schema) -> DataFrame:
    """What a function makes of the batches of each partition."""
    return rows.mapInArrow(_Mapper(function), spark_schema(schema))


class _Mapper:
    """A class, since Spark looks at the names of parameters of functions."""

    def __init__(self, function: partial[Iterator[pa.RecordBatch]]) -> None:
        self._function = function

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return self._function(batches)


def spark_schema(schema: pa.Schema) -> StructType:
    """A schema of Arrow as Spark has it."""
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(schema)
