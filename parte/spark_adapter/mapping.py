"""Functions of Arrow batches in the form that Spark calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType


def mapped(rows: DataFrame, function: partial[Iterator[pa.RecordBatch]], schema: pa.Schema) -> DataFrame:
    """Return the result of a function on the batches of each partition."""
    return rows.mapInArrow(_Mapper(function), spark_schema(schema))


class _Mapper:
    """A callable class, since Spark inspects the parameter names of functions."""

    def __init__(self, function: partial[Iterator[pa.RecordBatch]]) -> None:
        self._function = function

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return self._function(batches)


def spark_schema(schema: pa.Schema) -> StructType:
    """Return the Spark schema of a schema of Arrow."""
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(schema)
