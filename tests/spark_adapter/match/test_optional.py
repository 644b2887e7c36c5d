"""Optional attributes of level 2 on Spark: null, fields that are not there, and what is emitted without them."""

from __future__ import annotations

import pytest
from pyspark.sql import Row, SparkSession
from pyspark.sql import types as T

from parte.algebra.partelang.programs import run
from parte.algebra.partelang.relational.parquet import log_of
from parte.conformance.partelang.strategies import ProgramShape, cases
from parte.semantics.events.event import Event
from parte.semantics.events.problems import TraceError
from parte.semantics.partelang.syntax import parse
from parte.spark_adapter.match import match
from parte.spark_adapter.match.results import events_of, failures_of
from tests.drawn import drawn
from tests.spark_adapter.match.matching import outcomes, small
from tests.spark_adapter.match.test_agreement import supported

PROGRAM = parse("""level 2
    template A { k : Integer?, s : String } template B { k : Float? } template C { k : Integer? }
    template D { j : Integer?, k : Integer?, l : Integer }
    rule Same where a : A, c : C { k = a.k } when c in a [0 ms, 9 ms]
    rule Absent where a : A { s = "x" }, no c : C { k = a.k } when no c in a [0 ms, 9 ms] then
        emit D at a.timestamp with { k = a.k, l = 1 }
        emit D at a.timestamp with { l = a.k }
    rule Missing where b : B { k is missing or k / 0.0 is present }
    rule Again where d : D { j is missing, k is present }
""")
EVENTS = (
    Event("a1", "A", 0, {"k": 1, "s": "x"}),
    Event("a2", "A", 0, {"s": "x"}),
    Event("b1", "B", 0, {}),
    Event("b2", "B", 0, {"k": 1.0}),
    Event("c1", "C", 1, {"k": 1}),
    Event("c2", "C", 1, {}),
    Event("a3", "A", 20, {"k": 2, "s": "x"}),
)


def _present(row: Row) -> dict[str, object]:
    """The attributes of an emitted event by their names, which two types of one name prefix by the template."""
    values = row.attributes.asDict().items()
    return {name.rpartition(".")[2]: value for name, value in values if value is not None}


def test_drawn_cases(spark: SparkSession) -> None:
    whole = drawn(cases(ProgramShape(level=2, once=False)).filter(supported), 13, 12)
    lacking = [item for _, trace in whole for item in trace if isinstance(item, Event) and len(item.attributes) < 4]
    assert len(lacking) > 10
    expected = [run(program, trace) for program, trace in whole]
    assert repr(outcomes(small(spark, ansi=True), [(program, trace, {}) for program, trace in whole])) == repr(expected)


def test_what_is_missing_in_a_log(spark: SparkSession) -> None:
    session = small(spark, ansi=False)
    expected = run(PROGRAM, EVENTS)
    assert [match.rule for match in expected.matches] == ["Absent", "Absent", "Again", "Missing", "Same"]
    with match(session, PROGRAM, session.createDataFrame(log_of(PROGRAM, EVENTS))) as matches:
        rows = matches.all.select("rule", "bindings").collect()
        assert sorted((row.rule, tuple(map(tuple, row.bindings))) for row in rows) == sorted(
            (match.rule, match.bindings) for match in expected.matches
        )
        emitted = events_of(matches.all).collect()
        assert {row.id: _present(row) for row in emitted} == {
            event.id: event.attributes for match in expected.matches for event in match.emits
        }
        assert [tuple(row.without_value) for row in failures_of(matches.all).collect()] == [("l",)]


@pytest.mark.parametrize("checked", [True, False])
def test_a_log_may_lack_the_fields_of_optional_attributes(spark: SparkSession, checked: bool) -> None:
    program = parse("""level 2
        template A { k : Integer? } template B { k : Float?, s : String? }
        rule R where a : A { k is missing }, b : B { s is missing } when b in a [0 ms, 9 ms]
    """)
    session = small(spark, ansi=True)
    base = [T.StructField("id", T.StringType()), T.StructField("template", T.StringType())]
    base.append(T.StructField("timestamp", T.LongType()))
    attributes = T.StructField("attributes", T.StructType([T.StructField("B.k", T.DoubleType())]))
    rows = [("a", "A", 0), ("b", "B", 1)]
    frames = [
        session.createDataFrame(rows, T.StructType(base)),
        session.createDataFrame([(*row, (None,)) for row in rows], T.StructType([*base, attributes])),
    ]
    for frame in frames:
        with match(session, program, frame, check=checked) as matches:
            assert [row.rule for row in matches.all.collect()] == ["R"]


def test_other_attributes_are_needed_as_before(spark: SparkSession) -> None:
    session = small(spark, ansi=True)
    log = session.createDataFrame(log_of(PROGRAM, EVENTS))
    with pytest.raises(TraceError, match=r"attributes\.s: the field is missing"):
        match(session, PROGRAM, log.withColumn("attributes", log.attributes.dropFields("s")))
    broken = (*EVENTS, Event("a4", "A", 0, {"k": 1}))
    with pytest.raises(TraceError, match='the attribute "s" is missing'):
        match(session, PROGRAM, session.createDataFrame(log_of(PROGRAM, broken)))
