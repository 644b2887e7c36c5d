"""Raw logs on Spark: each task reads its records with the queries of `parte.logs` on DuckDB, so that the events, and
the records that are none, are those of `parte log`."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import accumulate, groupby
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute
from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from parte.logs.conversion import STRAY, Conversion, Converted, present_in
from parte.logs.mapping import Mapping as Described
from parte.logs.records import format_of, lines_in
from parte.logs.rows import header_and_rows
from parte.semantics.events.rejection import FOUND, Rejected
from parte.spark_adapter.mapping import mapped

_COUNTED: Final = pa.schema([("place", pa.string()), ("block", pa.int64()), ("count", pa.int64())])
_PARTITION_BYTES: Final = "spark.sql.files.maxPartitionBytes"
_BLOCK: Final = ("place", "block")


@dataclass(frozen=True, slots=True)
class _Task:
    """The reading of a file: its mapping, its number, from 1, its format, and the lines before each of its blocks."""

    mapping: Described
    file: int
    form: str
    before: Mapping[tuple[str, int], int]


class RawLogs:
    """The records of raw files on Spark, which stores them until `close`. A path may stand for several files, whose
    lines are counted together."""

    def __init__(
        self, spark: SparkSession, mapping: Described, files: Sequence[str], stated: str | None = None
    ) -> None:
        self._files = files
        with Conversion(mapping, lambda _: None) as shape:
            self._names, self._spare, schema = shape.names, shape.spare, shape.schema
        frames = [
            mapped(rows, partial(_judged, _Task(mapping, number, form, before)), schema)
            for number, path in enumerate(files, 1)
            for form in (format_of(path, stated),)
            for rows, before in (_rows(spark, exactly(path), form),)
        ]
        self._records = reduce(DataFrame.unionAll, frames).persist()
        self._kept = [self._records]
        self._events = self._records
        self.converted = Converted()

    def close(self) -> None:
        """Release the memory in Spark."""
        for frame in self._kept:
            frame.unpersist()

    def finish(self, rejecting: Callable[[Rejected], None]) -> None:
        """Report what is no event, leave out events whose id is there already, and measure disorder."""
        done = self.converted
        (row,) = self._records.where("template IS NULL AND reason IS NULL").agg(F.sum("number")).collect()
        done.unmapped = row[0] or 0
        for record in self._in_order(self._records.where("reason IS NOT NULL")):
            self._reject(record, record["reason"], rejecting)
        order = Window.partitionBy("id").orderBy("file", "number")
        events = self._records.where("template IS NOT NULL AND reason IS NULL")
        events = events.withColumn("again", F.row_number().over(order) > 1)
        events = events.withColumn("same", F.col("content") == F.first("content").over(order))
        events = self._persisted(events.withColumn("earlier", F.first("number").over(order)))
        done.doubled = events.where("again AND same").count()
        for record in self._in_order(events.where("again AND NOT same")):
            identity = json.dumps(record["id"][:100], ensure_ascii=False)
            reason = f"its id is that of another record{FOUND}{identity} of line {record['earlier']}"
            self._reject(record, reason, rejecting)
        self._events = events.where("NOT again")
        present = [F.sum(self._is_present(column).cast("long")) for column in self._spare]
        counted = self._events.groupBy("template").agg(F.count("*"), *present).orderBy("template").collect()
        for template, count, *counts in counted:
            done.count(template, count, present_in(template, self._spare, counts))
        done.records = done.unmapped + done.rejected.total() + done.doubled + done.events.total()
        arrived = Window.partitionBy("source", "template").orderBy("file", "number")
        latest = F.max("timestamp").over(arrived.rowsBetween(Window.unboundedPreceding, Window.currentRow))
        lag = latest.cast("decimal(20)") - F.col("timestamp").cast("decimal(20)")
        (row,) = self._events.select(lag.alias("lag")).agg(F.max("lag")).collect()
        done.disorder = int(row[0] or 0)
        (row,) = self._events.agg(F.min("timestamp"), F.max("timestamp")).collect()
        done.first, done.last = row[0] or 0, row[1] or 0
        if done.last - done.first > STRAY:
            (row,) = self._events.agg(F.expr("percentile_disc(0.5) WITHIN GROUP (ORDER BY timestamp)")).collect()
            distance = F.abs(F.col("timestamp").cast("decimal(20)") - F.lit(int(row[0])).cast("decimal(20)"))
            done.strayed = self._events.where(distance > STRAY).count()

    def _is_present(self, column: str) -> Column:
        """Return whether an event has a value in a column that is not the default."""
        default = F.lit(None)
        for template, _, slot in self._spare[column]:
            if slot.default is not None:
                default = F.when(F.col("template") == template.name, F.lit(slot.default)).otherwise(default)
        return ~F.col(column).eqNullSafe(default)

    def write(self, directory: str) -> None:
        """Write the events as Parquet files into a directory, in the order of the records."""
        attributes = [F.col(column).alias(name) for column, name in self._names.items()]
        columns = [F.struct(*attributes).alias("attributes")] if attributes else []
        ordered = self._events.orderBy("file", "number")
        place = directory if "://" in directory else str(Path(directory).absolute())
        ordered.select("id", "template", "timestamp", "source", *columns).write.parquet(place)

    def _persisted(self, frame: DataFrame) -> DataFrame:
        self._kept.append(frame.persist())
        return frame

    def _in_order(self, records: DataFrame) -> Iterator[Any]:
        return records.orderBy("file", "number").toLocalIterator()

    def _reject(self, record: Any, reason: str, rejecting: Callable[[Rejected], None]) -> None:
        self.converted.refused.update([record["template"]] * (record["template"] is not None))
        self.converted.rejected[reason.partition(FOUND)[0]] += 1
        rejecting(Rejected(self._files[record["file"] - 1], record["number"], reason))


def exactly(path: str) -> str:
    """Return the path of a local file as Spark reads it, which takes some characters for patterns; another path
    as it is."""
    return path if "://" in path else re.sub(r"([][*?{}\\\\])", r"\\\1", str(Path(path).absolute()))


# --- Records of a file ------------------------------------------------------------------------------------------------


def _rows(spark: SparkSession, path: str, form: str) -> tuple[DataFrame, Mapping[tuple[str, int], int]]:
    """Return the lines or rows of a file, with the block of each, and the number of them before each block."""
    metadata = F.col("_metadata.file_path").alias("place"), F.col("_metadata.file_block_start").alias("block")
    if form == "parquet":
        table = spark.read.parquet(path)
        rows = table.select(F.struct("*").alias("row"), *metadata, F.col("_metadata.row_index").alias("index"))
        counts = rows.groupBy("place").count().orderBy("place").collect()
        # Spark numbers the rows of a file.
        return rows, _before([((count["place"], 0), count["count"]) for count in counts])
    reader = spark.read.option("lineSep", "\n")
    before_setting = spark.conf.get(_PARTITION_BYTES)
    if form == "csv":  # a field may contain line feeds, so that only from its beginning a file can be divided
        spark.conf.set(_PARTITION_BYTES, str(2**62))
    try:
        lines = reader.text(path).select(F.col("value").cast("binary").alias("line"), *metadata)
        if form == "csv":
            lines.rdd.getNumPartitions()  # while the setting is in force
            return lines, {}
        counted = mapped(lines.select(*_BLOCK), partial(_count), _COUNTED)
        sums = counted.groupBy(*_BLOCK).sum("count").orderBy(*_BLOCK).collect()
    finally:
        spark.conf.set(_PARTITION_BYTES, before_setting or str(2**27))
    return lines, _before([((block["place"], block["block"]), block["sum(count)"]) for block in sums])


def _before(counts: Sequence[tuple[tuple[str, int], int]]) -> dict[tuple[str, int], int]:
    offsets = accumulate((count for _, count in counts), initial=0)
    return {block: offset for (block, _), offset in zip(counts, offsets, strict=False)}


def _count(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        blocks = pa.TableGroupBy(pa.table(batch), list(_BLOCK)).aggregate([([], "count_all")])
        yield from blocks.rename_columns([*_BLOCK, "count"]).cast(_COUNTED).to_batches()


def _judged(task: _Task, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the records that fit a template, or are rejected, as rows of `Conversion.schema`, and the number of others
    in a row without template and reason."""
    with Conversion(task.mapping, lambda _: None) as conversion:
        conversion.file = task.file
        for _ in _READERS[task.form](task, conversion, batches):
            yield from conversion.taken().to_batches()
        left: dict[str, list[int | None]] = {name: [None] for name in conversion.schema.names}
        left |= {"file": [task.file], "number": [conversion.converted.unmapped]}
        yield from pa.table(left, schema=conversion.schema).to_batches()


