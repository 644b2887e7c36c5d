"""CEL on Spark: the suite and drawn queries against the definition, logs, what is refused, and the command."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from typer.testing import CliRunner

from parte.cli import app
from parte.conformance.suites import load_suite
from parte.languages.cel import CEL
from parte.languages.cel.algebra.queries import evaluate
from parte.languages.cel.conformance.drawing import Shape
from parte.languages.cel.conformance.strategies import cases
from parte.languages.cel.semantics.refinement import Unsupported
from parte.languages.cel.semantics.syntax import tree
from parte.languages.cel.semantics.syntax.parser import parse
from parte.languages.cel.semantics.syntax.streams import stream
from parte.languages.cel.semantics.text import parsed
from parte.languages.cel.spark_adapter.matching import match
from parte.semantics.events.complex_event import ComplexEvent
from parte.semantics.events.event import Event
from parte.semantics.events.problems import TraceError
from parte.semantics.events.trace import read_trace
from parte.spark_adapter import positions
from parte.spark_adapter.positions import Results
from tests.drawn import drawn
from tests.spark_adapter.match.matching import small
from tests.spark_adapter.replay.test_command import command

EXAMPLE = Path(__file__).parents[4] / "examples" / "warehouse"
QUERY, TRACE = EXAMPLE / "fire.ceql", EXAMPLE / "trace.jsonl"
EXPECTED = (EXAMPLE / "expected.jsonl").read_text(encoding="utf-8")

Case = tuple[tree.Query, Sequence[Event]]


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> SparkSession:
    return small(spark, ansi=True)


# --- Agreement --------------------------------------------------------------------------------------------------------


def agree(spark: SparkSession, cases: Iterable[Case], processes: int) -> None:
    """Spark finds what the definition says, all cases in one job."""
    case_list = list(cases)
    runs = [
        match(spark, query, positions.of_events(spark, events), processes=processes, check=False)
        for query, events in case_list
    ]
    every: DataFrame | None = None
    for number, run in enumerate(runs):
        numbered = run.results.withColumn("case", F.lit(number))
        every = numbered if every is None else every.unionAll(numbered)
    assert every is not None
    rows = every.collect()
    for run in runs:
        run.close()
    for number, (query, events) in enumerate(case_list):
        mine = [row for row in rows if row.case == number]
        results = sorted(ComplexEvent(row.end, row.start, tuple(row.positions)) for row in mine)
        assert results == evaluate(query, events), query
        assert all(row.events == [events[position].id for position in row.positions] for row in mine)


def _drawn(seed: int, count: int) -> Iterator[Case]:
    for query, events in drawn(cases(Shape(depth=2)), seed, count):
        yield query, list(events)


@pytest.mark.parametrize(
    ("seed", "processes"), [(1, 2), *(pytest.param(seed, seed, marks=pytest.mark.exhaustive) for seed in range(1, 5))]
)
def test_drawn_queries(session: SparkSession, seed: int, processes: int) -> None:
    agree(session, _drawn(seed, 4), processes)


@pytest.mark.exhaustive
def test_cases_of_the_suite(session: SparkSession) -> None:
    """One in ten, those with partitions and consumption among them."""
    valid = [case for case in load_suite(CEL).cases.values() if case.expected.rejected is None]
    chosen = [case for number, case in enumerate(valid) if number % 10 == 0 or "consum" in case.id]
    chosen_cases = []
    for case in chosen:
        query = parsed(case.text).query
        chosen_cases.append((query, stream(query, read_trace(case.trace_text))))
    for start in range(0, len(chosen_cases), 12):
        agree(session, chosen_cases[start : start + 12], 2)


def test_without_partitions_shares_exchange_nothing(session: SparkSession) -> None:
    query = parse("SELECT * WHERE A+ WITHIN 8 EVENTS")
    events = [Event(f"e{position}", "A", 0, {}) for position in range(12)]
    with match(session, query, positions.of_events(session, events), processes=3, check=False) as results:
        plan = results.results._jdf.queryExecution().executedPlan().toString()
        assert "BroadcastExchange" in plan
        assert "Exchange hashpartitioning" not in plan
        assert "Exchange SinglePartition" not in plan
        (sizes,) = results.results.groupBy().agg(F.collect_list("end")).collect()
        assert sorted(sizes[0]) == [result.end for result in evaluate(query, events)]
        parts = [row["count"] for row in results.results.groupBy(F.spark_partition_id()).count().collect()]
    whole = len(sizes[0])
    assert len(parts) == 3
    assert max(parts) - min(parts) <= len(events)
    assert sum(parts) == whole


# --- Logs -------------------------------------------------------------------------------------------------------------

SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("template", pa.string()),
        ("timestamp", pa.int64()),
        ("attributes", pa.struct([("v", pa.int64()), ("s", pa.string())])),
    ]
)


def parquet(path: Path, *rows: tuple[object, ...]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(
        pa.Table.from_pylist([dict(zip(SCHEMA.names, row, strict=True)) for row in rows], SCHEMA), path
    )
    return path


def rows_of(results: Results) -> list[tuple[int, int, list[str]]]:
    with results:
        return [(row.start, row.end, row.events) for row in results.ordered.collect()]


def test_files_follow_each_other_by_their_paths(session: SparkSession, tmp_path: Path) -> None:
    parquet(tmp_path / "log" / "2.parquet", ("c", "B", 9, {"v": 1}), ("d", "A", 9, None))
    parquet(tmp_path / "log" / "1.parquet", ("a", "A", 3, {"v": 1}), ("b", "A", 4, {"v": 2, "s": "x"}))
    log = positions.in_parquet(session, str(tmp_path / "log"))
    assert rows_of(match(session, parse("SELECT * WHERE A; B"), log)) == [(0, 2, ["a", "c"]), (1, 2, ["b", "c"])]
    query = parse("SELECT * WHERE A; B PARTITION BY v WITHIN 6 MS")
    assert rows_of(match(session, query, log, processes=2)) == [(0, 2, ["a", "c"])]


def test_rows_are_checked_all_of_them(session: SparkSession, tmp_path: Path) -> None:
    path = parquet(
        tmp_path / "log.parquet",
        ("a", "A", 5, {"v": 1}),
        ("a", "A", 4, {"v": 1}),
        (None, "A", 4, None),
        ("b", "", None, None),
        ("c", "B", 3, None),
    )
    log = positions.in_parquet(session, str(path))
    with pytest.raises(TraceError) as raised:
        match(session, parse("SELECT * WHERE A WITHIN 1 MINUTE"), log, name="log")
    assert [(problem.line, problem.message) for problem in raised.value.problems] == [
        (3, '"id": expected a string that is not empty, found the string ""'),
        (4, '"template": expected a string that is not empty, found the string ""'),
        (1, 'the event id "a" is used 2 times'),
        (2, "the timestamp 4 is before 5, that of the event before"),
    ]
    with pytest.raises(TraceError) as raised:
        match(session, parse("SELECT * WHERE A WITHIN 1 EVENTS"), log)
    assert not any("before" in problem.message for problem in raised.value.problems)


def test_columns_are_checked(session: SparkSession) -> None:
    query = parse("SELECT * WHERE A WITHIN 1 MS")
    log = positions.of_events(session, [Event("a", "A", 0, {})])
    for change, message in (
        (log.drop("timestamp"), 'the column "timestamp" is missing'),
        (log.drop("id"), 'the column "id" is missing'),
        (log.drop("position"), "the column position: expected BIGINT, found none"),
        (log.withColumn("timestamp", F.lit("0")), "the column timestamp: expected BIGINT or TIMESTAMP, found STRING"),
        (log.withColumn("ids", F.lit(1)), 'the column "ids" is not one of a log\n  hint: did you mean id?'),
        (log.withColumn("attributes", F.lit(1)), "the column attributes: expected STRUCT or STRING, found INT"),
        (
            log.withColumn("attributes", F.struct(F.current_date().alias("v"))),
            "attributes.v: no attribute can hold DATE",
        ),
    ):
        with pytest.raises(TraceError) as raised:
            match(session, query, change)
        assert message in str(raised.value)
    with pytest.raises(Unsupported, match="below another operator"):
        match(session, parse("SELECT * WHERE (A; B FILTER A[v] = B[v]); C"), log)


# --- The command ------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("spark")
def test_the_command_prints_what_a_run_prints(tmp_path: Path) -> None:
    for options in ((), ("--processes", "3")):
        result = command("match", QUERY, TRACE, *options)
        assert (result.exit_code, result.stdout) == (0, EXPECTED), result.stderr
    page = (EXAMPLE.parents[1] / "docs" / "spark.md").read_text(encoding="utf-8")
    assert f"trace.jsonl --processes 2 --cores 2\n{EXPECTED}```" in page
    rows = [json.loads(line) for line in TRACE.read_text(encoding="utf-8").splitlines()]
    pyarrow.parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "log.parquet")
    path = tmp_path / "query.txt"
    path.write_text(QUERY.read_text(encoding="utf-8"), encoding="utf-8")
    arguments = ("match", path, tmp_path / "log.parquet", "--language", "CEL")
    assert command(*arguments).stdout == EXPECTED
    result = command(*arguments, "--out", tmp_path / "out")
    assert (result.exit_code, result.stdout) == (0, "2 results\n")
    written = pyarrow.parquet.read_table(tmp_path / "out" / "matches").to_pylist()
    assert [{name: row[name] for name in ("start", "end", "events")} for row in written] == [
        json.loads(line) for line in EXPECTED.splitlines()
    ]
    assert "not an empty directory" in command(*arguments, "--out", tmp_path / "out").stderr


@pytest.mark.usefixtures("spark")
def test_what_cannot_be_used_is_told(tmp_path: Path) -> None:
    falling = tmp_path / "falling.jsonl"
    falling.write_text('{"template": "T", "timestamp": 1}\n{"template": "T", "timestamp": 0}\n', encoding="utf-8")
    broken = tmp_path / "broken.parquet"
    broken.write_text("no", encoding="utf-8")
    links = tmp_path / "links.ceql"
    links.write_text("SELECT MAX * WHERE A; B FILTER A[v] = B[v]\n", encoding="utf-8")
    for arguments, words in (
        (("match", QUERY, falling), "falling.jsonl:2: the timestamp 0 is before 1"),
        (("match", QUERY, tmp_path / "nowhere.jsonl"), "cannot read"),
        (("match", QUERY, broken), "broken.parquet: the file is damaged or no Parquet"),
        (("match", links, TRACE), "a link together with MAX"),
        (("match", QUERY, TRACE, "--processes", "0"), "expected a number from 1 to 10000, found 0"),
        (("match", QUERY, TRACE, "--rivals", "each"), "expected interval, end, all"),
        (("match", QUERY, TRACE, "--rivals", "all"), "only the definition has them"),
        (("log", QUERY, TRACE), "CEL has no spark log"),
    ):
        result = command(*arguments)
        assert result.exit_code == 2, (arguments, result)
        assert words in result.stderr, (arguments, result.stderr)


def test_a_java_that_is_killed_is_not_taken_for_an_unreadable_log(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert spark is not None
    (tmp_path / "q.ceql").write_text("SELECT * WHERE A\n")
    pyarrow.parquet.write_table(pyarrow.table({"id": ["a"]}), tmp_path / "log.parquet")

    def killed(*_: object) -> None:
        raise ConnectionRefusedError(111, "Connection refused")

    monkeypatch.setattr("parte.commands.spark.options.read_log", killed)
    arguments = [str(tmp_path / "q.ceql"), str(tmp_path / "log.parquet"), "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(app, ["spark", "match", *arguments])
    assert (result.exit_code, "Java has ended while it was needed" in result.stderr) == (71, True), result.output
