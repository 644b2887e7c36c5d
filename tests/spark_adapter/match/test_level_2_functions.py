"""Functions of level 2 that run in Python on Spark, and times in conditions."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from parte.algebra.partelang.programs import run
from parte.algebra.partelang.relational import Unsupported
from parte.semantics.events.event import Event
from parte.semantics.partelang.syntax import parse
from tests.spark_adapter.match.matching import outcomes, small

HEAD = "level 2\ntemplate A { s : String }\ntemplate B { t : Integer, d : String, i : Boolean }\n"
TEXTS = ("10.0.0.1", "10.0.0.256", "::1", "a1", "")
TIMES = (1_764_000_000_000, 1_764_003_600_000, 1_764_090_000_000, 253_402_300_799_999, 253_402_300_800_000)


def test_functions_in_python_and_times(spark: SparkSession) -> None:
    program = parse(
        HEAD + 'rule Alone where a : A { matches(s, "[0-9.]+|a?") or in_network(s, "10.0.0.0/8", "::/64") }\n'
        'then emit B at a.timestamp with { t = time_of_day(a, "Asia/Kathmandu"), d = date(a), '
        'i = in_network(a.s, "10.0.0.0/8") }\n'
        "rule Pair where a : A, b : A { b.timestamp - a.timestamp > 1 minutes, time_of_day(b) - time_of_day(a) "
        '>= 1 hours or not matches(concat(s, a.s), ".*1") }, no c : A { matches(s, "::.*"), '
        "c.timestamp > a.timestamp + 5 minutes, weekday(c) = 1 } "
        "when b in a [0 days, 2 days], no c in a [0 days, 1 days]\n"
    )
    events = tuple(Event(f"e{n}", "A", t, {"s": s}) for n, (t, s) in enumerate(zip(TIMES, TEXTS, strict=True)))
    truth = run(program, events)
    assert len(truth.failures) == 2
    assert {match.rule for match in truth.matches} == {"Alone", "Pair"}
    (outcome,) = outcomes(small(spark, ansi=True), [(program, events, {})])
    assert repr(outcome) == repr(truth)


@pytest.mark.parametrize("condition", ["weekday(a) = 1", 'matches(concat(s, a.s), "x")'])
def test_python_is_not_called_about_events_outside_a_negated_pattern(spark: SparkSession, condition: str) -> None:
    program = parse(HEAD + f"rule R where a : A, no b : A {{ {condition} }} when no b in a [1 ms, 1 days]\n")
    with pytest.raises(Unsupported, match="runs in Python"):
        outcomes(small(spark, ansi=True), [(program, (), {})])
