"""How the strategies shrink: a failing property should show a program and a trace that a person can read."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, find, given, settings

from parte.algebra.partelang.programs import run
from parte.conformance.partelang.strategies import ProgramShape, cases, programs, schedules, traces
from parte.semantics.events.conformity import conform
from parte.semantics.events.event import Event, Progress, TraceItem
from parte.semantics.events.promises import arrivals
from parte.semantics.partelang.schedules import RoundRobin
from parte.semantics.partelang.syntax import core, parse
from parte.semantics.partelang.syntax.printer import print_program

Case = tuple[core.Program, tuple[TraceItem, ...]]
SEARCH = settings(
    max_examples=2000, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck)
)


def smallest(wanted: Callable[[Case], bool]) -> Case:
    return find(cases(), wanted, settings=SEARCH)


def matches(case: Case) -> int:
    return len(run(*case).matches)


def test_the_smallest_case_is_one_pattern_and_no_event() -> None:
    program, trace = smallest(lambda _: True)
    (rule,) = program.rules
    assert [(pattern.template, pattern.conditions) for pattern in rule.patterns] == [("A", ())]
    assert rule.emissions == ()
    assert trace == ()


def test_the_smallest_match_is_one_event_at_zero() -> None:
    program, trace = smallest(lambda case: matches(case) > 0)
    assert [len(rule.patterns) for rule in program.rules] == [1]
    (event,) = trace
    assert isinstance(event, Event)
    assert (event.template, event.timestamp, event.source) == ("A", 0, "s1")
    assert event.attributes == {"k": 0, "x": 0.0, "s": "", "b": False}


def test_the_smallest_join_has_two_patterns_and_a_window_of_zero() -> None:
    program, trace = smallest(lambda case: any(len(match.bindings) > 1 for match in run(*case).matches))
    (rule,) = program.rules
    assert len(rule.patterns) == 2
    assert [(constraint.lower, constraint.upper) for constraint in rule.constraints] == [(0, 0)]
    assert len(trace) == 1


def test_the_smallest_defeat_is_one_event_that_defeats_itself() -> None:
    def defeated(case: Case) -> bool:
        program, _ = case
        return any(rule.patterns[-1].negated for rule in program.rules) and len(case[1]) > 0 and matches(case) == 0

    program, trace = smallest(defeated)
    assert len(program.rules) == 1
    assert len(trace) == 1


def test_schedules_shrink_to_round_robin() -> None:
    assert find(schedules(), lambda _: True, settings=SEARCH) == RoundRobin()


@given(cases())
@settings(max_examples=50)
def test_programs_are_valid_and_traces_keep_their_promises(case: Case) -> None:
    program, trace = case
    arriving = arrivals(conform(program, trace))
    assert [arrival.event for arrival in arriving[: len(trace)] if arrival.event] == [
        i for i in trace if isinstance(i, Event)
    ]
    again = parse(print_program(program.source))
    assert again == program


@pytest.mark.parametrize("patterns", [1, 2, 4])
def test_the_shape_is_kept(patterns: int) -> None:
    shape = ProgramShape(patterns=patterns, rules=1, strata=1, negation=False, conditions=False)

    @settings(max_examples=50, database=None)
    @given(programs(shape))
    def check(program: core.Program) -> None:
        (rule,) = program.rules
        assert len(rule.patterns) <= patterns
        assert not any(pattern.negated or pattern.conditions for pattern in rule.patterns)
        assert program.stratum(rule) == 0

    check()


@given(traces(events=5, sources=1))
@settings(max_examples=50)
def test_without_progress_lines_a_pair_speaks_in_order(trace: tuple[TraceItem, ...]) -> None:
    explicit = {(item.source, item.template) for item in trace if isinstance(item, Progress)}
    for pair in {(item.source, item.template) for item in trace} - explicit:
        times = [item.timestamp for item in trace if (item.source, item.template) == pair]
        assert times == sorted(times)
