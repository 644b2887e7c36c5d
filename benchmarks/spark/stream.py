"""Speed of the stream on Spark: `python -m benchmarks.spark.stream [MOST_TRANSFERS]`.

Files of transfers are read by a stream in batches, on two cores with two partitions. The first table: events a second,
without the first batch, in which Spark and its workers start, beside the sound machine in this process on the same
lines, from text to matches. The second: how long batches of a few events take, from their planning to their commit.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.measuring import Measured, apart, show, timed
from benchmarks.scenarios import SCENARIOS, TEMPLATES, transfers, uncommon_route
from parte.semantics.events.scenario import Scenario
from parte.semantics.events.trace import read_trace, trace_lines
from parte.semantics.parte.execution import execute
from parte.semantics.parte.syntax import parse

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from parte.spark_adapter.stream.progress import BatchMetrics

SIZES = (20_000, 100_000)
BATCHES = 5
FEW = (1, 100, 1000)
FEW_BATCHES = 12
WARM = 3
ACCOUNTS = 10_000
DAYS = 60
THROUGHPUT = ("scenario", "transfers", "matches", "events/s", "most entries of a key", "times the machine alone")
LATENCY = ("events of a batch", "median ms", "most ms", "ratio")
DOMAIN = {"uncommon_route": uncommon_route}


def lines_of_transfers(count: int) -> list[str]:
    """Transfers in order of time, as lines of a trace."""
    return list(trace_lines(transfers(count, ACCOUNTS, DAYS)))


def in_process(scenario: str, count: int) -> Measured:
    """The sound machine on the same lines; counts matches."""
    program = parse(TEMPLATES + SCENARIOS[scenario])
    lines = lines_of_transfers(count)

    def work() -> int:
        return len(execute(Scenario.of(program, read_trace(lines), DOMAIN)).matches)

    return timed(work)


@contextmanager
def spark_session() -> Iterator[SparkSession]:
    """Spark on two cores, as `parte spark stream --cores 2` starts it."""
    from parte.spark_adapter.session import session
    from parte.spark_adapter.stream import SETTINGS

    spark = session(cores=2)
    for key, value in {**SETTINGS, "spark.sql.shuffle.partitions": "2"}.items():
        spark.conf.set(key, value)
    try:
        yield spark
    finally:
        spark.stop()


def streamed(spark: SparkSession, scenario: str, parts: Sequence[Sequence[str]]) -> list[BatchMetrics]:
    """The batches of a stream that reads one file after the other, and of its end."""
    from parte.spark_adapter.stream import Stream, job_of, lines_of
    from parte.spark_adapter.stream.progress import batches_of

    with tempfile.TemporaryDirectory(prefix="parte-stream-") as directory:
        source = Path(directory, "in")
        source.mkdir()
        for number, part in enumerate(parts):
            path = source / f"{number:05}.json"
            path.write_text("\n".join(part) + "\n", encoding="utf-8")
            os.utime(path, (number, number))  # Spark reads files in this order, and writing takes no time
        job = job_of(parse(TEMPLATES + SCENARIOS[scenario]), DOMAIN)
        lines = lines_of(spark, str(source), options={"maxFilesPerTrigger": "1"})
        stream = Stream(lines, {"": job}, f"{directory}/out", f"{directory}/checkpoint")
        return [*batches_of(stream.start(once=True)), *batches_of(stream.end())]


def split(lines: Sequence[str], size: int) -> list[Sequence[str]]:
    """The lines in parts of a size."""
    return [lines[start : start + size] for start in range(0, len(lines), size)]


def throughput(spark: SparkSession, most: int) -> Iterator[tuple[str, ...]]:
    """The rows of the first table."""
    for count in SIZES:
        for scenario in SCENARIOS:
            if count > most:
                continue
            machine = apart(in_process, scenario, count)
            batches = streamed(spark, scenario, split(lines_of_transfers(count), count // BATCHES))
            assert sum(batch.late + batch.rejected for batch in batches) == 0
            assert sum(batch.matches for batch in batches) == machine.counted
            with_events = [batch for batch in batches if batch.rows > 1][1:]
            seconds = sum(batch.milliseconds for batch in with_events) / 1000
            speed = sum(batch.rows for batch in with_events) / seconds
            entries = max(batch.entries for batch in batches)
            ratio = f"{speed / (count / machine.seconds):.3f}"
            yield scenario, f"{count:,}", f"{machine.counted:,}", f"{speed:,.0f}", f"{entries:,}", ratio


def latency(spark: SparkSession) -> Iterator[tuple[str, ...]]:
    """The rows of the second table."""
    (scenario, *_) = SCENARIOS
    first: float | None = None
    for size in FEW:
        batches = streamed(spark, scenario, split(lines_of_transfers(size * FEW_BATCHES), size))
        taken = [batch.milliseconds for batch in batches[WARM:FEW_BATCHES]]
        first = first or median(taken)
        yield f"{size:,}", f"{median(taken):,.0f}", f"{max(taken):,.0f}", f"{median(taken) / first:.2f}"


def main(most: int = max(SIZES)) -> None:
    """Print both tables, of traces up to `most` transfers."""
    with spark_session() as spark:
        title = f"The stream on Spark: {DAYS} days, {ACCOUNTS:,} accounts, {BATCHES} batches, 2 cores"
        show(title, THROUGHPUT, throughput(spark, most))
        title = f"The stream on Spark: how long a batch takes, {next(iter(SCENARIOS))}, 2 cores"
        show(title, LATENCY, latency(spark), f"{FEW_BATCHES - WARM} batches each, without the first {WARM}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
