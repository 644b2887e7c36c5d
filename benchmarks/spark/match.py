"""`parte spark match` and DuckDB beside queries written by hand: `python -m benchmarks.spark.match [MOST_TRANSFERS]`.

The rules are those of examples/fraud, one at a time, over one log: transfers evenly over 60 days, ten of each account,
of which one in a hundred is sent back within a week and half of these are claimed to be fraudulent; 10,000 routes are
common. Every query returns bindings and emission of all matches, and the results of the engines are compared before
anything is timed. Times are the least of several runs in one process, in turn. "check" is the work of `match` before
the query: a look at every row of the log, and for hot keys.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb
import numpy
import pyarrow
import pyarrow.parquet
from pyspark.sql import DataFrame, SparkSession

from benchmarks.measuring import show, up_to
from benchmarks.scenarios import AMOUNTS, DAY
from parte.algebra.partelang.relational.columns import fields
from parte.algebra.partelang.relational.components import expanded
from parte.algebra.partelang.relational.dialects import DuckDB
from parte.algebra.partelang.relational.duckdb import OWN_ORDER, looked_at
from parte.algebra.partelang.relational.parquet import log_schema
from parte.algebra.partelang.relational.programs import compile_program
from parte.algebra.partelang.relational.relations import Table
from parte.semantics.events.domain import DomainTable
from parte.semantics.partelang.syntax import core, parse
from parte.spark_adapter.match import match
from parte.spark_adapter.session import session

SIZES = (100_000, 1_000_000, 10_000_000)
SMALLEST = ("2000",)
COMMON_ROUTES = 10_000
FRAUD = Path(__file__).parents[2] / "examples" / "fraud" / "scenarios.parte"
LETTERS = {"A": "FraudPassThrough", "B": "FraudDiffusion", "C": "FraudRefundScam"}
FORTNIGHT = 14 * DAY

UNCOMMON = """NOT EXISTS (SELECT 1 FROM common WHERE common.c1 = t.originator AND common.c2 = t.destination)"""
HAND_WRITTEN = {
    "A": f"""
WITH unusual AS (SELECT * FROM transfers t WHERE {UNCOMMON})
SELECT i.event, o.event AS event_2, concat('FraudPassThrough(incoming=', i.event, ',outgoing=', o.event, ')') AS name,
  i.ts, i.destination, i.amount, array(i.id) AS incoming, array(o.id) AS outgoing
FROM unusual i JOIN unusual o ON o.originator = i.destination AND o.amount = i.amount
  AND o.ts BETWEEN i.ts AND i.ts + {FORTNIGHT}
WHERE i.amount >= CAST(100 AS DOUBLE)""",
    "B": f"""
WITH unusual AS (SELECT * FROM transfers t WHERE {UNCOMMON})
SELECT i.event, a.event AS event_2, b.event AS event_3, c.event AS event_4,
  concat('FraudDiffusion(incoming=', i.event, ',outgoing_1=', a.event, ',outgoing_2=', b.event, ',outgoing_3=',
    c.event, ')') AS name,
  i.ts, i.destination, i.amount, array(i.id) AS incoming, array(a.id, b.id, c.id) AS outgoing
FROM unusual i
JOIN unusual a ON a.originator = i.destination AND a.ts BETWEEN i.ts AND i.ts + {FORTNIGHT}
JOIN unusual b ON b.originator = i.destination AND b.ts BETWEEN i.ts AND i.ts + {FORTNIGHT} AND b.id <> a.id
JOIN unusual c ON c.originator = i.destination AND c.ts BETWEEN i.ts AND i.ts + {FORTNIGHT}
  AND c.id <> a.id AND c.id <> b.id
  AND a.amount + b.amount + c.amount >= i.amount * CAST('0.9' AS DOUBLE)
  AND a.amount + b.amount + c.amount <= i.amount * CAST('1.1' AS DOUBLE)
WHERE i.amount >= CAST(100 AS DOUBLE)""",
    "C": f"""
SELECT i.event, r.event AS event_2, c.event AS event_3,
  concat('FraudRefundScam(incoming=', i.event, ',refund=', r.event, ',claim=', c.event, ')') AS name,
  c.ts, i.id AS incoming, r.id AS refund
FROM claims c
JOIN transfers i ON i.id = c.transaction_id AND c.ts BETWEEN i.ts AND i.ts + {FORTNIGHT}
JOIN transfers r ON r.originator = i.destination AND r.destination = i.originator
  AND r.ts BETWEEN i.ts AND i.ts + {FORTNIGHT}
  AND r.amount >= i.amount * CAST('0.9' AS DOUBLE) AND r.amount <= i.amount * CAST('1.1' AS DOUBLE)
