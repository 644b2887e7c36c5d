"""Match on Spark against the evaluator that defines the truth: the whole conformance suite, and drawn programs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import pytest
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from parte.algebra.partelang import relational
from parte.algebra.partelang.programs import run
from parte.algebra.partelang.relational.programs import compile_program
from parte.conformance.partelang.strategies import ProgramShape, cases
from parte.conformance.suites import load_suite
from parte.languages.partelang import PARTELANG
from parte.semantics.events.conformity import conform
from parte.semantics.events.domain import bind_domain, read_domain
from parte.semantics.events.event import Event
from parte.semantics.events.trace import read_trace
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.text import parsed
from parte.spark_adapter.match.views import DIALECT
from tests.algebra.partelang.strategies import events, programs, tables, with_copies
from tests.drawn import drawn
from tests.parte.test_emitted_ids import chain
from tests.sampling import sampled
from tests.spark_adapter.match.matching import Case, outcomes, small

PARTS = 16
"""The suite is run in so many parts, each in a few jobs. Each says a little of everything; DuckDB, which has the same
queries, runs all of it in `make test-all`."""
TOGETHER = 4
"""The cases of one job: to plan one with twelve takes longer than to plan three with four."""


@cache
def suite() -> Sequence[tuple[str, Case]]:
    """The cases that are no rejections, which never come to an engine."""
    runnable = []
    for case in load_suite(PARTELANG).cases.values():
        if case.expected.rejected is None:
            program = parsed(case.text)
            trace = conform(program, read_trace(case.trace_text, nulls=True))
            runnable.append((case.id, (program, trace, bind_domain(program, read_domain(case.domain)))))
    return runnable


@pytest.mark.parametrize(
    "part", [pytest.param(part, marks=sampled(part, usual=8, quick=8 * PARTS)) for part in range(PARTS)]
)
def test_the_conformance_suite(spark: SparkSession, part: int) -> None:
    agree(small(spark, ansi=part % 2 == 0), suite()[part::PARTS])


@pytest.mark.parametrize("level", [1, 2])
def test_the_cases_of_the_generator(spark: SparkSession, level: int) -> None:
    shape = ProgramShape(level=level)
    whole = drawn(cases(shape).filter(supported), 1, 20 if level == 1 else 8)
    agree(small(spark, ansi=level == 1), [("drawn", (program, trace, {})) for program, trace in whole])


@pytest.mark.parametrize("ansi", [True, False])
def test_programs_with_every_kind_of_expression(spark: SparkSession, ansi: bool) -> None:
    drawn_cases = drawn(st.tuples(programs(), events(), tables()), 2, 16)
    agree(small(spark, ansi=ansi), [("drawn", case) for case in drawn_cases[ansi::2]])


@pytest.mark.parametrize("ansi", [True, False])
def test_rules_that_differ_in_constants(spark: SparkSession, ansi: bool) -> None:
    whole = drawn(st.tuples(programs(), events(), tables(), st.integers(0, 2**32)), 3, 6)
    drawn_cases: list[Case] = [(with_copies(read, seed), trace, domain) for read, trace, domain, seed in whole]
    suite_cases = drawn(st.tuples(cases(), st.integers(0, 2**32)), 4, 4)
    drawn_cases += [(with_copies(read, seed), trace, {}) for (read, trace), seed in suite_cases]
    agree(small(spark, ansi=ansi), [("drawn", case) for case in drawn_cases[ansi::2]])


OVERFLOWS = """
template T { i : Integer }
template O { i : Integer }
template R { i : Integer }
rule Forgotten where x : T, o : O when o in x [-9 ms, 9 ms]
then emit R at x.timestamp with { i = x.i + 9223372036854775807 + -9 }
rule MadeUp where x : T, o : O when o in x [-9 ms, 9 ms]
then emit R at x.timestamp with { i = x.i + 9223372036854775807 + 1 }
rule Product where x : T, o : O when o in x [-9 ms, 9 ms]
then emit R at x.timestamp with { i = x.i * 4611686018427387904 * 0 }
rule Shifted where x : T, o : O when o in x [-9 ms, 9 ms]
then emit R at x.timestamp + 9223372036854775807 ms - 9 ms with { i = 0 }
rule Compared where x : T, o : O { o.i = x.i * 4611686018427387904 * 0, o.i < x.i + 9223372036854775807 + 1 }
when o in x [-9 ms, 9 ms]
"""


@pytest.mark.parametrize("ansi", [True, False])
def test_an_overflow_before_the_second_of_two_constants(spark: SparkSession, ansi: bool) -> None:
    """Spark would join the constants of `x + 1 + 2`, and so forget the overflow of a sum, or make one up.

    There is a join in each rule, for what is over one table of a few rows is computed before that.
    """
    program = parsed(OVERFLOWS)
    trace = [Event(f"e{number}", "T", time, {"i": time}) for number, time in enumerate((-5, -1, 0, 1, 5))]
    trace.append(Event("o", "O", 0, {"i": 0}))
    expected = run(program, trace, {})
    assert [(failure.rule, dict(failure.bindings)["x"]) for failure in expected.failures] == [
        *(("Forgotten", event) for event in ("e3", "e4")),
        *(("MadeUp", event) for event in ("e2", "e3", "e4")),
        *(("Product", event) for event in ("e0", "e4")),
        *(("Shifted", event) for event in ("e3", "e4")),
    ]
    assert repr(relational.run(program, trace, {})) == repr(expected)
    agree(small(spark, ansi=ansi), [("overflows", (program, trace, {}))])


ALIKE = """
template A { v : Integer }
template a { v : Integer }
predicate P(Integer)
predicate p(Integer)
rule R where x : A, y : a { P(x.v) } when y in x [0 ms, 9 ms]
rule r where x : A, y : a { p(y.v) } when y in x [0 ms, 9 ms]
"""


def test_names_that_differ_only_in_case(spark: SparkSession) -> None:
    """Spark holds `A` and `a` for one view, and takes no `$` in its name: the names of programs must not reach it."""
    program = parsed(ALIKE)
    trace = [Event("1", "A", 0, {"v": 1}), Event("2", "a", 1, {"v": 2})]
    expected = run(program, trace, tables := {"P": lambda v: v == 1, "p": lambda v: v == 2})
    assert len(expected.matches) == 2
    agree(small(spark, ansi=True), [("alike", (program, trace, tables))])


def test_long_ids_are_shortened(spark: SparkSession) -> None:
    """Spark's plan of a rule holds those of the rules below, so the chain is short."""
    program = parsed(chain(5))
    trace = [Event("é" * length, "T0", length, {}) for length in (80, 95, 96, 97)]
    agree(small(spark, ansi=True), [("chain", (program, trace, {}))])


def supported(case: tuple[core.Program, object]) -> bool:
    """True if Spark does not reject a program: some of level 2 have no exact counterpart there."""
    try:
        compile_program(case[0], {}, DIALECT, together=True)
    except relational.Unsupported:
        return False
    return True


def agree(spark: SparkSession, named: Sequence[tuple[str, Case]]) -> None:
    """Spark finds what the naive evaluator finds, to the sign of zeros."""
    for start in range(0, len(named), TOGETHER):
        some = named[start : start + TOGETHER]
        for (name, case), outcome in zip(some, outcomes(spark, [case for _, case in some]), strict=True):
            expected = run(*case)
            assert repr(outcome) == repr(expected), (name, case)
