"""Speed of the stream on Spark: `python -m benchmarks.spark.stream [MOST_TRANSFERS [BATCHES]]`.

A stream reads files of transfers in batches, on two cores with two partitions; events arrive out of order within the
disorder, and none is late. There are ten transfers of an account in 60 days; in scenario C some are refunded and
claimed. The first table: events a second of both engines, without the first batch, in which Spark and its workers
start, and as a part of the rate of the sound machine in this process on the same lines, from text to matches; all must
find the same number. The second: the time of batches of a few events, from their planning to their commit, of BATCHES
each, 12 by default.
"""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.measuring import Measured, apart, show, timed, up_to
from parte.experiments.scenarios import SCENARIOS, transfers, uncommon_route
from parte.semantics.events.scenario import Scenario
from parte.semantics.events.trace import read_trace, trace_lines
from parte.semantics.partelang.execution import execute
from parte.semantics.partelang.syntax import parse

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from parte.spark_adapter.stream.progress import BatchMetrics

LOADS = ((100_000, 20_000, "machine"), (100_000, 20_000, "queries"), (300_000, 60_000, "queries"))
"""Transfers, the size of a batch, and the engine of streams."""
DISORDER = 60 * 60 * 1000
SMALLEST = ("300", "4")
FEW = (1, 100, 1_000, 10_000)
FEW_BATCHES = 12
WARM = 3
DAYS = 60
THROUGHPUT = ("scenario", "engine", "transfers", "a batch", "matches", "events/s", "of the machine")
LATENCY = ("engine", "events of a batch", "median ms", "most ms", "ratio")
DOMAIN = {"uncommon_route": uncommon_route}


@lru_cache(maxsize=1)
def lines_of_transfers(count: int, *, claims: bool = False) -> list[str]:
    """Return transfers as lines of a trace, each up to the disorder later than its turn."""
    draw = random.Random(1)
    events = transfers(count, max(1, count // 10), DAYS, claims=claims)
    return list(trace_lines(sorted(events, key=lambda event: event.timestamp + draw.randrange(DISORDER))))


def claimed(scenario: str) -> bool:
    """Return whether a scenario is about claims."""
    return scenario.startswith("C")


def in_process(scenario: str, count: int) -> Measured:
    """Measure the sound machine on the same lines; count matches."""
    program = parse(SCENARIOS[scenario])
    lines = sorted(lines_of_transfers(count, claims=claimed(scenario)), key=_stamp)

    def work() -> int:
        return len(execute(Scenario.of(program, read_trace(lines), DOMAIN)).matches)

    return timed(work)


def _stamp(line: str) -> int:
    return int(json.loads(line)["timestamp"])


@contextmanager
def spark_session() -> Iterator[SparkSession]:
    """Start Spark on two cores, as `parte spark stream --cores 2` starts it."""
    from parte.spark_adapter.session import session
    from parte.spark_adapter.stream import SETTINGS

    spark = session(cores=2)
    for key, value in {**SETTINGS, "spark.sql.shuffle.partitions": "2"}.items():
        spark.conf.set(key, value)
    try:
        yield spark
    finally:
        spark.stop()


def streamed(
    spark: SparkSession, scenario: str, parts: Sequence[Sequence[str]], engine: str = "queries"
) -> list[BatchMetrics]:
    """Return the batches of a stream that reads one file after the other, and of its end."""
    from parte.spark_adapter.stream import Stream, job_of, lines_of
    from parte.spark_adapter.stream.progress import batches_of

    with tempfile.TemporaryDirectory(prefix="parte-stream-") as directory:
        source = Path(directory, "in")
        source.mkdir()
        for number, part in enumerate(parts):
            path = source / f"{number:05}.json"
            path.write_text("\n".join(part) + "\n", encoding="utf-8")
            os.utime(
                path, (number, number)
            )  # Spark reads files in this order, and all are written at about the same time
        job = job_of(parse(SCENARIOS[scenario]), DOMAIN)
        lines = lines_of(spark, str(source), options={"maxFilesPerTrigger": "1"})
        stream = Stream(lines, {"": job}, f"{directory}/out", f"{directory}/checkpoint", DISORDER, engine)
        return [*batches_of(stream.start(once=True)), *batches_of(stream.end())]


def split(lines: Sequence[str], size: int) -> list[Sequence[str]]:
    """Return the lines in parts of a size."""
    return [lines[start : start + size] for start in range(0, len(lines), size)]


def throughput(spark: SparkSession, most: int) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the first table."""
    for scenario in SCENARIOS:
        small = [(most, most // 3, engine) for engine in ("machine", "queries")]
        for count, size, engine in [load for load in LOADS if load[0] <= most] or small:
            machine = apart(in_process, scenario, count)
            lines = lines_of_transfers(count, claims=claimed(scenario))
            batches = streamed(spark, scenario, split(lines, size), engine)
            assert sum(batch.late + batch.rejected for batch in batches) == 0
            assert sum(batch.matches for batch in batches) == machine.counted
            # A batch without data closes the windows that the one before it left open, so its time counts too.
            taken = batches[1:-1]
            speed = 1000 * sum(batch.rows for batch in taken) / sum(batch.milliseconds for batch in taken)
            ratio = f"{speed / (len(lines) / machine.seconds):.3f}"
            yield scenario, engine, f"{count:,}", f"{size:,}", f"{machine.counted:,}", f"{speed:,.0f}", ratio


def latency(spark: SparkSession, most: int, count: int) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the second table."""
    (scenario, *_) = SCENARIOS
    for engine in ("machine", "queries"):
        first: float | None = None
        for size in up_to(most // count, FEW):
            batches = streamed(spark, scenario, split(lines_of_transfers(size * count), size), engine)
            taken = [batch.milliseconds for batch in batches if batch.rows][WARM:]
            first = first or median(taken)
            yield engine, f"{size:,}", f"{median(taken):,.0f}", f"{max(taken):,.0f}", f"{median(taken) / first:.2f}"


def main(most: int = 300_000, count: int = FEW_BATCHES) -> None:
    """Print both tables, of traces up to `most` transfers."""
    with spark_session() as spark:
        title = f"The stream on Spark: {DAYS} days, ten transfers of an account, 2 cores"
        show(title, THROUGHPUT, throughput(spark, most))
        title = f"The stream on Spark: how long a batch takes, {next(iter(SCENARIOS))}, 2 cores"
        show(title, LATENCY, latency(spark, most, count), f"{count - WARM} batches each, without the first {WARM}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
