"""Two tasks on two cores beside one, for shares of CEL on Spark: `python -m benchmarks.languages.cel.spark [ROUNDS]`.

Two queries have many results that end with one event, and two have few. The prediction of
`parte.languages.cel.semantics.cost` uses the times of a task in this process: without its results, with them, with none
of them to print, and with the last of them. The prediction for Spark adds the time of a Spark job without events. One
task and two take turns, in one session; of `ROUNDS` runs of each, the median counts, and the spread of their ratios is
reported too.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from statistics import median

import pyarrow as pa
from pyspark.sql import SparkSession

from benchmarks.measuring import show
from parte.languages.cel.semantics.cost import Work, alone, slowest
from parte.languages.cel.semantics.machine import Machine
from parte.languages.cel.semantics.syntax.parser import parse
from parte.languages.cel.spark_adapter.batches import ALL, Task, result_batches
from parte.languages.cel.spark_adapter.matching import match
from parte.semantics.events.event import Event
from parte.semantics.events.trace import LineReader, trace_lines
from parte.spark_adapter import positions
from parte.spark_adapter.session import session

CASES = (
    ("A; B+; C", "A" + "B" * 18 + "C"),
    ("A+; B+; C", "AB" * 9 + "C"),
    ("A; B", "A" * 20_000 + "B"),
    ("A; B; C WITHIN 12 EVENTS", "ABDCDD" * 4_000),
)
ROUNDS = 5
SMALLEST = ("1",)
PROCESSES = 2
BATCH = 5_000
MANY = 1_000


def events(names: str) -> list[Event]:
    """Return a stream of events of these types."""
    return [Event(f"e{position}", name, position, {}) for position, name in enumerate(names)]


def batches(lines: Sequence[str], share: int) -> Iterator[pa.RecordBatch]:
    """Yield the batches that Spark passes to the task of a share."""
    for start in range(0, len(lines), BATCH):
        some = lines[start : start + BATCH]
        positions = list(range(start, start + len(some)))
        columns = [[share] * len(some), [ALL] * len(some), positions, list(some)]
        yield pa.RecordBatch.from_arrays([pa.array(column) for column in columns], ["share", "key", "position", "line"])


def task(text: str, lines: Sequence[str], processes: int, share: int) -> int:
    """Run the task of a share, from lines to rows; return the number of rows."""
    result = result_batches(Task(text, processes, "interval", False), batches(lines, share))
    return sum(batch.num_rows for batch in result)


def seconds(work: Callable[[], object]) -> float:
    """Return the time of a call in seconds: the median of three."""
    taken = []
    for _ in range(3):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return median(taken)


def first_results(text: str, lines: Sequence[str]) -> None:
    """Run a task that takes only the first result of each event."""
    machine = Machine(parse(text))
    for position, line in enumerate(lines, 1):
        event = LineReader("").read(line, position)
        assert isinstance(event, Event)
        next(machine.results(event), None)


def work_of(text: str, lines: Sequence[str], names: str) -> Work:
    """Return the input of the model for a query on a stream, in seconds."""
    ends = Counter(result.end for result in Machine(parse(text)).run(events(names)))
    results = sum(ends.values())
    whole = seconds(lambda: task(text, lines, 1, 0))
    begun = seconds(lambda: first_results(text, lines))
    nothing = seconds(lambda: task(text, lines, 10**9, 10**9 - 1))
    last = seconds(lambda: task(text, lines, MANY, MANY - 1))
    result = max(0.0, whole - begun) / max(1, results - len(ends))
    evaluation = max(0.0, min(begun - result * len(ends), nothing))
    printed = sum(count // MANY for count in ends.values())
    passed = sum(count - count // MANY for count in ends.values() if count >= MANY)
    passing = max(0.0, last - nothing - result * printed) / passed if passed else 0.0
    return Work(list(ends.values()), evaluation, result, nothing - evaluation, passing)


def job(spark: SparkSession, text: str, names: str, processes: int) -> tuple[float, int]:
    """Return the time of a query on Spark with a task for each of so many processes, and the number of results."""
    log = positions.of_events(spark, events(names))
    start = time.perf_counter()
    with match(spark, parse(text), log, processes=processes, check=False) as matches:
        count = matches.results.count()
        return time.perf_counter() - start, count


def main(rounds: int = ROUNDS) -> None:
    """Print the table, of so many rounds."""
    spark = session(cores=PROCESSES)
    empty = median(job(spark, "SELECT * WHERE A", "", PROCESSES)[0] for _ in range(rounds))
    rows = []
    for pattern, names in CASES:
        text = f"SELECT * WHERE {pattern}"
        lines = list(trace_lines(events(names)))
        work = work_of(text, lines, names)
        single_task, several = alone(work), slowest(work, PROCESSES)
        job(spark, text, names, PROCESSES)  # to warm up
        taken, ratios = [], []
        for _ in range(rounds):
            (single, count), (shared, same) = job(spark, text, names, 1), job(spark, text, names, PROCESSES)
            assert count == same == sum(work.results)
            taken.append((single, shared))
            ratios.append(single / shared)
        predicted = (f"{single_task / several:.2f}", f"{(single_task + empty) / (several + empty):.2f}")
        medians = (f"{median(times):.2f}" for times in zip(*taken, strict=True))
        spread = f"{min(ratios):.2f} – {max(ratios):.2f}"
        rows.append((pattern, f"{len(names):,}", f"{count:,}", *predicted, *medians, f"{median(ratios):.2f}", spread))
    columns = ("query", "events", "results", "model", "on Spark", "1 task, s", "2 tasks, s", "gain", "spread")
    show("Shares on Spark: two tasks on two cores", columns, rows, f"A job without events: {empty:.2f} s")
    spark.stop()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
