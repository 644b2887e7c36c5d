"""Hot keys and no keys, beside queries written by hand: `python -m benchmarks.spark.hot [TRANSFERS] [ENGINES]`.

Transfers are spread evenly over 60 days, ten of each account; but three in ten are those of one account, half of them
incoming, half outgoing. The rules `hot …` look for that account, `near pairs` and `top` have no equality at all. Each
is compared with the fastest of several queries that give the same: as one writes it first, with time cut into buckets,
with finer ones, with buckets of the hot account only, with that account apart, with its events salted (Spark only), and
as a range join alone (DuckDB only, whose IEJoin it is). Results are compared before anything is timed. Times are the
least of several runs in turn; a query that once takes `PATIENCE` times as long as ours is no opponent and is not run
again. "look" is what comes before: on DuckDB the search for hot keys, on Spark that and the look at every row.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import duckdb
import numpy
import pyarrow
import pyarrow.parquet
from pyspark.sql import SparkSession

from benchmarks.measuring import show
from benchmarks.scenarios import AMOUNTS, DAY
from benchmarks.spark.match import digest_of, in_turn, to_nowhere
from parte.algebra.parte.relational.columns import fields
from parte.algebra.parte.relational.components import expanded
from parte.algebra.parte.relational.dialects import DuckDB
from parte.algebra.parte.relational.parquet import log_schema
from parte.algebra.parte.relational.programs import compile_program
from parte.algebra.parte.relational.skew import hot_keys, large_probes, sliced
from parte.semantics.parte.syntax import core, parse
from parte.spark_adapter.match import match
from parte.spark_adapter.session import session

HOUR, MINUTE = 3_600_000, 60_000
HOT = 0.3
PATIENCE = 3.0
RUNS = 7
RANGE = 20_000
"""The most transfers of which a range join alone is tried: its time grows with their square."""

TEMPLATE = "template T { number: Integer, origin: String, target: String, amount: Float, worth: Float }\n"
"""`amount` has seven values, `worth` next to as many as there are transfers."""

HIGH = "i.amount >= 100.0"
SAME = "o.origin = i.target AND o.amount = i.amount"
NEAR = "o.worth >= i.worth * 0.999 AND o.worth <= i.worth * 1.001 AND o.number <> i.number"


@dataclass(frozen=True, slots=True)
class Sought:
    """A rule, and what queries by hand say of `i` and `o`: another event `o` within a window, or its absence."""

    rule: str
    of_first: str
    together: str
    lower: int
    upper: int
    hot: bool
    negated: bool = False

    def queries(self) -> Iterator[tuple[str, str]]:
        """Queries by hand, by what is done in them."""
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

    def _bucketed(self, count: int, here: str, there: str, where: str = "TRUE") -> str:
        """Each event stands for its bucket and `count` before, all of which are as long as the window."""
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


SOUGHT = {
    "hot pairs": Sought(
        "i: T { amount >= 100.0 } o: T { origin = i.target, amount = i.amount } when o in i [0 ms, 1 hour]",
        HIGH, SAME, 0, HOUR, True,
    ),
    "hot absence": Sought(
        "i: T { worth >= 500.0 } no o: T { origin = i.target, worth >= i.worth } when no o in i [-1 hours, 0 ms]",
        "i.worth >= 500.0", "o.origin = i.target AND o.worth >= i.worth", -HOUR, 0, True, True,
    ),
    "near pairs": Sought(
        "i: T o: T { worth >= i.worth * 0.999, worth <= i.worth * 1.001, number != i.number }"
        " when o in i [0 ms, 1 minute]",
        "TRUE", NEAR, 0, MINUTE, False,
    ),
    "top": Sought(
        "i: T { worth >= 1000.0 } no o: T { number != i.number, worth >= i.worth } when no o in i [-1 hours, 0 ms]",
        "i.worth >= 1000.0", "o.number <> i.number AND o.worth >= i.worth", -HOUR, 0, False, True,
    ),
}  # fmt: skip


def log(program: core.Program, count: int) -> pyarrow.Table:
    """A log of so many transfers."""
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


@dataclass(frozen=True, slots=True)
class Opposed:
    """The seconds of ours, of the look before it, and of the fastest by hand."""

    rows: int
    ours: float
    look: float
    by_hand: float
    fastest: str


def opposed(look: float, ours: Callable[[], object], ways: Mapping[str, Callable[[], object]], rows: int) -> Opposed:
    """Ours beside the fastest of the others."""
    (own,) = in_turn(2, ours)
    able = {}
    for name, way in ways.items():
        start = time.perf_counter()
        way()
        if time.perf_counter() - start < PATIENCE * max(own, 0.05):
            able[name] = way
    own, *others = in_turn(RUNS, ours, *able.values())
    by_hand, fastest = min(zip(others, able, strict=True))
    return Opposed(rows, own, look, by_hand, fastest)


def on_duckdb(program: core.Program, sought: Sought, events: pyarrow.Table) -> Opposed:
    """The compiled query, with hot keys sliced."""
    dialect = DuckDB()
    database = duckdb.connect(":memory:", config={"threads": 2})
    database.execute("SET enable_progress_bar = false")
    database.register("log", events)
    plan = compile_program(program, {}, dialect)
    relation = plan.templates["T"]
    given = fields(program)
    slots = [f'attributes."{given["T", slot].name}" AS "{column}"' for slot, column in relation.columns.items()]
    columns = ", ".join(['id AS "$id"', 'timestamp AS "$timestamp"', *slots])
    database.execute(f'CREATE TABLE "{relation.trace}" AS SELECT {columns} FROM log')
    shown = ", ".join(f'"{column}" AS {slot}' for slot, column in relation.columns.items())
    view = f'CREATE VIEW t AS SELECT "$id" AS event, "$timestamp" AS ts, {shown} FROM "{relation.trace}"'
    database.execute(view)
    start = time.perf_counter()
    counts = {"T": len(events)}
    hot = hot_keys(large_probes(plan, counts), dialect, lambda query: database.execute(query.sql("duckdb")).fetchall())
    plan = compile_program(program, {}, dialect, hot=sliced(hot))
    look = time.perf_counter() - start
    ours = expanded(plan.stages[0].query, dialect, plain=True).sql("duckdb")

    def run(query: str) -> Callable[[], object]:
        return lambda: database.execute(f"CREATE OR REPLACE TEMP TABLE found AS {query}")

    def digest(query: str) -> tuple[object, ...]:
        run(query)()
        row = database.execute("SELECT count(*), sum(hash(COLUMNS(*))::HUGEINT) FROM found").fetchone()
        assert row is not None
        return row

    found = digest(ours)
    ways = {}
    for name, query in sought.queries():
        if name != "salted" and (name != "range" or len(events) <= RANGE):
            by_hand = query.replace("LISTED(", "list_value(").replace("EXPLODE(", "UNNEST(").replace(" DIV ", " // ")
            assert digest(by_hand) == found, f"{name}: DuckDB finds something else"
            ways[name] = run(by_hand)
    result = opposed(look, run(ours), ways, int(str(found[0])))
    database.close()
    return result


def on_spark(spark: SparkSession, program: core.Program, sought: Sought, path: str) -> Opposed:
    """`match`."""
    events = spark.read.parquet(path)
    start = time.perf_counter()
    ours = match(spark, program, events).rules["R"]
    look = time.perf_counter() - start
    events.selectExpr("id AS event", "timestamp AS ts", "attributes.*").createOrReplaceTempView("t")
    found = digest_of(ours)
    ways = {}
    for name, query in sought.queries():
        if name != "range":
            frame = spark.sql(query.replace("LISTED(", "array("))
            assert digest_of(frame) == found, f"{name}: Spark finds something else"
            ways[name] = partial(to_nowhere, frame)
    return opposed(look, partial(to_nowhere, ours), ways, found[0])


ENGINES = ("DuckDB", "Spark")
SETTINGS = {"spark.sql.shuffle.partitions": "8"}


def main(count: int = 300_000, *engines: str) -> None:
    """Print the table, of so many transfers."""
    lines = []
    with tempfile.TemporaryDirectory() as directory:
        for name, sought in SOUGHT.items():
            program = parse(f"{TEMPLATE}rule R where {sought.rule} then")
            events = log(program, count)
            path = f"{directory}/log.parquet"
            pyarrow.parquet.write_table(events, path, row_group_size=2**16)
            for engine in engines or ENGINES:
                if engine == "Spark":
                    spark = session(cores=2, memory="6g", settings=SETTINGS, name="parte-benchmark")
                    found = on_spark(spark, program, sought, path)
                else:
                    found = on_duckdb(program, sought, events)
                seconds = (found.ours, found.look, found.by_hand, found.ours / found.by_hand)
                line = (name, engine, f"{found.rows:,}", *(f"{figure:.3f}" for figure in seconds), found.fastest)
                print(*line, flush=True)
                lines.append(line)
    columns = ("rule", "engine", "matches", "seconds", "look", "by hand", "ratio", "fastest by hand")
    show(f"Hot keys and no keys: {count:,} transfers, two threads", columns, lines)


if __name__ == "__main__":
    given = sys.argv[1:]
    main(int(given[0]) if given else 300_000, *given[1:])
