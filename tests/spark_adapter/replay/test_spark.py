"""Replay on Spark: agreement with the algebra, tables that do not fit, and jobs that are killed and go on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyarrow import parquet

from parte.conformance.fixtures import Suite
from parte.conformance.partelang.strategies import cases
from parte.conformance.suites import load_suite
from parte.languages.partelang import PARTELANG
from parte.semantics.events.differences import differences
from parte.semantics.partelang.reported_matches import key_in
from parte.semantics.partelang.syntax import parse
from parte.semantics.partelang.syntax.printer import print_program
from parte.spark_adapter.errors import Unusable
from parte.spark_adapter.mapping import spark_schema
from parte.spark_adapter.replay import random_traces, replay, replay_random
from parte.spark_adapter.replay.batches import replay_numbers
from parte.spark_adapter.replay.frames import BadTable
from parte.spark_adapter.replay.job import EditionInput, Job, NoInput, OtherJob, RandomInput, run_job
from parte.spark_adapter.replay.plan import Plan
from parte.spark_adapter.replay.rows import RESULTS
from parte.spark_adapter.replay.summary import summarize
from parte.spark_adapter.traces.files import write_edition
from parte.spark_adapter.traces.format import TRACES, items_rows
from parte.spark_adapter.traces.random import Recipe, random_case
from tests.drawn import drawn
from tests.parte.test_emitted_ids import TRACE, chain
from tests.spark_adapter.replay.test_rows import CROWD, EVENTS, EXPLODING, FINE, PROGRAM

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

ROOT = Path(__file__).resolve().parents[3]
SMALL = Recipe(per_program=20)


@pytest.fixture(scope="module")
def suite() -> Suite:
    """The conformance suite."""
    return load_suite(PARTELANG)


SLICE = 600
"""The traces that are committed together: the suite has several slices."""


@pytest.fixture(scope="module")
def edition(suite: Suite, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The suite in Parquet."""
    directory = tmp_path_factory.mktemp("editions") / "suite"
    assert write_edition(directory, suite.cases.values(), suite.version) == len(suite.cases)
    return directory


def frame(spark: SparkSession, rows: Sequence[dict[str, object]]) -> DataFrame:
    """Rows of traces, with the columns they have."""
    return spark.createDataFrame([{**dict.fromkeys(TRACES.names), **row} for row in rows], spark_schema(TRACES))


def timeless(results: DataFrame) -> list[Row]:
    """Results without what differs from run to run."""
    return sorted(results.drop("milliseconds", "runs", "slice").collect(), key=lambda row: str(row.trace_id))


# --- Agreement -------------------------------------------------------------------------------------------------------


