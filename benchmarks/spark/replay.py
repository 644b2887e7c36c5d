"""Replay on Spark beside a pool of processes on the same function: `python -m benchmarks.spark.replay [TRACES]`.

Random traces run through the published and the sound machine, and are compared with the algebra. Both get the numbers
of the traces in the same pieces; Spark also returns every result to Java, the pool only counts. The start of either,
and a first run that warms it up, are not measured; of `ROUNDS` further runs the fastest counts.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from typing import TYPE_CHECKING

from benchmarks.measuring import Measured, apart, show, timed
from parte.spark_adapter.replay.batches import replay_numbers
from parte.spark_adapter.replay.frames import TASKS_PER_CORE, replay_random
from parte.spark_adapter.replay.plan import Plan
from parte.spark_adapter.session import session
from parte.spark_adapter.traces.random import Recipe

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession

TRACES = 4_000
SMALLEST = ("40",)
CORES = (1, 2)
ROUNDS = 2
PLAN = Plan(models=("sound", "published"))


def count_rows(first: int, count: int) -> int:
    """Replay some traces, as a worker of the pool does."""
    return sum(1 for _ in replay_numbers(PLAN, Recipe(), range(first, first + count)))


def measure_pool(cores: int, traces: int) -> Measured:
    """Measure a pool of so many processes."""
    pieces = cores * TASKS_PER_CORE
    size = -(-traces // pieces)
    firsts = range(0, traces, size)
    with ProcessPoolExecutor(cores, get_context("spawn")) as pool:
        return _fastest(lambda: sum(pool.map(partial(_piece, size, traces), firsts)))


def _piece(size: int, traces: int, first: int) -> int:
    return count_rows(first, min(size, traces - first))


def measure_spark(cores: int, traces: int) -> Measured:
    """Measure Spark on so many threads, each with a Python worker."""
    spark = session(cores=cores)
    try:
        return _fastest(lambda: sum(row[0] for row in counted(spark, traces)))
    finally:
        spark.stop()


def counted(spark: SparkSession, traces: int) -> Sequence[Row]:
    """Replay some traces, with all columns of the results, and count them on Spark."""
    return replay_random(spark, traces, plan=PLAN).selectExpr("count(milliseconds)").collect()


def _fastest(work: Callable[[], int]) -> Measured:
    work()
    return min((timed(work) for _ in range(ROUNDS)), key=lambda measured: measured.seconds)


def main(traces: int = TRACES) -> None:
    """Print the table."""
    start = time.perf_counter()
    rows = []
    alone: dict[str, float] = {}
    for cores in CORES:
        pool = apart(measure_pool, cores, traces)
        for name, measured in (("pool of processes", pool), ("Spark", apart(measure_spark, cores, traces))):
            assert measured.counted == traces
            first = alone.setdefault(name, measured.seconds)
            figures = (f"{measured.seconds:.1f}", f"{traces / measured.seconds:,.0f}")
            ratios = (f"{pool.seconds / measured.seconds:.2f}", f"{first / measured.seconds:.2f}")
            rows.append((f"{name}, {cores} core{'s' * (cores > 1)}", *figures, *ratios))
    columns = ("", "seconds", "traces/s", "of the pool", "times one core")
    note = f"{time.perf_counter() - start:,.0f} s in all"
    show(f"Replay of {traces:,} random traces, sound and published", columns, rows, note)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
