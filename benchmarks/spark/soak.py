"""A stream that goes on for long: `python -m benchmarks.spark.soak MINUTES OUT`.

Diffusion (scenario B) over transfers that never end, out of order within the disorder: a file of 5,000 comes every five
seconds, and stands for three days, so that an hour is six years. For each batch with events a row is written to
OUT.csv: seconds since the start, its number, its milliseconds, the events that the fuller bucket retains, the state in
MiB as Spark counts it, and the memory of Java and of the Python workers in MiB. OUT.svg shows time, state and memory.
"""

from __future__ import annotations

import csv
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.scenarios import AMOUNTS, DAY, SCENARIOS, TEMPLATES, uncommon_route
from benchmarks.spark.stream import spark_session
from parte.semantics.events.event import Event
from parte.semantics.events.trace import trace_lines
from parte.semantics.partelang.syntax import parse

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery

COLUMNS = ("seconds", "batch", "milliseconds", "retained", "state MiB", "Java MiB", "Python MiB")
PERIOD = 5.0
SMALLEST = ("0.3", "soak")
EVENTS = 5_000
SPAN = 3 * DAY
DISORDER = 6 * 60 * 60 * 1000
ACCOUNTS = 4_000
MIB = 2**20


def files(directory: Path, seconds: float) -> Iterator[None]:
    """Write a file each period until the time is up, and yield after each."""
    draw = random.Random(1)
    names = [f"a{number}" for number in range(ACCOUNTS)]
    began, number = time.monotonic(), 0
    while (due := number * PERIOD) < seconds:
        while time.monotonic() - began < due:
            time.sleep(0.05)
            yield
        events = []
        for place in range(EVENTS):
            stamp = number * SPAN + SPAN * place // EVENTS + 2 * DISORDER - draw.randrange(DISORDER)
            accounts = {"id": f"{number}-{place}", "originator": draw.choice(names), "destination": draw.choice(names)}
            events.append(
                Event(f"t{number}-{place}", "MoneyTransferred", stamp, {**accounts, "amount": draw.choice(AMOUNTS)})
            )
        draft = directory / f"_{number:06}.json"
        draft.write_text("\n".join(trace_lines(events)) + "\n", encoding="utf-8")
        draft.rename(directory / f"{number:06}.json")
        number += 1
        yield


def memory() -> tuple[float, float]:
    """Return the memory of the Java processes and of the Python processes below this one, in MiB."""
    above: dict[int, int] = {}
    held: dict[int, tuple[str, float]] = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            status = dict(line.split(":\t", 1) for line in (place / "status").read_text().splitlines() if ":\t" in line)
        except OSError:
            continue  # it has ended
        above[int(place.name)] = int(status["PPid"])
        held[int(place.name)] = status["Name"], int(status.get("VmRSS", "0 kB").split()[0]) / 1024
    own = {process for process in above if _is_below(process, above)}
    java = sum(size for process, (name, size) in held.items() if process in own and name == "java")
    return java, sum(size for process, (name, size) in held.items() if process in own and name != "java")


def _is_below(process: int, above: dict[int, int]) -> bool:
    import os

    while process in above:
        process = above[process]
        if process == os.getpid():
            return True
    return False


def batch_rows(query: StreamingQuery, since: float, last: int) -> Iterator[tuple[float, ...]]:
    """Yield the rows of the batches after one."""
    for progress in query.recentProgress:
        if progress.batchId > last and progress.numInputRows:
            (state,) = progress.stateOperators
            metrics = progress.observedMetrics["parte"].asDict()
            size = state.customMetrics.get("rocksdbTotalMemoryUsage", 0) or state.memoryUsedBytes
            duration = progress.durationMs["triggerExecution"]
            row = (round(time.monotonic() - since, 1), progress.batchId, duration, metrics["entries"] or 0)
            yield (*row, round(size / MIB, 1), *(round(part, 1) for part in memory()))


def soak(minutes: float, out: Path) -> int:
    """Run the stream and write the rows; return their number."""
    from parte.spark_adapter.stream import Stream, job_of, lines_of

    rows = 0
    with (
        spark_session() as spark,
        tempfile.TemporaryDirectory(prefix="parte-soak-") as directory,
        out.with_suffix(".csv").open("w", encoding="utf-8", newline="") as file,
    ):
        source = Path(directory, "in")
        source.mkdir()
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        job = job_of(parse(TEMPLATES + SCENARIOS["B diffusion"]), {"uncommon_route": uncommon_route})
        stream = Stream(
            lines_of(spark, str(source)), {"": job}, f"{directory}/out", f"{directory}/checkpoint", DISORDER
        )
        query = stream.start()
        since, last = time.monotonic(), -1
        for _ in files(source, minutes * 60):
            for row in batch_rows(query, since, last):
                last = int(row[1])
                rows += 1
                writer.writerow(row)
                file.flush()
        query.stop()
    return rows


def plot(out: Path) -> None:
    """Plot the rows."""
    from matplotlib.figure import Figure

    with out.with_suffix(".csv").open(encoding="utf-8", newline="") as file:
        rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]
    minutes = [row["seconds"] / 60 for row in rows]
    figure = Figure(figsize=(8, 7), layout="constrained")
    for place, names in enumerate((("milliseconds",), ("retained",), ("Java MiB", "Python MiB"))):
        axes = figure.add_subplot(3, 1, place + 1)
        for name in names:
            axes.plot(minutes, [row[name] for row in rows], linewidth=0.8, label=name)
        axes.set_ylim(bottom=0)
        axes.legend(loc="lower right")
    axes.set_xlabel("minutes; each is about 36 days of events")
    figure.savefig(out.with_suffix(".svg"), metadata={"Date": None})


if __name__ == "__main__":
    print(soak(float(sys.argv[1]), Path(sys.argv[2])), "batches")
    plot(Path(sys.argv[2]))
