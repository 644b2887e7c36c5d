"""The input of `parte.spark_adapter.scaling`, measured, and its predictions: `python -m benchmarks.spark.scaling`.

`python -m benchmarks.spark.scaling [replay|match|stream [EVENTS [BATCHES]]]`; all three unless one is named. Loads of
two sizes run on one core: the cost of an event, and the constant cost of a job, follow. These are then predicted and
measured: the bytes shuffled at the greater size from those at the smaller (as Spark counts them), the time on two cores
from that on one, and, for match, time and fullest partition if keys are skewed. Then follows the table for 10^9 events
a day.

Nothing is broadcast, because with 10^9 events nothing would be, and partitions are not merged at run time, so that they
can be counted.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy
import pyarrow
import pyarrow.parquet

from benchmarks.measuring import UNMEASURABLE, show
from benchmarks.scenarios import DAY, transfers
from benchmarks.spark.stream import split, streamed
from parte.algebra.partelang.relational.parquet import log_schema
from parte.semantics.events.trace import trace_lines
from parte.semantics.partelang.syntax import parse
from parte.spark_adapter.match import match
from parte.spark_adapter.replay import random_traces, replay
from parte.spark_adapter.replay.plan import Plan
from parte.spark_adapter.scaling import (
    PARTITIONS_PER_CORE,
    Cluster,
    Costs,
    Load,
    Streaming,
    Wall,
    capacity,
    estimate,
    frequencies,
    fullest,
    parts,
)
from parte.spark_adapter.session import session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BILLION = 1e9
AVERAGE = BILLION / 86_400
PEAK = 5 * AVERAGE
CLUSTERS = (1, 4, 16, 64, 256)
SKEW = 0.8
SMALLEST = ("match", "100000")
SETTINGS = {"spark.sql.autoBroadcastJoinThreshold": "-1", "spark.sql.adaptive.coalescePartitions.enabled": "false"}


# --- What Spark tells ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Measured:
    """A job: seconds of the wall clock, bytes that it shuffled, the seconds of its tasks before the last shuffle and
    after it, and the share of the rows in the fullest partition."""

    seconds: float
    shuffled: int
    before: float
    after: float
    fullest: float


@contextmanager
def spark_on(cores: int) -> Iterator[SparkSession]:
    """Start Spark on so many cores, for the `with` block."""
    spark = session(cores=cores, memory="6g", settings=SETTINGS)
    try:
        yield spark
    finally:
        spark.stop()


def measured(spark: SparkSession, work: Callable[[], object]) -> Measured:
    """Run some work in a session and return the metrics of its stages from Spark."""
    last = max((stage.stageId() for stage in stages(spark)), default=-1)
    start = time.perf_counter()
    work()
    seconds = time.perf_counter() - start
    own = [stage for stage in stages(spark) if stage.stageId() > last]
    reading = [stage for stage in own if stage.shuffleReadRecords()]
    rows = rows_by_task(spark, max(reading, key=lambda stage: int(stage.shuffleReadRecords()))) if reading else [1]
    after = sum(stage.executorRunTime() for stage in reading) / 1000
    return Measured(
        seconds,
        sum(stage.shuffleWriteBytes() for stage in own),
        sum(stage.executorRunTime() for stage in own) / 1000 - after,
        after,
        max(rows) / sum(rows),
    )


def stages(spark: SparkSession) -> list[Any]:
    """Return Spark's data about its stages. It keeps a thousand of them."""
    gateway = spark.sparkContext._gateway
    assert gateway is not None
    nothing = gateway.new_array(gateway.jvm.double, 0)
    stage_list = _store(spark).stageList(None, False, False, nothing, gateway.jvm.java.util.ArrayList())
    return list(_items(stage_list))


def rows_by_task(spark: SparkSession, stage: Any) -> list[int]:
    """Return how many rows each task of a stage received."""
    tasks = _items(_store(spark).taskList(stage.stageId(), stage.attemptId(), 100_000))
    return [task.taskMetrics().get().shuffleReadMetrics().recordsRead() for task in tasks]


def _store(spark: SparkSession) -> Any:
    return spark._jsc.sc().statusStore()


def _items(of_scala: Any) -> Iterator[Any]:
    iterator = of_scala.iterator()
    while iterator.hasNext():
        yield iterator.next()


# --- Loads -----------------------------------------------------------------------------------------------------------

