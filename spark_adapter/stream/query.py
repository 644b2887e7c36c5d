"""A stream from its sources to Parquet, exactly once: what is started, resumed and ended.

A checkpoint is a directory with three things: `spark`, the checkpoint of the query; `end`, a source of our own, in
which one line ends the stream; `parte.json`, what the checkpoint was made for. Output is what the log of the sink in
`_spark_metadata` says: after a crash the directory may hold files of a batch that was then repeated, and they are no
part of it. Spark reads it so by itself, `results` in particular; a tool that reads the files alone does not.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from spark_adapter.errors import Unusable
from spark_adapter.stream.detection import detected
from spark_adapter.stream.job import Job

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

FOUND: Final = "job string, rule string, record string, kind string"
"""The columns of the output, which is partitioned by kind."""

VERSION: Final = 1


class CheckpointError(Unusable):
    """A checkpoint of something else, whose state would be taken for that of this program."""


@dataclass(frozen=True, slots=True)
class Stream:
    """A query to be run: its lines (see `detected`), its jobs, where its output and its checkpoint are."""

    lines: DataFrame
    jobs: Mapping[str, Job]
    out: str
    checkpoint: str
    disorder: int = 0

    def start(self, *, once: bool = False, every: str | None = None) -> StreamingQuery:
        """Start or resume: until all that is there has been read if `once`, else for ever, a batch `every` so often.

        CheckpointError if the checkpoint belongs to another program or disorder.
        """
        spark = self.lines.sparkSession
        self._claim(spark)
        end = _join(self.checkpoint, "end")
        _mkdirs(spark, end)
        from pyspark.sql import functions as f

        ends = spark.readStream.text(end).select(f.lit(None).cast("string").alias("job"), f.lit(b"").alias("line"))
        found = detected(self.lines.unionByName(ends), self.jobs, disorder=self.disorder)
        writer = found.writeStream.format("parquet").outputMode("append").partitionBy("kind")
        writer = writer.option("path", self.out).option("checkpointLocation", _join(self.checkpoint, "spark"))
        if once:
            writer = writer.trigger(availableNow=True)
        elif every is not None:
            writer = writer.trigger(processingTime=every)
        return writer.start()

    def end(self) -> StreamingQuery:
        """Start or resume once more to end the stream: all sources promise that nothing will follow.

        To be called after a run that has read everything. What comes to this checkpoint later is late.
        """
        _write(self.lines.sparkSession, _join(self.checkpoint, "end", "end.txt"), "end\n")
        return self.start(once=True)

    def _claim(self, spark: SparkSession) -> None:
        path = _join(self.checkpoint, "parte.json")
        programs = {name: job.identity() for name, job in sorted(self.jobs.items())}
        ours = {"version": VERSION, "disorder": self.disorder, "programs": programs}
        found = _read(spark, path)
        if found is None:
            _write(spark, path, json.dumps(ours) + "\n")
            return
        try:
            theirs = json.loads(found)
        except ValueError:
            theirs = None
        if theirs != ours:
            known = theirs if isinstance(theirs, dict) else {}
            wrong = [name for name in ours if known.get(name) != ours[name]]
            raise CheckpointError(
                f"{path}: this checkpoint was made for another {' and '.join(wrong)}; found {found.strip()[:500]}, "
                f"expected {json.dumps(ours)[:500]}: take another checkpoint and output directory, or go back to what "
                "the checkpoint was made for"
            )


def results(spark: SparkSession, out: str) -> DataFrame:
    """The output of a stream as the log of its sink says: columns job, rule, record, kind."""
    return spark.read.schema(FOUND).parquet(out)


# --- Files, wherever Spark's paths lead ------------------------------------------------------------------------------


def _join(*parts: str) -> str:
    return "/".join([part.rstrip("/") for part in parts])


def _file(spark: SparkSession, path: str) -> tuple[Any, Any, Any]:
    """The Java gateway of a session, a path and its file system: Spark's own, so that any scheme works."""
    java: Any = spark._jvm
    place = java.org.apache.hadoop.fs.Path(path)
    configuration = spark._jsparkSession.sessionState().newHadoopConf()
    return java, place, place.getFileSystem(configuration)


def _mkdirs(spark: SparkSession, path: str) -> None:
    _, place, files = _file(spark, path)
    files.mkdirs(place)


def _read(spark: SparkSession, path: str) -> str | None:
    java, place, files = _file(spark, path)
    if not files.exists(place):
        return None
    stream = files.open(place)
    try:
        return str(java.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
    finally:
        stream.close()


def _write(spark: SparkSession, path: str, text: str) -> None:
    """Write a file so that it is there whole or not at all; one that is there already stays."""
    java, place, files = _file(spark, path)
    if files.exists(place):
        return
    draft = java.org.apache.hadoop.fs.Path(place.getParent(), f"_{place.getName()}.draft")
    stream = files.create(draft, True)
    try:
        stream.write(text.encode("utf-8"))
    finally:
        stream.close()
    if not files.rename(draft, place) and not files.exists(place):
        raise OSError(f"{path} cannot be written")
