"""Logs as DataFrames with positions, for languages without schemas, and checks of them.

Such a log has the columns `id`, `template`, `timestamp`, `attributes`, optionally `source`, and `position`, the place
of the event in the stream.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from types import TracebackType

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from parte.semantics.events.event import NO_LINE, Event
from parte.semantics.events.problems import Problem, TraceError
from parte.semantics.events.strictjson import quoted
from parte.spark_adapter.columns import WHOLE, Found, check_columns, is_text, type_text

POSITION = "position"
SHOWN = 5
_LOG = pa.schema(
    [
        (POSITION, pa.int64()),
        ("id", pa.string()),
        ("template", pa.string()),
        ("timestamp", pa.int64()),
        ("source", pa.string()),
        ("attributes", pa.string()),
    ]
)
_TWICE = "an id is the identity of one event"


@dataclass(frozen=True, slots=True)
class Results:
    """The results of a query, computed when Spark needs their rows. Use as a context, or call `close`: until then Spark
    stores the results and the input of the tasks. `order` are the columns by which they are sorted."""

    results: DataFrame
    order: tuple[str, ...]
    _kept: tuple[DataFrame, ...]

    def __enter__(self) -> Results:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release the memory in Spark; the DataFrame stays usable."""
        for frame in self._kept:
            frame.unpersist()

    def write(self, directory: str) -> int:
        """Write the table `matches` below a directory, sorted through all its files; return the number of results."""
        self.ordered.write.parquet(f"{directory}/matches")
        return self.results.count()

    @property
    def ordered(self) -> DataFrame:
        """The results in order."""
        return self.results.orderBy(*self.order)


def of_events(spark: SparkSession, events: Iterable[Event]) -> DataFrame:
    """Return the log of a stream of this process."""
    rows = [
        {
            POSITION: position,
            "id": event.id,
            "template": event.template,
            "timestamp": event.timestamp,
            "source": event.source,
            "attributes": json.dumps(dict(event.attributes)),
        }
        for position, event in enumerate(events)
    ]
    return spark.createDataFrame(pa.Table.from_pylist(rows, schema=_LOG))


def in_parquet(spark: SparkSession, path: str) -> DataFrame:
    """Return the log in Parquet files, in the order of their paths and of their rows."""
    log = spark.read.parquet(path)
    file, row = F.col("_metadata.file_path"), F.col("_metadata.row_index")
    counts = sorted(tuple(counted) for counted in log.groupBy(file).count().collect())
    offsets = dict(
        zip((name for name, _ in counts), accumulate((count for _, count in counts), initial=0), strict=False)
    )
    return log.withColumn(POSITION, row + _looked_up(offsets, file))


def _looked_up(offsets: dict[str, int], file: Column) -> Column:
    if len(offsets) < 2:
        return F.lit(0)
    pairs = (F.lit(part) for pair in offsets.items() for part in pair)
    return F.create_map(*pairs)[file]


# --- What can be wrong ------------------------------------------------------------------------------------------------


def check_schema(log: DataFrame, name: str) -> None:
    """Raise TraceError if a DataFrame lacks columns of a log, or has others, or some of the wrong type."""
    kind = dict(log.dtypes).get(POSITION)
    if kind != "bigint":
        message = f"the column {POSITION}: expected BIGINT, found {'none' if kind is None else kind.upper()}"
        raise TraceError([Problem(name, NO_LINE, message, "it is the place of the event in the stream, from 0")])
    check_columns(log, name, _attribute_problems, needed=False, besides=(POSITION,))


def _attribute_problems(kind: T.DataType) -> Found:
    if is_text(kind):
        return
    if not isinstance(kind, T.StructType):
        yield (
            f"the column attributes: expected STRUCT or STRING, found {type_text(kind)}",
            "a string holds a JSON object",
        )
        return
    for field in kind.fields:
        of = field.dataType.elementType if isinstance(field.dataType, T.ArrayType) else field.dataType
        if not (is_text(of) or isinstance(of, (T.FloatType, T.DoubleType, T.BooleanType, *WHOLE))):
            message = f"attributes.{field.name}: no attribute can hold {type_text(field.dataType)}"
            yield message, "attributes are integers, numbers, strings, Booleans, or lists of these"


def row_problems(lines: DataFrame, name: str) -> Iterator[Problem]:
    """Yield the errors in the rows of a log, read by `lines`: rows that are no events, and ids used more than once."""
    yield from _broken(lines, name)
    yield from _repeated(lines, name)


def _broken(lines: DataFrame, name: str) -> Iterator[Problem]:
    broken = lines.where("message is not null")
    for row in broken.orderBy(POSITION).limit(SHOWN).collect():
        yield Problem(name, row.position + 1, row.message, row.hint)
    yield from others(broken.count(), "events that cannot be read", name)


def _repeated(lines: DataFrame, name: str) -> Iterator[Problem]:
    twice = lines.where("id != ''").groupBy("id").agg(F.count("*").alias("times"), F.min(POSITION).alias("first"))
    twice = twice.where("times > 1")
    for row in twice.orderBy("first").limit(SHOWN).collect():
        yield Problem(name, row.first + 1, f"the event id {quoted(row['id'])} is used {row.times} times", _TWICE)
    yield from others(twice.count(), "ids that are used more than once", name)


def others(count: int, what: str, name: str) -> Iterator[Problem]:
    """Yield the number of all errors of a kind, if there are more than are listed."""
    if count > SHOWN:
        yield Problem(name, NO_LINE, f"{count:,} {what} in all; the first {SHOWN} stand above")
