"""A stream from its sources to Parquet, exactly once: it can be started, resumed and ended.

A checkpoint is a directory with three entries: `spark`, the checkpoint of the query; `end`, a source of our own, in
which one line ends the stream; `parte.json`, the purpose of the checkpoint. The output is listed by the log of the sink
in `_spark_metadata`: after a crash the directory may contain files of a batch that was then repeated, which are not
part of it. Spark reads the output by this log, `results` in particular; a tool that reads the files alone does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from parte.spark_adapter.results import COLUMNS, schema
from parte.spark_adapter.stream.checkpoint import Claimed, claim
from parte.spark_adapter.stream.damage import check_logs
from parte.spark_adapter.stream.detection import check_disorder, check_engine, check_lines, check_store, found_in
from parte.spark_adapter.stream.job import Job
from parte.spark_adapter.stream.places import join, mkdirs, write
from parte.spark_adapter.stream.unplanned import take_back_unplanned

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

FOUND: Final = f"job string, {schema(*COLUMNS)}, record string, kind string"
"""The columns of the output, which is partitioned by kind."""


@dataclass(frozen=True, slots=True)
class Stream:
    """A query: its lines and engine (see `detected`), its jobs, and the directories of its output and its
    checkpoint."""

    lines: DataFrame
    jobs: Mapping[str, Job]
    out: str
    checkpoint: str
    disorder: int = 0
    engine: str | None = None

    def start(self, *, once: bool = False, every: str | None = None) -> StreamingQuery:
        """Start or resume: with `once` until all present input has been read, else for ever, a batch `every` so often.

        CheckpointError if the checkpoint belongs to another program, domain, disorder, engine or output, the output
        to another checkpoint, or a file of one of them is damaged.
        """
        return self._run(self._claim(), once=once, every=every)

    def _run(self, claimed: Claimed, *, once: bool = False, every: str | None = None) -> StreamingQuery:
        spark = self.lines.sparkSession
        query, end = join(self.checkpoint, "spark"), join(self.checkpoint, "end")
        check_logs(spark, query, self.out)
        take_back_unplanned(spark, query)
        mkdirs(spark, end)
        from pyspark.sql import functions as f

        ends = spark.readStream.text(end).select(f.lit(None).cast("string").alias("job"), f.lit(b"").alias("line"))
        lines = self.lines.select("job", f.col("line").cast("binary"))
        both = lines.unionByName(ends)
        output = found_in(both, self.jobs, self.disorder, claimed.engine, claimed.partitions)
        writer = output.writeStream.format("parquet").outputMode("append").partitionBy("kind")
        writer = writer.option("path", self.out).option("checkpointLocation", query)
        if once:
            writer = writer.trigger(availableNow=True)
        elif every is not None:
            writer = writer.trigger(processingTime=every)
        return writer.start()

    def end(self) -> StreamingQuery:
        """Start or resume once more to end the stream: all sources promise that nothing will follow.

        To be called after a run that has read everything. Later input for this checkpoint is late.
        """
        claimed = self._claim()
        write(self.lines.sparkSession, join(self.checkpoint, "end", "end.txt"), "end\n")
        return self._run(claimed, once=True)

    def _claim(self) -> Claimed:
        check_lines(self.lines)
        check_disorder(self.disorder)
        check_store(self.lines.sparkSession)
        engine = check_engine(self.jobs, self.engine)
        return claim(self.lines.sparkSession, self.checkpoint, self.out, self.jobs, self.disorder, engine)


def results(spark: SparkSession, out: str) -> DataFrame:
    """Return the output of a stream that the log of its sink lists: the columns of `FOUND`."""
    return spark.read.schema(FOUND).parquet(out)