def _read_lines(task: _Task, conversion: Conversion, batches: Iterable[pa.RecordBatch]) -> Iterator[None]:
    read = Counter[tuple[str, int]]()
    for batch in batches:
        for block, rows in groupby(batch.to_pylist(), key=lambda row: (row["place"], row["block"])):
            lines = [row["line"] for row in rows]
            conversion.add_lines(lines_in(b"\n".join(lines), task.before[block] + read[block] + 1))
            read[block] += len(lines)
        yield


def _read_csv(_: _Task, conversion: Conversion, batches: Iterable[pa.RecordBatch]) -> Iterator[None]:
    lines = (row for batch in batches for row in batch.to_pylist())
    for place, rows in groupby(lines, key=lambda row: row["place"]):
        header, batched = header_and_rows(place, (row["line"] for row in rows))
        for some in batched:
            conversion.add_rows(header, some)
            yield


def _read_parquet(task: _Task, conversion: Conversion, batches: Iterable[pa.RecordBatch]) -> Iterator[None]:
    for batch in batches:
        table = pa.table(batch)
        before = pa.array([task.before[place, 0] + 1 for place in table.column("place").to_pylist()], pa.int64())
        numbers = pa.compute.add(table.column("index"), before)
        row = table.column("row").combine_chunks()
        conversion.add_table(pa.table(row.flatten(), [field.name for field in row.type]), numbers)
        yield


_READERS: Final = {"jsonl": _read_lines, "csv": _read_csv, "parquet": _read_parquet}
