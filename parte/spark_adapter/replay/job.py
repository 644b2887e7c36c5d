"""A replay that may be interrupted at any moment and goes on where it was: slices, each committed when it is done.

The directory of a job holds `plan` (what is replayed, and how), `input` (the traces by slice, if there are several),
`results` (a directory for each slice), and `done` (a row for each slice that is complete). All of it is written by
Spark, so it may lie wherever Spark can write. A slice that is not in `done` is computed again as a whole.
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
"""What stands in `done` for the input by slice."""

_SLICES = 20
_LEAST, _MOST_PER_CORE = 1000, 5000
_MISSING = ("PATH_NOT_FOUND", "UNABLE_TO_INFER_SCHEMA")


class OtherJob(Unusable):
    """The directory holds another job; the message says in what they differ."""


class NoInput(Unusable):
    """There is no table of traces where there should be one."""


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
    """What is replayed, how, and where to. `slice_size` is how many traces are committed together; by default a
    twentieth of all, at least 1,000 and at most 5,000 for each core."""

    source: RandomInput | EditionInput
    directory: str
    plan: Plan = Plan()
    slice_size: int | None = None


Watcher = Callable[[int, int], None]
"""Told how many slices are done, and of how many, before the first and after each."""


def run_job(spark: SparkSession, job: Job, watch: Watcher = lambda _done, _all: None) -> DataFrame:
    """Do what is left of a job, and return all its results, which have a further column `slice`.

    OtherJob if the directory holds another one, NoInput if there is no edition, BadTable if it cannot be read as one.
    Two processes must not work on one job at the same time: InUse if another one does, where directories are local.
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
    """The results of a job so far, those of a slice that is not committed included."""
    return spark.read.schema(spark_schema(RESULTS).add("slice", "integer")).parquet(f"{directory}/results")


# --- The plan --------------------------------------------------------------------------------------------------------


def _agreed(spark: SparkSession, job: Job) -> int:
    """How many slices the job has, as its directory says or will say from now on."""
    about = _about(spark, job)
    found = _rows(spark, f"{job.directory}/plan")
    if found:
        known: Mapping[str, Any] = json.loads(found[0]["plan"])
        wanted = about | {key: known.get(key) for key in ("slice_size", "slices") if job.slice_size is None}
        for key, value in wanted.items():
            if known.get(key) != value:
                raise OtherJob(
                    f"{job.directory} holds a replay with {key} {known.get(key)!r}, and this one has {value!r}: "
                    "give the same options to go on with it, or another directory"
                )
        return int(known["slices"])
    if _rows(spark, f"{job.directory}/done"):
        raise OtherJob(f"{job.directory} holds finished slices of a replay, and no plan: name another directory")
    frame = spark.createDataFrame([(json.dumps(about),)], "plan string")
    frame.coalesce(1).write.mode("overwrite").parquet(f"{job.directory}/plan")
    return int(about["slices"])


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
    about = {"format": FORMAT, **source, "traces": count, "plan": asdict(job.plan), "slice_size": size}
    # As it will be read again: tuples become lists.
    return dict(json.loads(json.dumps(about | {"slices": max(1, -(-count // size))})))


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
    """A table, or None if there is none, or one of which nothing was committed."""
    from pyspark.errors import AnalysisException

    try:
        return spark.read.parquet(path)
    except AnalysisException as error:
        if error.getCondition() not in _MISSING:
            raise
        return None
