"""Sliding aggregates beside window frames written by hand: `python -m benchmarks.spark.sliding [MOST_EVENTS]`.

Every event of a log is an anchor: a set has the events with its key in the hour before it. The rule emits a count or
a sum, or matches where no value is greater. Both ways read one table of the engine and return the bindings and the
emission of all matches; the results are compared before anything is timed. Times are the least of five runs, in turn.
"""

from __future__ import annotations

import sys
import tempfile

import duckdb
import numpy
import pyarrow
import pyarrow.parquet
from pyspark.sql import SparkSession

from benchmarks.measuring import show, up_to
from benchmarks.spark.match import Compared, digest_of, in_turn, to_nowhere
from parte.algebra.partelang.relational.components import expanded
from parte.algebra.partelang.relational.dialects import DuckDB
from parte.algebra.partelang.relational.duckdb import OWN_ORDER
from parte.algebra.partelang.relational.parquet import log_schema
from parte.algebra.partelang.relational.programs import compile_program, nearer
from parte.semantics.partelang.syntax import core, parse
from parte.spark_adapter.match import match
from parte.spark_adapter.session import session

SIZES = (100_000, 1_000_000)
SMALLEST = ("2000",)
KEYS, BETWEEN = 1_000, 400

PROGRAM = """level 2
template Sold {{ shop : Integer, price : Integer }}
template Found {{ value : Integer }}
rule Sliding where s : Sold, all before : Sold {{ shop = s.shop }}
when before in s [-1 hour, -1 ms]
{having}
then emit Found at s.timestamp with {{ value = {value} }}
"""
FRAME = "OVER (PARTITION BY shop ORDER BY ts RANGE BETWEEN 3600000 PRECEDING AND 1 PRECEDING)"
KINDS = {
    "count": ("having count(before) >= 0", "count(before)"),
    "sum": ("having count(before) >= 0", "sum(before.price)"),
    "no greater": ("having not (exists(before) and max(before.price) > s.price)", "s.price"),
}
"""By name: `having` of the rule, and the value that it emits."""
NAME = "concat('Sliding(s=', event, ')') AS name"
HAND_WRITTEN = {
    "count": f"SELECT event, {NAME}, ts, count(*) {FRAME} AS value FROM sold",
    "sum": f"SELECT event, {NAME}, ts, CAST(coalesce(sum(price) {FRAME}, 0) AS BIGINT) AS value FROM sold",
    "no greater": f"SELECT event, {NAME}, ts, price FROM (SELECT *, max(price) {FRAME} AS greatest FROM sold) AS f "
    "WHERE greatest IS NULL OR greatest <= price",
}


def log(program: core.Program, count: int) -> pyarrow.Table:
    """Return a log of so many events; some have the same timestamp."""
    draw = numpy.random.default_rng(1)
    stamps = numpy.cumsum(draw.exponential(BETWEEN, count)).astype(numpy.int64)
    schema = log_schema(program)
    columns = {"shop": draw.integers(0, KEYS, count), "price": draw.integers(0, 1_000, count)}
    slots = list(schema.field("attributes").type)
    attributes = pyarrow.StructArray.from_arrays(
        [
            pyarrow.array(columns[slot.name], slot.type) if slot.name in columns else pyarrow.nulls(count, slot.type)
            for slot in slots
        ],
        fields=slots,
    )
    ids = pyarrow.array([f"s{number}" for number in range(count)])
    templates = pyarrow.array(["Sold"] * count)
    return pyarrow.table([ids, templates, stamps, pyarrow.nulls(count, pyarrow.string()), attributes], schema=schema)


def on_spark(spark: SparkSession, kind: str, program: core.Program, path: str, runs: int) -> Compared:
    """Compare `match` with the query by hand."""
    events = spark.read.parquet(path)
    ours = match(spark, program, events).rules["Sliding"]
    events.selectExpr("id AS event", "timestamp AS ts", "attributes.*").createOrReplaceTempView("sold")
    hand = spark.sql(HAND_WRITTEN[kind])
    rows, digest = digest_of(ours)
    assert (rows, digest) == digest_of(hand), f"{kind}: Spark finds something else"
    seconds = in_turn(runs, lambda: to_nowhere(ours), lambda: to_nowhere(hand))
    return Compared(seconds[0], seconds[1], rows)


def on_duckdb(kind: str, program: core.Program, events: pyarrow.Table, runs: int) -> Compared:
    """Compare the compiled query with the one by hand, on the same table."""
    dialect = DuckDB()
    plan = compile_program(program, {}, dialect)
    database = duckdb.connect(":memory:", config={"threads": 2})
    database.execute("SET enable_progress_bar = false")
    database.register("log", events)
    read = plan.templates["Sold"]
    columns = ", ".join(f'attributes.{slot} AS "{column}"' for slot, column in read.columns.items())
    database.execute(
        f'CREATE TABLE "{read.trace}" AS SELECT id AS "$id", timestamp AS "$timestamp", {columns} FROM log'
    )
    columns = ", ".join(f'"{column}" AS {slot}' for slot, column in read.columns.items())
    database.execute(f'CREATE VIEW sold AS SELECT "$id" AS event, "$timestamp" AS ts, {columns} FROM "{read.trace}"')
    (stage,) = nearer(plan, lambda query: database.execute(query.sql(dialect.name)).fetchall(), dialect).stages
    ours = expanded(stage.query, dialect, plain=True).sql(dialect.name)

    def run(query: str, disabled: str = "''") -> None:
        database.execute(f"SET disabled_optimizers = {disabled}")
        database.execute(f"CREATE OR REPLACE TEMP TABLE result AS {query}")

    def digest(query: str) -> tuple[int, int]:
        run(query)
        names = ", ".join(f'"{row[0]}"' for row in database.execute("DESCRIBE result").fetchall())
        (row,) = database.execute(f"SELECT count(*), sum(hash({names})::HUGEINT) FROM result").fetchall()
        return row[0], row[1]

    rows, hashes = digest(ours)
    assert (rows, hashes) == digest(HAND_WRITTEN[kind]), f"{kind}: DuckDB finds something else"
    seconds = in_turn(runs, lambda: run(ours, OWN_ORDER), lambda: run(HAND_WRITTEN[kind]))
    database.close()
    return Compared(seconds[0], seconds[1], rows)


def main(most: int = max(SIZES)) -> None:
    """Print the table, of logs up to `most` events."""
    spark = session(cores=2, memory="6g", settings={"spark.sql.shuffle.partitions": "8"}, name="parte-benchmark")
    lines = []
    with tempfile.TemporaryDirectory() as directory:
        for count in up_to(most, SIZES):
            for kind, (having, value) in KINDS.items():
                program = parse(PROGRAM.format(having=having, value=value))
                events, path = log(program, count), f"{directory}/{count}.parquet"
                pyarrow.parquet.write_table(events, path, row_group_size=2**18)
                embedded, cluster = on_duckdb(kind, program, events, 5), on_spark(spark, kind, program, path, 5)
                assert cluster.rows == embedded.rows
                figures = [cluster.ours, cluster.by_hand, cluster.ours / cluster.by_hand]
                figures += [embedded.ours, embedded.by_hand, embedded.ours / embedded.by_hand]
                line = (kind, f"{count:,}", f"{cluster.rows:,}", *(f"{figure:.2f}" for figure in figures))
                print(*line, flush=True)
                lines.append(line)
    spark.stop()
    columns = ("value", "events", "matches", "Spark s", "by hand", "ratio", "DuckDB s", "by hand", "ratio")
    show("Sliding sets and window frames written by hand, two threads", columns, lines)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