WHERE NOT EXISTS (SELECT 1 FROM transfers n
  WHERE n.originator = i.originator AND n.destination = i.destination AND n.id <> i.id
  AND n.amount >= r.amount * CAST('0.9' AS DOUBLE) AND n.amount <= r.amount * CAST('1.1' AS DOUBLE)
  AND n.ts BETWEEN r.ts - {FORTNIGHT} AND r.ts)""",
}


def log(program: core.Program, count: int) -> tuple[pyarrow.Table, DomainTable]:
    """Return a log of so many transfers, and the routes that are common."""
    draw = numpy.random.default_rng(1)
    accounts, refunded = max(count // 10, 2), count // 100
    origin, target = draw.integers(0, accounts, count), draw.integers(0, accounts, count)
    stamps = (numpy.arange(count) * (60 * DAY / count)).astype(numpy.int64)
    amounts = numpy.array(AMOUNTS)[draw.integers(0, len(AMOUNTS), count)]
    back = draw.choice(count - refunded, refunded, replace=False)
    last = numpy.arange(count - refunded, count)
    # The last transfers are refunds, with the time at which they are sent back.
    origin[last], target[last], amounts[last] = target[back], origin[back], amounts[back]
    stamps[last] = stamps[back] + draw.integers(0, 7 * DAY, refunded)
    claimed = back[: refunded // 2]
    names = numpy.char.add("a", numpy.arange(accounts).astype(str))
    columns = {
        "id": (numpy.arange(count), None),
        "originator": (names[origin], None),
        "destination": (names[target], None),
        "amount": (amounts, None),
        "transaction_id": (None, claimed),
        "reason": (None, numpy.full(len(claimed), "not me")),
    }
    schema = log_schema(program)
    slots = []
    for field in schema.field("attributes").type:
        above, below = columns.get(field.name, (None, None))
        parts = [
            pyarrow.nulls(size, field.type) if values is None else pyarrow.array(values, field.type)
            for values, size in ((above, count), (below, len(claimed)))
        ]
        # For many strings, Arrow makes several chunks.
        chunks = [chunk for part in parts for chunk in getattr(part, "chunks", [part])]
        slots.append(pyarrow.concat_arrays(chunks))
    attributes = pyarrow.StructArray.from_arrays(slots, fields=list(schema.field("attributes").type))
    ids = numpy.concatenate(
        [numpy.char.add("t", numpy.arange(count).astype(str)), numpy.char.add("c", claimed.astype(str))]
    )
    templates = numpy.repeat(["MoneyTransferred", "FraudulentTransactionClaimed"], [count, len(claimed)])
    times = numpy.concatenate([stamps, stamps[claimed] + 3 * DAY])
    source = pyarrow.nulls(len(ids), pyarrow.string())
    table = pyarrow.table([ids, templates, times, source, attributes], schema=schema)
    routes = {
        (str(names[a]), str(names[b])) for a, b in zip(origin[:COMMON_ROUTES], target[:COMMON_ROUTES], strict=True)
    }
    return table, DomainTable(frozenset(routes), False)


# --- The engines -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Compared:
    """Two ways to the same result: the seconds of each, the rows, and the seconds that ours took before."""

    ours: float
    by_hand: float
    rows: int
    check: float = 0.0


def in_turn(runs: int, *ways: Callable[[], object]) -> list[float]:
    """Return the least seconds of each way, run in turn after a run of each that does not count."""
    for way in ways:
        way()
    taken: list[list[float]] = [[] for _ in ways]
    for _ in range(runs):
        for way, seconds in zip(ways, taken, strict=True):
            start = time.perf_counter()
            way()
            seconds.append(time.perf_counter() - start)
    return [min(seconds) for seconds in taken]


def on_spark(
    spark: SparkSession, program: core.Program, letter: str, path: str, domain: DomainTable, runs: int
) -> Compared:
    """Compare `match` with a query written by hand."""
    events = spark.read.parquet(path)
    predicates = {predicate.name: domain for predicate in program.predicates}
    start = time.perf_counter()
    matches = match(spark, program, events, predicates)
    check = time.perf_counter() - start
    ours = matches.rules[LETTERS[letter]]
    table = pyarrow.table(dict(zip(("c1", "c2"), zip(*sorted(domain.rows), strict=True), strict=True)))
    spark.createDataFrame(table).createOrReplaceTempView("common")
    transfer, claim = "MoneyTransferred", "FraudulentTransactionClaimed"
    view = "SELECT id AS event, timestamp AS ts, attributes.* FROM log WHERE template = "
    events.createOrReplaceTempView("log")
    spark.sql(f"{view}'{transfer}'").createOrReplaceTempView("transfers")
    spark.sql(f"{view}'{claim}'").createOrReplaceTempView("claims")
    by_hand = spark.sql(HAND_WRITTEN[letter])
    rows, digest = digest_of(ours)
    assert (rows, digest) == digest_of(by_hand), f"{letter}: Spark finds something else"
    seconds = in_turn(runs, lambda: to_nowhere(ours), lambda: to_nowhere(by_hand))
    return Compared(seconds[0], seconds[1], rows, check)


def to_nowhere(frame: DataFrame) -> None:
    """Compute a DataFrame on Spark and drop it."""
    frame.write.format("noop").mode("overwrite").save()


def digest_of(frame: DataFrame) -> tuple[int, int]:
    """Return the number of rows, and the sum of their hashes, which does not depend on their order."""
    named = frame.toDF(*(f"c{number}" for number in range(len(frame.columns))))
    (row,) = (
        named.selectExpr("CAST(xxhash64(*) AS DECIMAL(38, 0)) AS hash").selectExpr("count(*)", "sum(hash)").collect()
    )
    return row[0], int(row[1] or 0)


def on_duckdb(program: core.Program, letter: str, events: pyarrow.Table, domain: DomainTable, runs: int) -> Compared:
    """Compare the compiled query with one written by hand, on the same tables."""
    dialect = DuckDB()
    plan = compile_program(program, {predicate.name: domain for predicate in program.predicates}, dialect)
    database = duckdb.connect(":memory:", config={"threads": 2})
    database.execute("SET enable_progress_bar = false")
    database.register("log", events)
    declared = fields(program)
    for name in plan.read:
        read = plan.templates[name]
        slots = [f'attributes."{declared[name, slot].name}" AS "{column}"' for slot, column in read.columns.items()]
        columns = ", ".join(['id AS "$id"', 'timestamp AS "$timestamp"', *slots])
        database.execute(f"CREATE TABLE \"{read.trace}\" AS SELECT {columns} FROM log WHERE template = '{name}'")
    rows = pyarrow.table(dict(zip(("c1", "c2"), zip(*sorted(domain.rows), strict=True), strict=True)))
    database.register("routes", rows)
    database.execute("CREATE TABLE common AS SELECT * FROM routes")
    for relation in (relation for relation in plan.relations.values() if isinstance(relation, Table)):
        names = ", ".join(f'{own} AS "{name}"' for own, name in zip(("c1", "c2"), relation.columns, strict=True))
        database.execute(f'CREATE VIEW "{relation.name}" AS SELECT {names} FROM common')
    for name, view in {"MoneyTransferred": "transfers", "FraudulentTransactionClaimed": "claims"}.items():
        if name in plan.read:
            events_of = plan.templates[name]
            slots = [f'"{column}" AS {slot}' for slot, column in events_of.columns.items()]
            columns = ", ".join(['"$id" AS event', '"$timestamp" AS ts', *slots])
            database.execute(f'CREATE VIEW {view} AS SELECT {columns} FROM "{events_of.trace}"')
    (stage,) = looked_at(plan, lambda query: database.execute(query.sql(dialect.name)).fetchall()).stages
    ours = expanded(stage.query, dialect, plain=True).sql(dialect.name)
    by_hand = HAND_WRITTEN[letter].replace("array(", "list_value(")

    def digest(query: str) -> tuple[object, ...]:
        database.execute(f"CREATE OR REPLACE TEMP TABLE found AS {query}")
        names = ", ".join(f'"{row[0]}"' for row in database.execute("DESCRIBE found").fetchall())
        row = database.execute(f"SELECT count(*), sum(hash({names})::HUGEINT) FROM found").fetchone()
        assert row is not None
        return row

    own_digest = digest(ours)
    assert own_digest == digest(by_hand), f"{letter}: DuckDB finds something else"

    def run(query: str, disabled: str = "''") -> Callable[[], object]:
        def execute() -> None:
            database.execute(f"SET disabled_optimizers = {disabled}")
            database.execute(f"CREATE OR REPLACE TEMP TABLE found AS {query}")

        return execute

    seconds = in_turn(runs, run(ours, OWN_ORDER), run(by_hand))
    database.close()
    return Compared(seconds[0], seconds[1], int(str(own_digest[0])))


def main(most: int = 1_000_000) -> None:
    """Print the table, of sizes up to `most` transfers."""
    whole = parse(FRAUD.read_text(encoding="utf-8"))
    spark = session(cores=2, memory="6g", settings={"spark.sql.shuffle.partitions": "8"}, name="parte-benchmark")
    lines = []
    with tempfile.TemporaryDirectory() as directory:
        for count in up_to(most, SIZES):
            events, domain = log(whole, count)
            path = f"{directory}/{count}.parquet"
            pyarrow.parquet.write_table(events, path, row_group_size=2**18)
            runs = 5 if count <= 1_000_000 else 2
            for letter, name in LETTERS.items():
                rule = tuple(rule for rule in whole.rules if rule.name == name)
                program = replace(whole, rules=rule)
                embedded = on_duckdb(program, letter, events, domain, runs)
                cluster = on_spark(spark, program, letter, path, domain, runs)
                assert cluster.rows == embedded.rows
                seconds = [cluster.ours, cluster.by_hand, cluster.ours / cluster.by_hand, cluster.check]
                seconds += [embedded.ours, embedded.by_hand, embedded.ours / embedded.by_hand]
                line = (letter, f"{count:,}", f"{cluster.rows:,}", *(f"{figure:.2f}" for figure in seconds))
                print(*line, flush=True)
                lines.append(line)
    spark.stop()
    columns = ("rule", "transfers", "matches", "Spark s", "by hand", "ratio", "check s", "DuckDB s", "by hand", "ratio")
    show("match and queries written by hand, two threads", columns, lines)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
