"""Match on Spark against the evaluator that defines the truth: the whole conformance suite, and drawn programs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from algebra.programs import run
from conformance.fixtures import load_suite
from conformance.measure import parsed
from conformance.strategies import cases
from semantics.events.conformity import conform
from semantics.events.domain import bind_domain, read_domain
from semantics.events.trace import read_trace
from tests.algebra.strategies import events, programs, tables
from tests.spark_adapter.matching import Case, outcomes, small

PARTS = 8
"""The suite is run in so many parts, each in a few jobs."""
TOGETHER = 50
"""The cases of one job: Spark takes the same time again to plan a job, but longer for a large one."""

T = TypeVar("T")


@cache
def suite() -> Sequence[tuple[str, Case]]:
    """The cases that are no rejections, which never come to an engine."""
    found = []
    for case in load_suite().cases.values():
        if case.expected.rejected is None:
            program = parsed(case.text)
            trace = conform(program, read_trace(case.trace_text))
            found.append((case.id, (program, trace, bind_domain(program, read_domain(case.domain)))))
    return found


@pytest.mark.parametrize("part", range(PARTS))
def test_the_conformance_suite(spark: SparkSession, part: int) -> None:
    agree(small(spark, ansi=part % 2 == 0), suite()[part::PARTS])


def drawn(strategy: st.SearchStrategy[T], count: int) -> list[T]:
    """What a property would be tried with, all at once."""
    found: list[T] = []

    @settings(max_examples=count, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(strategy)
    def collect(value: T) -> None:
        found.append(value)

    collect()
    return found


def test_the_cases_of_the_generator(spark: SparkSession) -> None:
    drawn_cases: list[Case] = [(program, trace, {}) for program, trace in drawn(cases(), 40)]
    agree(small(spark, ansi=True), [("drawn", case) for case in drawn_cases])


@pytest.mark.parametrize("ansi", [True, False])
def test_programs_with_every_kind_of_expression(spark: SparkSession, ansi: bool) -> None:
    drawn_cases = drawn(st.tuples(programs(), events(), tables()), 60)
    agree(small(spark, ansi=ansi), [("drawn", case) for case in drawn_cases[ansi::2]])


def agree(spark: SparkSession, named: Sequence[tuple[str, Case]]) -> None:
    """Spark finds what the naive evaluator finds, to the sign of zeros."""
    for start in range(0, len(named), TOGETHER):
        some = named[start : start + TOGETHER]
        for (name, case), found in zip(some, outcomes(spark, [case for _, case in some]), strict=True):
            expected = run(*case)
            assert repr(found) == repr(expected), (name, case)