def test_the_whole_suite_agrees_with_the_algebra_rejected_cases_included(
    spark: SparkSession, suite: Suite, edition: Path, tmp_path: Path
) -> None:
    job = Job(EditionInput(str(edition)), str(tmp_path / "out"), Plan(("sound", "indexed")), SLICE)
    steps: list[tuple[int, int]] = []
    results = run_job(spark, job, lambda done, slices: steps.append((done, slices)))
    slices = -(-len(suite.cases) // SLICE)
    assert steps == [(done, slices) for done in range(slices + 1)]
    rows = {row.trace_id: row for row in results.collect()}
    assert rows.keys() == suite.cases.keys()
    for name, case in suite.cases.items():
        row = rows[name]
        if case.expected.rejected is not None:
            assert (row.verdict, row.cause) == ("error", "rejected"), name
            if case.expected.rejected.code not in ("invalid-trace", "invalid-domain"):
                assert case.expected.rejected.code in row.message, name
        else:
            assert row.verdict == "agree", (name, row.message)
            assert [run.model for run in row.runs] == ["algebra", "sound", "indexed"]
            matches = [json.loads(match) for match in row.matches]
            assert differences(case.expected.matches, matches, key_in(parse(case.text))) == ((), ()), name
    summary = summarize(results)
    rejected = sum(case.expected.rejected is not None for case in suite.cases.values())
    assert summary.kinds == {("agree", None): len(rows) - rejected, ("error", "rejected"): rejected}
    assert summary.bad == 0


def test_programs_of_the_strategies_agree_with_the_algebra(spark: SparkSession) -> None:
    traces: list[dict[str, object]] = [
        {"trace_id": str(number), "program": print_program(program.source), "events": items_rows(items)}
        for number, (program, items) in enumerate(drawn(cases(), 2, 150))
    ]
    traces.append({"trace_id": "chain", "program": chain(6), "events": items_rows(TRACE)})
    rows = replay(spark, frame(spark, traces), plan=Plan(("sound", "indexed"), schedules=1)).collect()
    assert [(row.trace_id, row.message) for row in rows if row.verdict != "agree"] == []
    assert len(rows) == len(traces) > 100
    assert sum(bool(row.matches) for row in rows) > 20


def test_random_traces_are_those_that_are_generated(spark: SparkSession) -> None:
    plan = Plan(("published", "sound"))
    drawn_there = replay_random(spark, 60, first=40, recipe=SMALL, plan=plan)
    written = random_traces(spark, 60, first=40, recipe=SMALL)
    rows = timeless(drawn_there)
    assert rows == timeless(replay(spark, written, plan=plan))
    assert {row.trace_id for row in rows} == {f"random-0-{number}" for number in range(40, 100)}
    assert written.where("trace_id = 'random-0-41'").head().program == random_case(SMALL, 41).text  # type: ignore[union-attr]  # there is one


# --- Rows that spoil nothing -----------------------------------------------------------------------------------------


def test_broken_and_poisoned_traces_are_rows_among_others(spark: SparkSession) -> None:
    traces: list[dict[str, object]] = [
        {**FINE, "trace_id": "fine"},
        {**FINE, "trace_id": "broken", "program": "rule"},
        {**FINE, "trace_id": "endless", "program": EXPLODING, "events": CROWD},
        {**FINE, "trace_id": None, "events": None},
        {**FINE, "trace_id": "fine too"},
    ]
    plan = Plan(("sound",), seconds=1, mebibytes=512)
    rows = {row.trace_id: row for row in replay(spark, frame(spark, traces), plan=plan).collect()}
    verdicts = {name: (row.verdict, row.cause) for name, row in rows.items()}
    # The definition has a bound on what it looks at, which a fast machine reaches within the second.
    assert verdicts.pop("endless") in (("error", "time"), ("error", "memory"))
    assert verdicts == {
        "fine": ("agree", None),
        "broken": ("error", "rejected"),
        None: ("error", "rejected"),
        "fine too": ("agree", None),
    }


def test_attributes_may_be_columns_of_spark(spark: SparkSession) -> None:
    programs = spark.createDataFrame([("p", PROGRAM)], "program_id string, text string")

    def replayed(attributes: str, time: str) -> list[Row]:
        events = ", ".join(
            f"named_struct('template', 'A', 'timestamp', {time.format(at)}, 'attributes', {attributes})"
            for at in (0, 3)
        )
        traces = spark.range(1).selectExpr("'t' as trace_id", "'p' as program_id", f"array({events}) as events")
        return replay(spark, traces, programs=programs).collect()

    for attributes in ("named_struct('k', 1L)", "map('k', 1L)", "'{\"k\": 1}'"):
        (row,) = replayed(attributes, "{}L")
        assert (row.verdict, len(row.matches)) == ("agree", 1), row.message
    # Milliseconds, not seconds: within one second the two events would be at one time.
    (row,) = replayed("'{\"k\": 1}'", "timestamp_millis({}L)")
    assert (row.verdict, len(row.matches)) == ("agree", 1), row.message
    # A cast would cut these, or end the job of all traces.
    for at, type_ in (("{}.5D", "double"), ("'{}'", "string"), ("true", "boolean")):
        with pytest.raises(BadTable, match=f"timestamp to be an integer \\(ms\\) or a timestamp, found {type_}"):
            replayed("'{\"k\": 1}'", at)


def test_tables_that_do_not_fit_are_refused_before_anything_runs(spark: SparkSession) -> None:
    traces = frame(spark, [FINE])
    with pytest.raises(BadTable, match="there is no column events; found trace_id"):
        replay(spark, traces.select("trace_id"))
    with pytest.raises(BadTable, match="expected events to be an array of structs, found string"):
        replay(spark, traces.selectExpr("trace_id", "'x' as events"))
    with pytest.raises(BadTable, match="an item of events has the field colour"):
        replay(spark, traces.selectExpr("trace_id", "array(named_struct('colour', 1)) as events"))
    with pytest.raises(BadTable, match=r"expected disorder to be an integer \(ms\), found string"):
        replay(spark, traces.selectExpr("trace_id", "events", "'5 ms' as disorder"))
    documents = spark.range(1).selectExpr("'d' as domain_id", "named_struct('p', 1) as document")
    with pytest.raises(BadTable, match="domains: expected document to be a string, found struct"):
        replay(spark, traces, domains=documents)
    with pytest.raises(Unusable, match="random traces are numbered from 0"):
        replay_random(spark, 2**64)
    twice = spark.createDataFrame([("p", "a"), ("q", "b"), ("p", "c")], "program_id string, text string")
    with pytest.raises(BadTable, match="programs: the id 'p' is used 2 times; expected each once"):
        replay(spark, traces, programs=twice)
    with pytest.raises(BadTable, match="domains: there is no column document"):
        replay(spark, traces, domains=twice.selectExpr("program_id as domain_id"))


# --- Jobs ------------------------------------------------------------------------------------------------------------


def test_a_job_that_is_done_computes_nothing_again_and_another_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    job = Job(RandomInput(50, SMALL), str(tmp_path / "out"), Plan(("sound", "published")), 25)
    first = timeless(run_job(spark, job))
    before = committed(tmp_path / "out")
    assert timeless(run_job(spark, replace(job, slice_size=None))) == first
    assert committed(tmp_path / "out") == before
    assert len(first) == 50
    for changed_job, said in (
        (replace(job, plan=Plan(("sound",))), "holds a replay with plan"),
        (replace(job, slice_size=10), "holds a replay with slice_size 25, and this one has 10"),
        (replace(job, source=RandomInput(51, SMALL)), "holds a replay with traces 50, and this one has 51"),
        (replace(job, source=RandomInput(50, Recipe(9))), "holds a replay with random"),
    ):
        with pytest.raises(OtherJob, match=said):
            run_job(spark, changed_job)
    assert committed(tmp_path / "out") == before


def test_a_directory_without_traces_is_named(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(NoInput, match="expected a table of traces"):
        run_job(spark, Job(EditionInput(str(tmp_path)), str(tmp_path / "out")))


def committed(directory: Path) -> dict[str, int]:
    """The files of the results, with the times at which they were written."""
    files = (directory / "results").glob("slice=*/*.parquet")
    return {str(path.relative_to(directory)): path.stat().st_mtime_ns for path in files}


@pytest.mark.exhaustive  # the next test says so of one slice
def test_a_job_that_is_killed_goes_on_where_it_was(spark: SparkSession, tmp_path: Path) -> None:
    out = tmp_path / "killed"
    arguments = ["spark", "replay", "--random", "60", "--slice", "12", "--models", "sound,published", "--cores", "1"]
    with subprocess.Popen(
        [sys.executable, "-m", "parte", *arguments, "--out", str(out)],
        cwd=ROOT,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        deadline = time.monotonic() + 300
        while not list((out / "done").glob("*.parquet")) and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGKILL)
        assert process.wait(60) == -signal.SIGKILL, process.stderr.read() if process.stderr else ""
    finished = {f"results/slice={row['slice']}" for row in spark.read.parquet(str(out / "done")).collect()}
    assert 1 <= len(finished) < 5
    before = {name: when for name, when in committed(out).items() if str(Path(name).parent) in finished}
    assert before
    steps: list[tuple[int, int]] = []
    plan = Plan(("sound", "published"))
    job = Job(RandomInput(60), str(out), plan)
    results = run_job(spark, job, lambda done, slices: steps.append((done, slices)))
    assert steps == [(done, 5) for done in range(len(finished), 6)]
    assert committed(out).items() >= before.items()
    whole = timeless(results)
    expected = sorted(replay_numbers(plan, Recipe(), range(60)), key=lambda row: str(row["trace_id"]))
    assert [(row.trace_id, row.verdict, tuple(row.matches)) for row in whole] == [
        (row["trace_id"], row["verdict"], row["matches"]) for row in expected
    ]


def test_what_a_killed_slice_left_behind_is_replaced(spark: SparkSession, tmp_path: Path) -> None:
    job = Job(RandomInput(40, SMALL), str(tmp_path), Plan(), 20)
    first = timeless(run_job(spark, job))
    (second,) = (
        path
        for path in (tmp_path / "done").glob("*.parquet")
        if parquet.read_table(path).column("slice").to_pylist() == [1]
    )
    second.unlink()  # as if the process had ended between the results of the slice and its entry
    assert timeless(run_job(spark, job)) == first


def test_the_columns_of_a_result_are_those_that_are_documented(spark: SparkSession) -> None:
    results = replay(spark, frame(spark, [FINE | {"events": EVENTS}]))
    assert results.columns == RESULTS.names
