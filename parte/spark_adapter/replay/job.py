"""A replay that may be interrupted at any moment and resumed: slices, each committed when it is done.

The directory of a job contains `plan` (the input and the plan), `input` (the traces by slice, if there are several),
`results` (a directory for each slice), and `done` (a row for each complete slice). Spark writes all of it, so it may be
anywhere where Spark can write. A slice that is not in `done` is computed again as a whole.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from parte.semantics.events.locks import held
from parte.spark_adapter.errors import Unusable
from parte.spark_adapter.mapping import spark_schema
from parte.spark_adapter.replay.frames import replay, replay_random
from parte.spark_adapter.replay.plan import Plan
from parte.spark_adapter.replay.rows import RESULTS
from parte.spark_adapter.traces.random import Recipe

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FORMAT: Final = 1
_STAGED: Final = -1
"""The entry in `done` for the input by slice."""

_SLICES = 20
_LEAST, _MOST_PER_CORE = 1000, 5000
_MISSING = ("PATH_NOT_FOUND", "UNABLE_TO_INFER_SCHEMA")


class OtherJob(Unusable):
    """The directory contains another job; the message states the difference."""


class NoInput(Unusable):
    """The expected table of traces is missing."""


@dataclass(frozen=True, slots=True)
class RandomInput:
    """Random cases from number 0 on."""

    count: int
    recipe: Recipe = Recipe()


@dataclass(frozen=True, slots=True)
class EditionInput:
    """An edition: a directory with the table `traces`, and `programs` and `domains` if they are needed."""

    directory: str


@dataclass(frozen=True, slots=True)
class Job:
    """The input of a replay, its plan and its directory. `slice_size` is the number of traces that are committed
    together; by default a twentieth of all, at least 1,000 and at most 5,000 for each core."""

    source: RandomInput | EditionInput
    directory: str
    plan: Plan = Plan()
    slice_size: int | None = None


Watcher = Callable[[int, int], None]
"""A function that is called with the numbers of complete and of all slices, at the start and after each slice."""


def run_job(spark: SparkSession, job: Job, watch: Watcher = lambda _done, _all: None) -> DataFrame:
    """Do the rest of a job, and return all its results, which have a further column `slice`.

    OtherJob if the directory contains another one, NoInput if there is no edition, BadTable if it is invalid. Two
    processes must not work on one job at the same time: InUse if another one does, where directories are local.
    """
    with held(job.directory):
        _do(spark, job, watch)
    return results_of(spark, job.directory)


def _do(spark: SparkSession, job: Job, watch: Watcher) -> None:
    slices = _agreed(spark, job)
    done = _done(spark, job.directory)
    if isinstance(job.source, EditionInput) and slices > 1 and _STAGED not in done:
        _stage(spark, job.source, job.directory, slices)
    complete = len(done - {_STAGED})
    watch(complete, slices)
    for number in range(slices):
        if number not in done:
            results = _slice(spark, job, number, slices)
            results.write.mode("overwrite").parquet(f"{job.directory}/results/slice={number}")
            _commit(spark, job.directory, number)
            complete += 1
            watch(complete, slices)


def results_of(spark: SparkSession, directory: str) -> DataFrame:
    """Return the results of a job so far, including those of a slice that is not committed."""
    return spark.read.schema(spark_schema(RESULTS).add("slice", "integer")).parquet(f"{directory}/results")


# --- The plan --------------------------------------------------------------------------------------------------------


def _agreed(spark: SparkSession, job: Job) -> int:
    """Return the number of slices of the job from its directory, where it is recorded at the first start."""
    description = _about(spark, job)
    plan_rows = _rows(spark, f"{job.directory}/plan")
    if plan_rows:
        known: Mapping[str, Any] = json.loads(plan_rows[0]["plan"])
        wanted = description | {key: known.get(key) for key in ("slice_size", "slices") if job.slice_size is None}
        for key, value in wanted.items():
            if known.get(key) != value:
                raise OtherJob(
                    f"{job.directory} holds a replay with {key} {known.get(key)!r}, and this one has {value!r}: "
                    "give the same options to go on with it, or another directory"
                )
        return int(known["slices"])
    if _rows(spark, f"{job.directory}/done"):
        raise OtherJob(f"{job.directory} holds finished slices of a replay, and no plan: name another directory")
    frame = spark.createDataFrame([(json.dumps(description),)], "plan string")
    frame.coalesce(1).write.mode("overwrite").parquet(f"{job.directory}/plan")
    return int(description["slices"])


def _about(spark: SparkSession, job: Job) -> dict[str, Any]:
    if isinstance(job.source, RandomInput):
        source: dict[str, Any] = {"random": asdict(job.source.recipe)}
        count = job.source.count
    else:
        source = {"input": job.source.directory}
        count = _edition(spark, job.source)[0].count()
    size = job.slice_size
    if size is None:
        most = _MOST_PER_CORE * spark.sparkContext.defaultParallelism
        size = min(max(count // _SLICES, _LEAST), most)
    description = {"format": FORMAT, **source, "traces": count, "plan": asdict(job.plan), "slice_size": size}
    # In the form in which it will be read again: tuples become lists.
    return dict(json.loads(json.dumps(description | {"slices": max(1, -(-count // size))})))


# --- Slices ----------------------------------------------------------------------------------------------------------


def _slice(spark: SparkSession, job: Job, number: int, slices: int) -> DataFrame:
    source = job.source
    if isinstance(source, RandomInput):
        size, left = divmod(source.count, slices)
        first = number * size + min(number, left)
        return replay_random(spark, size + (number < left), first=first, recipe=source.recipe, plan=job.plan)
    traces, programs, domains = _edition(spark, source)
    if slices > 1:
        traces = spark.read.schema(traces.schema).parquet(f"{job.directory}/input/slice={number}")
    return replay(spark, traces, programs=programs, domains=domains, plan=job.plan)


def _stage(spark: SparkSession, source: EditionInput, directory: str, slices: int) -> None:
    """Write the traces by slice, so that a slice can be read without reading all."""
    from pyspark.sql import functions as f

    traces = _edition(spark, source)[0]
    sliced = traces.withColumn("slice", f.pmod(f.xxhash64("trace_id"), f.lit(slices)).cast("int"))
    tasks = max(spark.sparkContext.defaultParallelism, slices // 10)
    sliced.repartition(tasks, "slice").write.mode("overwrite").partitionBy("slice").parquet(f"{directory}/input")
    _commit(spark, directory, _STAGED)


def _edition(spark: SparkSession, source: EditionInput) -> tuple[DataFrame, DataFrame | None, DataFrame | None]:
    traces = _table(spark, f"{source.directory}/traces")
    if traces is None:
        raise NoInput(f"{source.directory}: expected a table of traces in {source.directory}/traces, found none")
    return traces, _table(spark, f"{source.directory}/programs"), _table(spark, f"{source.directory}/domains")


# --- Tables that may be missing --------------------------------------------------------------------------------------


def _done(spark: SparkSession, directory: str) -> set[int]:
    return {row["slice"] for row in _rows(spark, f"{directory}/done")}


def _commit(spark: SparkSession, directory: str, number: int) -> None:
    spark.createDataFrame([(number,)], "slice int").coalesce(1).write.mode("append").parquet(f"{directory}/done")


def _rows(spark: SparkSession, path: str) -> list[Any]:
    table = _table(spark, path)
    return [] if table is None else table.collect()


def _table(spark: SparkSession, path: str) -> DataFrame | None:
    """Return a table, or None if there is none, or one without committed rows."""
    from pyspark.errors import AnalysisException

    try:
        return spark.read.parquet(path)
    except AnalysisException as error:
        if error.getCondition() not in _MISSING:
            raise
        return None
