"""`once` on Spark: missing keys and the two zeros, events without a value, later strata, several tasks, and the table
of suppressed events."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow.parquet
from pyspark.sql import SparkSession

from parte.algebra.partelang.programs import run
from parte.algebra.partelang.relational.parquet import log_of
from parte.semantics.events.event import Event
from parte.semantics.partelang.text import parsed
from parte.spark_adapter.match import match
from parte.spark_adapter.match.output import write
from tests.spark_adapter.match.matching import small

PROGRAM = parsed("""
level 2
template T { f : Float, s : String?, d : Integer }
template A { f : Float, s : String?, d : Float }
template B { s : String }
template C { v : Integer }
rule First where t : T when then
  emit A at t.timestamp with { f = t.f, s = t.s, d = 12 / t.d } once per (s, f) in 3 ms
  emit B at t.timestamp with { s = "b" } once in 4 ms
rule Second where a : A, b : B when b in a [0 ms, 9 ms] then
  emit C at b.timestamp with { v = 1 } once per (v) in 2 ms
rule Third where c : C when then
""")
TRACE = [
    Event("zero", "T", 0, {"f": 0.0, "d": 1}),
    Event("minus zero", "T", 1, {"f": -0.0, "d": 1}),
    Event("no value", "T", 2, {"f": 0.0, "d": 0}),
    Event("three later", "T", 3, {"f": 0.0, "d": 2}),
    Event("of another key", "T", 4, {"f": 0.0, "s": "", "d": 2}),
    Event("at the same time", "T", 4, {"f": 0.0, "s": "", "d": 3}),
    *(Event(f"e{number}", "T", number // 2, {"f": 1.5, "s": f"{number % 3}", "d": 4}) for number in range(12)),
]


def test_suppressed_events(spark: SparkSession, tmp_path: Path) -> None:
    expected = run(PROGRAM, TRACE, {})
    assert {failure.without_value for failure in expected.failures} == {("d",)}
    by_rule = {rule: [lost for lost in expected.suppressed if lost.rule == rule] for rule in ("First", "Second")}
    assert {lost.event for lost in by_rule["First"] if lost.position == 1} >= {"First#1(t=minus zero)"}
    assert all(by_rule.values())
    session = small(spark, ansi=True)
    session.conf.set("spark.sql.shuffle.partitions", "3")  # the events of a key are in one of several tasks
    with match(session, PROGRAM, session.createDataFrame(log_of(PROGRAM, TRACE)), check=False) as results:
        assert results.rules["First"].columns[-2:] == ["1$passed", "2$passed"]
        written = write(results, str(tmp_path / "out"))
    assert (written.failures, written.suppressed) == (len(expected.failures), len(expected.suppressed))
    matches = pyarrow.parquet.read_table(tmp_path / "out" / "matches").to_pylist()
    assert [(row["rule"], row["bindings"], row["emits"]) for row in matches] == [
        (match.rule, as_rows(match.bindings), [event.id for event in match.emits]) for match in expected.matches
    ]
    table = pyarrow.parquet.read_table(tmp_path / "out" / "suppressed").to_pylist()
    assert [tuple(row.values()) for row in table] == [
        (lost.rule, as_rows(lost.bindings), lost.position, lost.event, lost.passed) for lost in expected.suppressed
    ]


def as_rows(bindings: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"variable": variable, "event": event} for variable, event in bindings]
