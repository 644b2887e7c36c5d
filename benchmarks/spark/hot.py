"""Hot keys and no keys beside queries by hand: `python -m benchmarks.spark.hot [TRANSFERS] [ENGINES] [RULES]`.

Transfers are spread evenly over 60 days, ten of each account; but three in ten are those of one account, half of them
incoming, half outgoing. The rules `hot-…` look for that account, `near-pairs` and `top` have no equality at all. Each
is compared with the fastest of several queries with the same result: the obvious query; with time cut into buckets;
with smaller buckets; with buckets of the hot account only; with that account separate; with its events salted (Spark
only); a range join alone (DuckDB only, which has IEJoin for it); with events cut by their worth as well as by time;
with the consequences of one event's bound for the other; and by the greatest value of a sliding window.

Results are compared before anything is timed. A query that takes more than `PATIENCE` times as long as ours is stopped,
and reported: on Spark, one that compares all pairs of the hot account takes minutes. Of the others, the three that are
fastest at first go on; times are the least of several runs in turn. "look" is the time before our query: on DuckDB the
search for hot keys, which "ratio" includes; on Spark that and the check of every row, which it does not.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import duckdb
import numpy
import pyarrow
import pyarrow.parquet
from py4j.protocol import Py4JError  # type: ignore[import-untyped] # it has no types
from pyspark.sql import DataFrame, SparkSession

from benchmarks.measuring import show
from benchmarks.scenarios import AMOUNTS, DAY
from benchmarks.spark.match import digest_of, in_turn, to_nowhere
from parte.algebra.partelang.relational.columns import fields
from parte.algebra.partelang.relational.components import expanded
from parte.algebra.partelang.relational.dialects import DuckDB
from parte.algebra.partelang.relational.duckdb import OWN_ORDER, looked_at
from parte.algebra.partelang.relational.parquet import log_schema
from parte.algebra.partelang.relational.programs import Plan, compile_program
from parte.semantics.partelang.syntax import core, parse
from parte.spark_adapter.match import match
from parte.spark_adapter.session import session

HOUR, MINUTE = 3_600_000, 60_000
HOT = 0.3
SMALLEST = ("2000",)
PATIENCE = 3.0
FINALISTS = 3
RUNS = 5
RANGE = 20_000
"""The most transfers for which a range join alone is tried: its time grows with their square."""

TEMPLATE = "template T { number: Integer, origin: String, target: String, amount: Float, worth: Float }\n"
"""`amount` has seven values, `worth` almost as many as there are transfers."""

HIGH = "i.amount >= 100.0"
SAME = "o.origin = i.target AND o.amount = i.amount"
NEAR = "o.worth >= i.worth * 0.999 AND o.worth <= i.worth * 1.001 AND o.number <> i.number"
BAND = 0.0021
"""If one worth is within a thousandth of the other, they are in the same band of their logarithms or in neighbours."""


@dataclass(frozen=True, slots=True)
class Sought:
    """A rule, and the conditions of queries by hand on `i` and `o`: an event `o` within a window, or its absence."""

    rule: str
    of_first: str
    together: str
    lower: int
    upper: int
    hot: bool = False
    negated: bool = False
    of_second: str = ""
    """The consequence for `o` of the conditions on `i` and on both."""
    more: tuple[tuple[str, str], ...] = ()
    """Queries for this rule alone, by their technique."""
    most: int | None = None
    """The most transfers, if the matches grow with their square."""

    def queries(self) -> Iterator[tuple[str, str]]:
        """Yield queries by hand, by their technique."""
        if self.hot:
            yield "plain", self._query("t")
            for count in (1, 2):
                yield f"{count + 1} buckets of hot", self._bucketed(count, "origin = 'a0'", "i.target = 'a0'")
            if not self.negated:
                cold = self._query("(SELECT * FROM t WHERE origin <> 'a0')")
                hot = self._bucketed(1, "", "", "origin = 'a0'")
                yield "hot apart", f"{cold} UNION ALL {hot}"
                salts = "CASE WHEN origin = 'a0' THEN SEQUENCE(0, 15) ELSE LISTED(0) END"
                salted = f"(SELECT *, EXPLODE({salts}) AS k FROM t)"
                salt = "CASE WHEN i.target = 'a0' THEN PMOD(i.number, 16) ELSE 0 END"
                yield "salted", self._query(salted, f"o.k = {salt} AND ")
        elif not self.negated:
            yield "range", self._query("t")
        for count in (1, 2, 4):
            yield f"{count + 1} buckets", self._bucketed(count, "", "")
        if self.of_second:
            for count in (1, 2):
                yield f"{count + 1} buckets, bound", self._bucketed(count, "", "", self.of_second)
        yield from self.more

    def _bucketed(self, count: int, here: str, there: str, where: str = "TRUE") -> str:
        """Return the query in which an event stands for its bucket and `count` before, which span the window."""
        width = -(-(self.upper - self.lower + 1) // count)
        several = f"LISTED({', '.join(f'ts DIV {width} - {before}' for before in range(count + 1))})"
        own = f"(i.ts + {self.lower}) DIV {width}"
        if here:
            several = f"CASE WHEN {here} THEN {several} ELSE LISTED(0) END"
            own = f"CASE WHEN {there} THEN {own} ELSE 0 END"
        return self._query(f"(SELECT *, EXPLODE({several}) AS k FROM t WHERE {where})", f"o.k = {own} AND ")

    def _query(self, others: str, bucket: str = "") -> str:
        within = f"o.ts BETWEEN i.ts + {self.lower} AND i.ts + {self.upper}"
        on = f"{bucket}{within} AND {self.together}"
        if self.negated:
            return f"SELECT i.event FROM t i WHERE {self.of_first} AND NOT EXISTS (SELECT 1 FROM {others} o WHERE {on})"
        return f"SELECT i.event, o.event AS event_2 FROM t i JOIN {others} o ON {on} WHERE {self.of_first}"


def _greatest_before(events: str, frame: str, where: str = "TRUE") -> str:
    """Return the query for events of which no other in the hour before is worth as much.

    Times differ, so `1 PRECEDING` leaves out no other event.
    """
    greatest = f"max(worth) OVER ({frame} RANGE BETWEEN {HOUR} PRECEDING AND OTHERS)"
    windows = f"SELECT *, {greatest} AS greatest FROM {events}"
    return f"SELECT event FROM ({windows}) WHERE {where} AND worth >= 1000.0 AND (greatest IS NULL OR greatest < worth)"


_BOUND = "(SELECT * FROM t WHERE worth >= 1000.0)"
# An event stands for its day, and for the next if it is within an hour of that, where only later events look at it.
_DAYS = (
    f"(SELECT DISTINCT * FROM (SELECT *, EXPLODE(LISTED(ts DIV {DAY}, (ts + {HOUR}) DIV {DAY})) AS day FROM {_BOUND}))"
)

_IN_BANDS = f"""SELECT i.event, o.event AS event_2 FROM t i JOIN (
  SELECT *, EXPLODE(LISTED(band, band - 1)) AS b FROM (SELECT *, CAST(floor(ln(worth) / {BAND}) AS INT) AS band FROM t)
) o ON o.b = CAST(floor(ln(i.worth * 0.999) / {BAND}) AS INT) AND o.ts BETWEEN i.ts AND i.ts + {MINUTE} AND {NEAR}"""
_IN_BANDS_AND_BUCKETS = f"""SELECT i.event, o.event AS event_2 FROM t i JOIN (
  SELECT *, EXPLODE(LISTED(band, band - 1)) AS b FROM (
    SELECT *, CAST(floor(ln(worth) / {BAND}) AS INT) AS band,
      EXPLODE(LISTED(ts DIV {MINUTE + 1}, ts DIV {MINUTE + 1} - 1)) AS k FROM t)
) o ON o.b = CAST(floor(ln(i.worth * 0.999) / {BAND}) AS INT) AND o.k = i.ts DIV {MINUTE + 1}
  AND o.ts BETWEEN i.ts AND i.ts + {MINUTE} AND {NEAR}"""

SOUGHT = {
    "hot-pairs": Sought(
        "i: T { amount >= 100.0 } o: T { origin = i.target, amount = i.amount } when o in i [0 ms, 1 hour]",
        HIGH, SAME, 0, HOUR, hot=True,
    ),
    "hot-fortnight": Sought(
        "i: T { amount >= 100.0 } o: T { origin = i.target, amount = i.amount } when o in i [0 ms, 14 days]",
        HIGH, SAME, 0, 14 * DAY, hot=True, most=120_000,
    ),
    "hot-absence": Sought(
        "i: T { worth >= 500.0 } no o: T { origin = i.target, worth >= i.worth } when no o in i [-1 hours, 0 ms]",
        "i.worth >= 500.0", "o.origin = i.target AND o.worth >= i.worth", -HOUR, 0, hot=True, negated=True,
        of_second="worth >= 500.0",
    ),
    "near-pairs": Sought(
        "i: T o: T { worth >= i.worth * 0.999, worth <= i.worth * 1.001, number != i.number }"
        " when o in i [0 ms, 1 minute]",
        "TRUE", NEAR, 0, MINUTE, more=(("bands", _IN_BANDS), ("bands and buckets", _IN_BANDS_AND_BUCKETS)),
    ),
    "top": Sought(
        "i: T { worth >= 1000.0 } no o: T { number != i.number, worth >= i.worth } when no o in i [-1 hours, 0 ms]",
        "i.worth >= 1000.0", "o.number <> i.number AND o.worth >= i.worth", -HOUR, 0, negated=True,
        of_second="worth >= 1000.0",
        more=(
            ("window", _greatest_before("t", "ORDER BY ts")),
            ("window, bound", _greatest_before(_BOUND, "ORDER BY ts")),
            ("window by day, bound", _greatest_before(_DAYS, "PARTITION BY day ORDER BY ts", f"day = ts DIV {DAY}")),
        ),
    ),
}  # fmt: skip


def log(program: core.Program, count: int) -> pyarrow.Table:
    """Return a log of so many transfers."""
    draw = numpy.random.default_rng(1)
    accounts = max(count // 10, 2)
    origin, target = draw.integers(1, accounts, count), draw.integers(1, accounts, count)
    share = draw.random(count)
    origin[share < HOT / 2] = 0
    target[(share >= HOT / 2) & (share < HOT)] = 0
    names = numpy.char.add("a", numpy.arange(accounts).astype(str))
    columns = {
        "number": numpy.arange(count),
        "origin": names[origin],
        "target": names[target],
        "amount": numpy.array(AMOUNTS)[draw.integers(0, len(AMOUNTS), count)],
        "worth": numpy.round(draw.lognormal(5, 1, count), 2),
    }
    schema = log_schema(program)
    slots = list(schema.field("attributes").type)
    arrays = [pyarrow.array(columns[slot.name].tolist(), slot.type) for slot in slots]
    ids = [f"t{number}" for number in range(count)]
    stamps = (numpy.arange(count) * (60 * DAY / count)).astype(numpy.int64)
    source = pyarrow.nulls(count, pyarrow.string())
    attributes = pyarrow.StructArray.from_arrays(arrays, fields=slots)
    return pyarrow.table([ids, ["T"] * count, stamps, source, attributes], schema=schema)


# --- The engines -----------------------------------------------------------------------------------------------------

Digest = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Way:
    """A query on an engine: `digest` computes it and returns a digest of its rows, `run` computes it."""

    digest: Callable[[], Digest]
    run: Callable[[], object]


@dataclass(frozen=True, slots=True)
class Opposed:
    """The seconds of ours, of the look before it, and of the fastest by hand; and the stopped or slower others."""

    rows: int
    ours: float
    look: float
    by_hand: float
    fastest: str
    notes: tuple[str, ...]


def opposed(
    look: float, ours: Way, ways: Mapping[str, Way], cut: Callable[[], object], least: float, failures: type[Exception]
) -> Opposed:
    """Compare ours with the fastest of the others.

    `cut` stops a running query, which then fails; no query is stopped before `least` seconds.
    """
    own_digest, _ = _timed(ours.digest)
    again, seconds = _timed(ours.digest)
    assert own_digest == again
    patience = max(least, PATIENCE * seconds)
    able: dict[str, float] = {}
    notes = []

    def limited(work: Callable[[], Any]) -> tuple[Any, float]:
        timer = threading.Timer(patience, cut)
        timer.start()
        try:
            return _timed(work)
        except failures as error:
            if timer.is_alive():
                raise
            raise TimeoutError from error
        finally:
            timer.cancel()

    for name, way in ways.items():
        try:
            digest, _ = limited(way.digest)
            _, taken = limited(way.run)
        except TimeoutError:
            notes.append(f"{name} (cut)")
            continue
        assert digest == own_digest, f"{name} finds something else"
        able[name] = taken
        notes.append(f"{name} {taken:.3f}")
    best = sorted(able, key=able.__getitem__)[:FINALISTS]
    own, *others = in_turn(RUNS, ours.run, *(ways[name].run for name in best))
    by_hand, fastest = min(zip(others, best, strict=True))
    return Opposed(int(str(own_digest[0])), own, look, by_hand, fastest, tuple(notes))


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    return work(), time.perf_counter() - start


def on_duckdb(program: core.Program, sought: Sought, events: pyarrow.Table) -> Opposed:
    """Compare the compiled query, with hot keys sliced, on DuckDB."""
    dialect = DuckDB()
    database = duckdb.connect(":memory:", config={"threads": 2})
    database.execute("SET enable_progress_bar = false")
    database.register("log", events)
    plan = compile_program(program, {}, dialect)
    relation = plan.templates["T"]
    declared = fields(program)
    slots = [f'attributes."{declared["T", slot].name}" AS "{column}"' for slot, column in relation.columns.items()]
    columns = ", ".join(['id AS "$id"', 'timestamp AS "$timestamp"', *slots])
    database.execute(f'CREATE TABLE "{relation.trace}" AS SELECT {columns} FROM log')
    view_columns = ", ".join(f'"{column}" AS {slot}' for slot, column in relation.columns.items())
    view = f'CREATE VIEW t AS SELECT "$id" AS event, "$timestamp" AS ts, {view_columns} FROM "{relation.trace}"'
    database.execute(view)

    def looked() -> Plan:
        return looked_at(plan, lambda query: database.execute(query.sql(dialect.name)).fetchall())

    (look,) = in_turn(RUNS, looked)
    ours = expanded(looked().stages[0].query, dialect, plain=True).sql(dialect.name)

    def way(query: str, disabled: str = "''") -> Way:
        def run() -> None:
            database.execute(f"SET disabled_optimizers = {disabled}")
            database.execute(f"CREATE OR REPLACE TEMP TABLE found AS {query}")

        def digest() -> Digest:
            run()
            row = database.execute("SELECT count(*), sum(hash(COLUMNS(*))::HUGEINT) FROM found").fetchone()
            assert row is not None
            return row

        return Way(digest, run)

    ways = {}
    for name, query in sought.queries():
        if name != "salted" and (name != "range" or len(events) <= RANGE):
            by_hand = query.replace("OTHERS)", "CURRENT ROW EXCLUDE CURRENT ROW)").replace("LISTED(", "list_value(")
            ways[name] = way(by_hand.replace("EXPLODE(", "UNNEST(").replace(" DIV ", " // "))
    result = opposed(look, way(ours, OWN_ORDER), ways, database.interrupt, 0.3, duckdb.InterruptException)
    database.close()
    return result


def on_spark(spark: SparkSession, program: core.Program, sought: Sought, path: str) -> Opposed:
    """Compare `match` on Spark."""
    events = spark.read.parquet(path)
    matches, look = _timed(lambda: match(spark, program, events))
    events.selectExpr("id AS event", "timestamp AS ts", "attributes.*").createOrReplaceTempView("t")

    def way(frame: DataFrame) -> Way:
        return Way(partial(digest_of, frame), partial(to_nowhere, frame))

    ways = {}
    for name, query in sought.queries():
        if name != "range":
            by_hand = query.replace("OTHERS)", "1 PRECEDING)").replace("LISTED(", "array(")
            ways[name] = way(spark.sql(by_hand))
    ours = way(matches.rules["R"])
    return opposed(look, ours, ways, spark.sparkContext.cancelAllJobs, 5.0, Py4JError)


ENGINES = ("DuckDB", "Spark")
SETTINGS = {"spark.sql.shuffle.partitions": "8"}


def main(count: int = 300_000, *chosen: str) -> None:
    """Print the table, of so many transfers, for the chosen engines and rules, or all."""
    lines = []
    with tempfile.TemporaryDirectory() as directory:
        for name in [name for name in SOUGHT if name in chosen] or SOUGHT:
            sought = SOUGHT[name]
            program = parse(f"{TEMPLATE}rule R where {sought.rule} then")
            transfers = min(count, sought.most or count)
            events = log(program, transfers)
            path = f"{directory}/{transfers}.parquet"
            pyarrow.parquet.write_table(events, path, row_group_size=2**16)
            for engine in [engine for engine in ENGINES if engine in chosen] or ENGINES:
                if engine == "Spark":
                    spark = session(cores=2, memory="6g", settings=SETTINGS, name="parte-benchmark", log_level="OFF")
                    comparison = on_spark(spark, program, sought, path)
                    ratio = comparison.ours / comparison.by_hand
                else:
                    comparison = on_duckdb(program, sought, events)
                    ratio = (comparison.look + comparison.ours) / comparison.by_hand
                seconds = (comparison.ours, comparison.look, comparison.by_hand, ratio)
                rows = (f"{transfers:,}", f"{comparison.rows:,}")
                line = (name, engine, *rows, *(f"{figure:.3f}" for figure in seconds), comparison.fastest)
                print(*line, f"({', '.join(comparison.notes)})", flush=True)
                lines.append(line)
    columns = ("rule", "engine", "transfers", "matches", "seconds", "look", "by hand", "ratio", "fastest by hand")
    show("Hot keys and no keys, two threads", columns, lines)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    main(int(arguments[0]) if arguments else 300_000, *arguments[1:])