RULE = """
template Transfer { originator: String, destination: String, amount: Float }
template Passed { account: String }
rule PassedOn where
    incoming: Transfer,
    outgoing: Transfer { originator = incoming.destination, amount > incoming.amount * 0.99, amount < incoming.amount },
when outgoing in incoming [0 ms, 14 days]
then emit Passed at outgoing.timestamp with { account = outgoing.originator }
"""
"""A join by one key, and by amounts that differ by less than a hundredth, which are no key."""


def log_of(events: int, accounts: int, skew: float) -> pyarrow.Table:
    """Return transfers evenly over 60 days, of accounts that are more or less frequent."""
    draw = numpy.random.default_rng(1)
    shares = frequencies(Load(events, accounts, skew))
    names = numpy.char.add("a", numpy.arange(accounts).astype(str))
    columns = {
        "originator": names[draw.choice(accounts, events, p=shares)],
        "destination": names[draw.choice(accounts, events, p=shares)],
        "amount": draw.random(events),
    }
    schema = log_schema(parse(RULE))
    attributes = schema.field("attributes").type
    slots = [
        pyarrow.array(columns[slot.name], slot.type) if slot.name in columns else pyarrow.nulls(events, slot.type)
        for slot in attributes
    ]
    arrays = {
        "id": numpy.char.add("t", numpy.arange(events).astype(str)),
        "template": numpy.full(events, "Transfer"),
        "timestamp": (numpy.arange(events) * (60 * DAY / events)).astype(numpy.int64),
        "source": pyarrow.nulls(events, pyarrow.string()),
        "attributes": pyarrow.StructArray.from_arrays(slots, fields=list(attributes)),
    }
    return pyarrow.table([arrays[name] for name in schema.names], schema=schema)


# --- Measured and predicted ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Compared:
    """A figure that the model predicts, and the measured one."""

    of: str
    predicted: float
    measured: float


class TooFew(Exception):
    """More events took no longer, so that the cost of an event is unknown."""

    def __str__(self) -> str:
        return "more events took no longer: give more EVENTS, or wait until the machine is quiet"


def fitted(small: Measured, large: Measured, few: int, many: int) -> Costs:
    """Return the costs of a job and of an event, from two jobs on one core; the bytes are those of the smaller."""
    event = (large.seconds - small.seconds) / (many - few)
    if event <= 0:
        raise TooFew
    reading = event * large.before / (large.before + large.after)
    return Costs(max(0.0, small.seconds - few * event), reading, event - reading, small.shuffled / few)


