"""From a stream of lines to a stream of what was found in them, as DataFrames."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from parte.spark_adapter.errors import SparkUnavailable, Unusable
from parte.spark_adapter.stream.job import Job

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

METRICS: Final = "parte"
"""The name of the observed metrics of a batch."""

STORE_SETTING: Final = "spark.sql.streaming.stateStore.providerClass"
STORE: Final = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"

SETTINGS: Final[Mapping[str, str]] = {
    STORE_SETTING: STORE,
    # Commits write what changed, not the whole of the store.
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
}
"""What a session needs for streams; it may be set on a running one too."""


def detected(lines: DataFrame, jobs: Mapping[str, Job], *, disorder: int = 0) -> DataFrame:
    """What some programs find in a stream.

    `lines` is a streaming DataFrame of `job` (string) and `line` (binary or string): an event as in a trace, its id
    given, for the program of that name. A row without a job ends the stream. An event may lag by `disorder`
    milliseconds behind the latest of *the whole stream*; one that lags by more is late as soon as a batch has passed.

    The result has the columns `kind`, `job`, `rule` and `record` (JSON). Kinds: `match`, as it is written
    (specification: match-contents); `failure`, an
    emission without a value; `late`, an event below the promise that was in force, and `rejected`, a line that cannot
    be used: neither has been taken into account. Each batch has the observed metrics `parte`.

    Unusable for lines that do not stream or lack a column and for a disorder that is not a whole number from 0 to
    `MOST_DISORDER`; SparkUnavailable if the session lacks `SETTINGS`.
    """
    from pyspark.sql import functions as f
    from pyspark.sql.pandas.types import from_arrow_schema

    from parte.spark_adapter.stream.processor import OUTPUT, Detector
    from parte.spark_adapter.stream.rows import MOST_DISORDER, ROUTED, routing
    from parte.spark_adapter.stream.shared import Sending

    if type(disorder) is not int or not 0 <= disorder <= MOST_DISORDER:
        raise Unusable(
            f"disorder: expected a whole number of milliseconds from 0 to {MOST_DISORDER}, found {disorder!r}"
        )
    check_lines(lines)
    check_store(lines.sparkSession)
    shared = Sending(lines.sparkSession.sparkContext, jobs)
    given = lines.select("job", f.col("line").cast("binary"))
    routed = given.mapInArrow(routing(shared), from_arrow_schema(ROUTED))
    # Spark calls an event late that is at or below the watermark, and a promise lets in what is not below it.
    timed = routed.withColumn("time", f.timestamp_millis(f.coalesce("timestamp", f.lit(0))))
    promised = timed.withWatermark("time", f"{disorder + 1} milliseconds")
    # Without the column of times Spark cannot drop late rows before the processor sees, reports and counts them.
    found = (
        promised.drop("time")
        .groupBy("job", "part", "key")
        .transformWithState(
            statefulProcessor=Detector(shared, disorder),
            outputStructType=OUTPUT,
            outputMode="Append",
            timeMode="EventTime",
        )
    )

    kind = f.col("kind")
    observed = found.observe(
        METRICS,
        f.count(f.when(kind == "match", 1)).alias("matches"),
        f.count(f.when(kind == "failure", 1)).alias("failures"),
        f.count(f.when(kind == "late", 1)).alias("late"),
        f.count(f.when(kind == "rejected", 1)).alias("rejected"),
        f.count(f.when(kind == "state", 1)).alias("keys"),
        f.max("entries").alias("entries"),
        f.max("bound").alias("bound"),
        f.count(f.when(f.col("entries") > f.col("bound"), 1)).alias("beyond_bound"),
        f.max("waiting").alias("waiting"),
    )
    return observed.where(kind != "state").select("kind", "job", "rule", "record")


def check_lines(lines: DataFrame) -> None:
    """Unusable unless the DataFrame streams and has the columns job and line."""
    if not {"job", "line"} <= set(lines.columns):
        raise Unusable(f"lines: expected the columns job and line, found {', '.join(lines.columns) or 'none'}")
    if not lines.isStreaming:
        raise Unusable(
            "lines: expected a streaming DataFrame (spark.readStream…), found one that is finished, in which no "
            "watermark moves and no window closes; parte.spark_adapter.match takes finished logs"
        )


def check_store(spark: SparkSession) -> None:
    """SparkUnavailable unless the session keeps state in RocksDB, which `transformWithState` asks for."""
    found = spark.conf.get(STORE_SETTING, "")
    if found != STORE:
        raise SparkUnavailable(
            f"the state of a stream is kept in RocksDB, and this session has {STORE_SETTING}={found or 'unset'}",
            f'spark.conf.set("{STORE_SETTING}", "{STORE}")',
        )
