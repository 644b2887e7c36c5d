"""EQL on Spark: drawn sequences against the definition, logs, and the command."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from parte.conformance.fuzz.draw import seeded
from parte.languages.eql.algebra.sequences import evaluate
from parte.languages.eql.conformance.drawing import Shape, drawn_events, drawn_query
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.parser import parse
from parte.languages.eql.semantics.syntax.readings import Readings
from parte.languages.eql.spark_adapter.matching import ORDER, match
from parte.semantics.events.event import Event
from parte.semantics.events.problems import TraceError
from parte.semantics.events.trace import load_trace
from parte.spark_adapter.positions import in_parquet, of_events
from tests.spark_adapter.match.matching import small
from tests.spark_adapter.replay.test_command import command

EXAMPLE = Path(__file__).parents[4] / "examples" / "workstations"
SHAPE = Shape(kinds=("sequence",), events=14)

Case = tuple[tree.Sequence, Sequence[Event]]


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> SparkSession:
    return small(spark, ansi=True)


def sequences(seed: str, count: int) -> Iterator[Case]:
    """Drawn sequences with their traces."""
    for number in range(count):
        draw = seeded(f"{seed} {number}")
        query = drawn_query(draw, SHAPE)
        assert isinstance(query, tree.Sequence)
        yield query, drawn_events(draw, SHAPE.events)


def agree(spark: SparkSession, cases: Sequence[Case]) -> int:
    """Spark finds what the definition says, all cases in one job. Return the number of results."""
    runs = [match(of_events(spark, events), query, check=False) for query, events in cases]
    every: DataFrame | None = None
    for number, run in enumerate(runs):
        numbered = run.results.withColumn("case", F.lit(number))
        every = numbered if every is None else every.unionAll(numbered)
    assert every is not None
    rows = every.orderBy(*ORDER).collect()
    for run in runs:
        run.close()
    for number, (query, events) in enumerate(cases):
        mine = [{"keys": json.loads(row["keys"]), "events": row["events"]} for row in rows if row.case == number]
        assert mine == evaluate(query, events, Readings()), query
    return len(rows)


def test_drawn_sequences(session: SparkSession) -> None:
    query = parse("sequence by k with maxspan=9ms [A where true] [B where true] ![C where true] | tail 2 | head 1")
    assert isinstance(query, tree.Sequence)
    events = [Event(f"e{place}", "AB"[place % 2], place, {"k": place // 2 % 2}) for place in range(12)]
    assert agree(session, [(query, events), *sequences("quick", 3)]) > 0


@pytest.mark.exhaustive
@pytest.mark.parametrize("part", range(10))
def test_two_hundred_drawn_sequences(session: SparkSession, part: int) -> None:
    assert agree(session, list(sequences(f"part {part}", 20))) > 0


SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("template", pa.string()),
        ("timestamp", pa.int64()),
        ("attributes", pa.struct([("k", pa.int64()), ("process.name", pa.string())])),
    ]
)


def parquet(path: Path, *rows: tuple[object, ...]) -> str:
    """A log in Parquet."""
    table = pa.Table.from_pylist([dict(zip(SCHEMA.names, row, strict=True)) for row in rows], SCHEMA)
    pyarrow.parquet.write_table(table, path)
    return str(path)


def test_a_log_is_in_any_order_and_ties_are_by_rows(session: SparkSession, tmp_path: Path) -> None:
    rows = (("c", "B", 9, {"k": 1}), ("a", "A", 5, {"k": 1, "process.name": "x"}), ("d", "A", 5, {"k": 1}))
    log = in_parquet(session, parquet(tmp_path / "log.parquet", *rows))
    query = parse("sequence by k [A where process.name == null] [B where true]")
    assert isinstance(query, tree.Sequence)
    with match(log, query) as results:
        assert [(row["keys"], row.events, row.start, row.end) for row in results.ordered.collect()] == [
            ("[1]", ["d", "c"], 5, 9)
        ]


def test_rows_are_checked(session: SparkSession, tmp_path: Path) -> None:
    rows = (("a", "A", 5, {"k": 1}), ("a", "A", 4, {"k": 1}), (None, "A", 4, None))
    query = parse("sequence by k [A where true] [B where true]")
    assert isinstance(query, tree.Sequence)
    with pytest.raises(TraceError) as raised:
        match(in_parquet(session, parquet(tmp_path / "log.parquet", *rows)), query)
    assert [(problem.line, problem.message) for problem in raised.value.problems] == [
        (3, '"id": expected a string that is not empty, found the string ""'),
        (1, 'the event id "a" is used 2 times'),
    ]


@pytest.mark.usefixtures("spark")
def test_the_command_prints_what_a_run_prints(tmp_path: Path) -> None:
    query, trace = EXAMPLE / "macro.eql", EXAMPLE / "trace.jsonl"
    result = command("match", query, trace)
    assert result.exit_code == 0, result.stderr
    events = [item for item in load_trace(trace) if isinstance(item, Event)]
    expected = evaluate(parse(query.read_text(encoding="utf-8")), events, Readings())
    assert [json.loads(line) for line in result.stdout.splitlines()] == expected != []
    result = command("match", query, trace, "--out", tmp_path / "out")
    assert (result.exit_code, result.stdout) == (0, f"{len(expected)} results\n"), result.stderr


def test_other_queries_are_refused(tmp_path: Path) -> None:
    query = tmp_path / "q.eql"
    query.write_text("A where true\n", encoding="utf-8")
    result = command("match", query, EXAMPLE / "trace.jsonl")
    assert result.exit_code == 2
    assert "on Spark EQL has sequences only" in result.stderr
