"""From a stream of lines to a stream of matches and other results, as DataFrames."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from parte.algebra.partelang.relational import Unsupported
from parte.spark_adapter.errors import SparkUnavailable, Unusable
from parte.spark_adapter.results import COLUMNS
from parte.spark_adapter.stream.job import Job

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

METRICS: Final = "parte"
"""The name of the observed metrics of a batch."""

LINES: Final = "parte_lines"
"""The name of the observed metrics of the input of a batch: `lines`, without the row that ends a stream."""

STORE_SETTING: Final = "spark.sql.streaming.stateStore.providerClass"
STORE: Final = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"

SETTINGS: Final[Mapping[str, str]] = {
    STORE_SETTING: STORE,
    # Commits write the changes, not the whole store.
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
}
"""The settings of a session for streams; they may be set on a running one too."""


ENGINES: Final = ("queries", "machine")
"""The engines of a stream: queries over the rows that a bucket of keys retains, or the sound machine for each key."""

PARTITIONS: Final = "spark.sql.shuffle.partitions"


def engine_for(jobs: Mapping[str, Job]) -> str:
    """Return the default engine of some jobs: queries, unless a deployment limits the histories of machines."""
    limited = any(limits is not None for job in jobs.values() for limits in job.limits)
    return "machine" if limited else "queries"


def detected(
    lines: DataFrame,
    jobs: Mapping[str, Job],
    *,
    disorder: int = 0,
    engine: str | None = None,
    partitions: int | None = None,
) -> DataFrame:
    """Return the results of some programs on a stream.

    `lines` is a streaming DataFrame of `job` (string) and `line` (binary or string): an event as in a trace, with an
    id, for the program of that name. A row without a job ends the stream. An event may lag by `disorder` milliseconds
    behind the latest of *the whole stream*; one that lags by more is late as soon as a batch has passed.

    The result has the columns `kind`, `job`, those of `parte.spark_adapter.results`, and `record` (JSON). Kinds:
    `match`, in its written form (specification: match-contents); `failure`, an emission without a value; `suppressed`,
    one that `once` suppressed; `late`, an event below the promise that was in force, and `rejected`, an invalid line:
    these two have no effect on matches. Each batch has the observed metrics `parte` and `parte_lines`.

    `engine` is one of `ENGINES`, by default that of `engine_for`. Queries have a bucket for each of the `partitions`,
    by default those of the session; a checkpoint fixes both.

    Unusable for lines that do not stream or lack a column, for a disorder that is not a whole number from 0 to
    `MOST_DISORDER` and for an engine that does not exist or cannot run a job; SparkUnavailable if the session lacks
    `SETTINGS`.
    """
    check_disorder(disorder)
    check_lines(lines)
    check_store(lines.sparkSession)
    checked_engine = check_engine(jobs, engine)
    parts = partitions or int(lines.sparkSession.conf.get(PARTITIONS) or 1)
    return found_in(lines, jobs, disorder, checked_engine, parts)


def found_in(lines: DataFrame, jobs: Mapping[str, Job], disorder: int, engine: str, partitions: int) -> DataFrame:
    """Return the result of `detected`, for an engine that `check_engine` has accepted."""
    from pyspark.sql import functions as f
    from pyspark.sql.pandas.types import from_arrow_schema

    from parte.spark_adapter.stream.labels import labels_of
    from parte.spark_adapter.stream.processor import OUTPUT, ByMachine, ByQueries
    from parte.spark_adapter.stream.rows import ROUTED, routing
    from parte.spark_adapter.stream.shared import Sending

    spark = lines.sparkSession
    shared = Sending(spark.sparkContext, jobs)
    labels = labels_of(spark, jobs, partitions) if engine == "queries" else None
    read = f.count(f.when(f.col("job").isNotNull(), 1)).alias("lines")
    observed_lines = lines.select("job", f.col("line").cast("binary")).observe(LINES, read)
    routed = observed_lines.mapInArrow(routing(shared, labels), from_arrow_schema(ROUTED))
    # For Spark an event at or below the watermark is late; a promise admits events that are not below it.
    timed = routed.withColumn("time", f.timestamp_millis(f.coalesce("timestamp", f.lit(0))))
    promised = timed.withWatermark("time", f"{disorder + 1} milliseconds")
    # Without the column of times Spark cannot drop late rows before the processor sees, reports and counts them.
    processed = (
        promised.drop("time")
        .groupBy("job", "part", "key")
        .transformWithState(
            statefulProcessor=(ByMachine if engine == "machine" else ByQueries)(shared, disorder),
            outputStructType=OUTPUT,
            outputMode="Append",
            timeMode="EventTime",
        )
    )

    kind = f.col("kind")
    observed = processed.observe(
        METRICS,
        f.count(f.when(kind == "match", 1)).alias("matches"),
        f.count(f.when(kind == "failure", 1)).alias("failures"),
        f.count(f.when(kind == "suppressed", 1)).alias("suppressed"),
        f.count(f.when(kind == "late", 1)).alias("late"),
        f.count(f.when(kind == "rejected", 1)).alias("rejected"),
        f.count(f.when(kind == "state", 1)).alias("keys"),
        f.max("entries").alias("entries"),
        f.max("bound").alias("bound"),
        f.count(f.when(f.col("entries") > f.col("bound"), 1)).alias("beyond_bound"),
        f.max("waiting").alias("waiting"),
    )
    return observed.where(kind != "state").select("kind", "job", *COLUMNS, "record")


def check_disorder(disorder: int) -> None:
    """Raise Unusable unless the disorder is a whole number of milliseconds that leaves time for the end of a stream."""
    from parte.spark_adapter.stream.rows import MOST_DISORDER

    if type(disorder) is not int or not 0 <= disorder <= MOST_DISORDER:
        raise Unusable(
            f"disorder: expected a whole number of milliseconds from 0 to {MOST_DISORDER}, found {disorder!r}"
        )


def check_engine(jobs: Mapping[str, Job], engine: str | None) -> str:
    """Return the engine of some jobs. Unusable if there is no such engine, or if it cannot run them."""
    chosen = engine_for(jobs) if engine is None else engine
    if chosen not in ENGINES:
        raise Unusable(f"no engine of streams is called {chosen!r}; there are: {', '.join(ENGINES)}")
    if chosen == "queries":
        from parte.algebra.partelang.incremental.evaluation import check

        if engine_for(jobs) != chosen:
            raise Unusable(
                "a deployment limits what the machine holds for a key, and queries keep no such histories: leave out "
                "the deployment, or take the engine `machine`"
            )
        for job in jobs.values():
            for group in job.groups:
                try:
                    check(group.program, job.predicates)
                except Unsupported as problem:
                    names = ", ".join(group.rules)
                    raise Unusable(f"{names}: {problem}; take the engine `machine`") from None
    return chosen


def check_lines(lines: DataFrame) -> None:
    """Raise Unusable unless the DataFrame streams and has the columns job and line."""
    if not {"job", "line"} <= set(lines.columns):
        raise Unusable(f"lines: expected the columns job and line, found {', '.join(lines.columns) or 'none'}")
    if not lines.isStreaming:
        raise Unusable(
            "lines: expected a streaming DataFrame (spark.readStream…), found one that is finished, in which no "
            "watermark moves and no window closes; parte.spark_adapter.match takes finished logs"
        )


def check_store(spark: SparkSession) -> None:
    """Raise SparkUnavailable unless the session stores state in RocksDB, which `transformWithState` requires."""
    provider = spark.conf.get(STORE_SETTING, "")
    if provider != STORE:
        raise SparkUnavailable(
            f"the state of a stream is kept in RocksDB, and this session has {STORE_SETTING}={provider or 'unset'}",
            f'spark.conf.set("{STORE_SETTING}", "{STORE}")',
        )