def replayed(events: int) -> tuple[Costs, list[Compared]]:
    """Measure and predict the replay of random traces, from a table of them."""
    plan = Plan(models=("sound",))
    with tempfile.TemporaryDirectory() as directory:
        counts = (events // 1000, events // 250)  # of traces
        sizes = []
        with spark_on(2) as spark:
            for count in counts:
                random_traces(spark, count).write.parquet(f"{directory}/{count}")
                row = spark.read.parquet(f"{directory}/{count}").selectExpr("sum(size(events))").first()
                sizes.append(int(row[0]) if row else 0)

        def job(spark: SparkSession, count: int) -> Measured:
            traces = spark.read.parquet(f"{directory}/{count}")
            return measured(spark, lambda: replay(spark, traces, plan=plan).selectExpr("count(milliseconds)").collect())

        single_core, two = on_one_and_two(lambda spark: [job(spark, count) for count in counts])
    costs = fitted(single_core[0], single_core[1], sizes[0], sizes[1])
    load = Load(sizes[1], counts[1])
    return costs, [
        Compared("replay, bytes shuffled", sizes[1] * costs.shuffled, single_core[1].shuffled),
        Compared("replay, seconds on two cores", estimate(load, costs, Cluster(2)).seconds, two[1].seconds),
    ]


def matched(events: int) -> tuple[Costs, list[Compared]]:
    """Measure and predict the match of a rule with one key, evenly over keys and not."""
    program, accounts = parse(RULE), events // 10
    with tempfile.TemporaryDirectory() as directory:
        loads = {"few": (events // 4, 0.0), "even": (events, 0.0), "skewed": (events // 4, SKEW)}
        for name, (count, skew) in loads.items():
            pyarrow.parquet.write_table(log_of(count, accounts, skew), f"{directory}/{name}", row_group_size=2**16)

        def job(spark: SparkSession, name: str) -> Measured:
            matches = match(spark, program, spark.read.parquet(f"{directory}/{name}"), check=False).all
            return measured(spark, lambda: matches.write.format("noop").mode("overwrite").save())

        single_core, two = on_one_and_two(lambda spark: [job(spark, name) for name in loads])
    few, even, skewed = single_core
    costs = fitted(few, even, events // 4, events)
    load = Load(events // 4, accounts, SKEW)
    pairs = float(((load.events * parts(load)) ** 2).sum())
    plain = estimate(load, costs, Cluster(1)).seconds
    costs = Costs(costs.once, costs.reading, costs.event, costs.shuffled, max(0.0, skewed.seconds - plain) / pairs)
    halved = estimate(Load(events, accounts), costs, Cluster(2)).seconds
    shares = [(single_core[2].fullest, PARTITIONS_PER_CORE), (two[2].fullest, 2 * PARTITIONS_PER_CORE)]
    return costs, [
        Compared("match, bytes shuffled", events * costs.shuffled, even.shuffled),
        Compared("match, seconds on two cores", halved, two[1].seconds),
        Compared("match, skewed, seconds on two cores", estimate(load, costs, Cluster(2)).seconds, two[2].seconds),
        *(
            Compared(
                f"match, skewed, the fullest of {count}",
                median(fullest(parts(load), count, seed) for seed in range(21)),
                share,
            )
            for share, count in shares
        ),
    ]


def on_one_and_two(jobs: Callable[[SparkSession], list[Measured]]) -> list[list[Measured]]:
    """Return the results of the jobs on one core and on two, after a run that does not count."""
    results = []
    for cores in (1, 2):
        with spark_on(cores) as spark:
            jobs(spark)
            results.append(jobs(spark))
    return results


BATCHES = 8
WARM = 2
SCENARIO = "A pass-through"
WINDOW_DAYS = 14
"""The window of the scenario; the transfers are of so many days, so that all of them are retained."""


def streamed_on(cores: int, sizes: Sequence[int], count: int) -> tuple[list[tuple[int, float, float]], Measured]:
    """Run streams in so many batches of each of these sizes.

    Return the rows of each batch, the events that are retained and the seconds; and the metrics of all stages.
    """
    from parte.spark_adapter.stream import SETTINGS as OF_STREAMS

    rows: list[tuple[int, float, float]] = []
    with spark_on(cores) as spark:
        for key, value in {**OF_STREAMS, "spark.sql.shuffle.partitions": str(cores)}.items():
            spark.conf.set(key, value)

        def run() -> None:
            for size in sizes:
                events = size * count
                lines = list(trace_lines(transfers(events, events // 10, WINDOW_DAYS)))
                batches = [batch for batch in streamed(spark, SCENARIO, split(lines, size)) if batch.rows > 1]
                for number, batch in enumerate(batches[WARM:], WARM + 1):
                    rows.append((batch.rows, number * size, batch.milliseconds / 1000))

        streamed(
            spark, SCENARIO, split(list(trace_lines(transfers(sizes[0], sizes[0] // 10, WINDOW_DAYS))), sizes[0] // 3)
        )
        return rows, measured(spark, run)


def streaming(events: int, count: int) -> tuple[Streaming, list[Compared]]:
    """Measure and predict the stream in batches of two sizes."""
    sizes = [events // 50, events // 12]
    (single_core, stages_of_one), (two, _) = (streamed_on(cores, sizes, count) for cores in (1, 2))
    once, event, retained = non_negative(
        [[1.0, rows, in_state] for rows, in_state, _ in single_core], [taken for *_, taken in single_core]
    )
    if event == 0:
        raise TooFew
    total = sum(sizes) * count
    reading = event * stages_of_one.before / (stages_of_one.before + stages_of_one.after)
    shuffled = stages_of_one.shuffled / total
    costs = Streaming(once, reading, event - reading, retained, shuffled, stored=shuffled)
    share = fullest(parts(Load(total, max(sizes) * count // 10)), 2)
    predicted = sum(
        once + rows * reading / 2 + share * (rows * costs.event + in_state * retained) for rows, in_state, _ in two
    )
    return costs, [
        Compared("stream, seconds of all batches on one core", *_sums(single_core, once, event, retained)),
        Compared("stream, seconds of all batches on two cores", predicted, sum(taken for *_, taken in two)),
    ]


def _sums(rows: Sequence[tuple[int, float, float]], once: float, event: float, retained: float) -> tuple[float, float]:
    return sum(once + event * new + retained * in_state for new, in_state, _ in rows), sum(taken for *_, taken in rows)


def non_negative(inputs: Sequence[Sequence[float]], wanted: Sequence[float]) -> list[float]:
    """Return the least squares of a linear model, without the coefficients that would be negative."""
    used = list(range(len(inputs[0])))
    while True:
        coefficients = numpy.linalg.lstsq(numpy.array(inputs)[:, used], numpy.array(wanted), rcond=None)[0]
        if (coefficients >= 0).all():
            return [float(coefficients[used.index(place)]) if place in used else 0.0 for place in range(len(inputs[0]))]
        used = [place for place, value in zip(used, coefficients, strict=True) if value >= 0]


# --- 10^9 events a day -----------------------------------------------------------------------------------------------

DAY_OF_TRACES = Load(BILLION, 10_000_000)
"""Traces of a hundred events."""
DAY_OF_MATCHES = Load(BILLION, 10_000_000, SKEW, slices=24)
"""Accounts, and windows of an hour."""
STREAM = Load(0.0, 10_000_000, SKEW)
BATCH_SECONDS = (10.0, 60.0)
REACH = 3_600.0


def of_a_day(name: str, costs: Costs, load: Load) -> None:
    """Print the predicted times of 10^9 events on clusters."""
    rows = []
    for cores in CLUSTERS:
        estimated = estimate(load, costs, Cluster(cores))
        pace = BILLION / estimated.seconds
        limits = [f"{estimated.of[wall]:,.0f}" for wall in Wall]
        rows.append((f"{cores}", f"{estimated.seconds:,.0f}", f"{pace:,.0f}", *limits, estimated.wall.value))
    columns = ("cores", "seconds", "events/s", *(f"{wall.value}, s" for wall in Wall), "first wall")
    show(f"{name.capitalize()}: 10^9 events, {load.events * costs.shuffled / 1e9:,.0f} GB shuffled", columns, rows)


def of_streams(costs: Streaming) -> None:
    """Print the rates that streams sustain on clusters."""
    for batch in BATCH_SECONDS:
        rows = []
        for cores in CLUSTERS:
            sustained = capacity(STREAM, costs, Cluster(cores), batch, REACH)
            state = (f"{sustained.state / 1e9:,.2f}", f"{sustained.fullest_state / 1e9:,.2f}")
            rates = (f"{sustained.rate / AVERAGE:.2f}", f"{sustained.rate / PEAK:.2f}")
            rows.append((f"{cores}", f"{sustained.rate:,.0f}", *rates, *state, sustained.wall.value))
        columns = ("cores", "events/s", "of the average", "of the peak", "state, GB", "of the fullest", "first wall")
        show(f"Stream: batches of {batch:.0f} s, events retained for {REACH / 3600:.0f} h", columns, rows)


@contextmanager
def _reported(name: str) -> Iterator[None]:
    """Report that a measurement gave no cost, and go on to the next."""
    try:
        yield
    except TooFew as problem:
        print(f"{name}: {problem}", file=sys.stderr)


def main(only: str = "", events: int = 1_000_000, batches: int = BATCHES) -> None:
    """Measure, compare and predict."""
    compared: list[Compared] = []
    tables: list[Callable[[], None]] = []
    for name, measure, load in (("replay", replayed, DAY_OF_TRACES), ("match", matched, DAY_OF_MATCHES)):
        if only in ("", name):
            with _reported(name):
                costs, comparisons = measure(events)
                print(name, costs)
                compared += comparisons
                tables.append(partial(of_a_day, name, costs, load))
    if only in ("", "stream"):
        with _reported("stream"):
            streams, comparisons = streaming(events, batches)
            print("stream", streams)
            compared += comparisons
            tables.append(partial(of_streams, streams))
    if not compared:
        print("nothing is predicted", file=sys.stderr)
        raise SystemExit(UNMEASURABLE)
    rows = [
        (
            comparison.of,
            f"{comparison.predicted:.3g}",
            f"{comparison.measured:.3g}",
            f"{comparison.measured / comparison.predicted:.2f}",
        )
        for comparison in compared
    ]
    show("Predicted and measured", ("", "predicted", "measured", "ratio"), rows)
    for table in tables:
        table()


if __name__ == "__main__":
    main(sys.argv[1] if sys.argv[1:] else "", *map(int, sys.argv[2:4]))
