"""The law of the project: under every schedule and every arrival that keeps its promises, `sound` finds exactly the
matches of the algebra."""

from __future__ import annotations

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from parte.algebra.partelang.programs import run
from parte.conformance.partelang.strategies import EXTERNAL, ProgramShape, cases, programs, schedules, traces
from parte.semantics.events.conformity import conform
from parte.semantics.events.event import Event, TraceItem
from parte.semantics.events.outcome import EmissionFailure, Outcome
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.capacities import Capacities, NodeCapacities
from parte.semantics.partelang.execution import execute
from parte.semantics.partelang.machine import Step
from parte.semantics.partelang.repairs import SOUND, repair_names
from parte.semantics.partelang.schedules import RoundRobin, Schedule
from parte.semantics.partelang.syntax import core, parse

Case = tuple[core.Program, tuple[TraceItem, ...]]


def printed(outcome: Outcome) -> tuple[list[str], list[EmissionFailure]]:
    return [match.to_json() for match in outcome.matches], list(outcome.failures)


def truth_of(case: Case) -> tuple[list[str], list[EmissionFailure]]:
    program, items = case
    outcome = run(program, conform(program, items))
    return printed(outcome)


def found_by(execution: Outcome) -> tuple[list[str], list[EmissionFailure]]:
    assert execution.blocked is None
    return printed(execution)


@settings(max_examples=100)
@given(cases(), schedules())
def test_sound_finds_the_matches_of_the_algebra(case: Case, schedule: Schedule) -> None:
    truth = truth_of(case)
    event(f"matches: {'some' if truth[0] else 'none'}")
    program, items = case
    scenario = Scenario.of(program, items)
    assert found_by(execute(scenario, schedule=schedule)) == truth


@settings(max_examples=50)
@given(cases(), schedules())
def test_a_machine_that_is_watched_finds_the_same(case: Case, schedule: Schedule) -> None:
    """Plain histories and single steps of PROC and PROP against indexed histories and unbounded runs."""
    program, items = case
    scenario = Scenario.of(program, items)
    steps: list[Step] = []
    watched = execute(scenario, schedule=schedule, recorder=steps.append)
    assert found_by(watched) == truth_of(case)
    assert len(steps) == watched.steps


@settings(max_examples=50)
@given(cases(ProgramShape(patterns=3, rules=1)), schedules())
def test_a_slot_of_one_and_a_large_history_change_nothing(case: Case, schedule: Schedule) -> None:
    program, items = case
    scenario = Scenario.of(program, items)
    roomy = Capacities(NodeCapacities(left=500, right=500, inbox=1, outbox=500))
    assert found_by(execute(scenario, schedule=schedule, capacities=roomy)) == truth_of(case)


@settings(max_examples=50)
@given(cases(), st.integers(0, 9))
def test_promises_may_lag_behind(case: Case, disorder: int) -> None:
    program, items = case
    scenario = Scenario.of(program, items, disorder=disorder)
    assert found_by(execute(scenario)) == truth_of(case)


@settings(max_examples=60)
@given(cases(ProgramShape(patterns=3)), schedules(), st.sets(st.sampled_from(repair_names())))
def test_every_combination_of_repairs_runs(case: Case, schedule: Schedule, off: set[str]) -> None:
    """Right or wrong, every model ends, and finds only matches of rules that are there."""
    program, items = case
    scenario = Scenario.of(program, items)
    execution = execute(scenario, model=SOUND.without(*off), schedule=schedule)
    assert {match.rule for match in execution.matches} <= {rule.name for rule in program.rules}
    if not off & {"slot-per-side", "merge-by-promise"}:
        assert execution.blocked is None, "nothing is bounded"


@settings(max_examples=50)
@given(st.data())
def test_a_disorderly_source_within_its_disorder(data: st.DataObject) -> None:
    """Bounded out-of-orderness: any arrival in which no event is later than `disorder` behind the newest."""
    program = data.draw(programs(ProgramShape(patterns=3, rules=2)))
    disorder = data.draw(st.integers(1, 6))
    items = [item for item in data.draw(traces(program, events=8, sources=1)) if isinstance(item, Event)]
    keyed = [(item.timestamp + data.draw(st.integers(0, disorder)), item) for item in items]
    late = tuple(item for _, item in sorted(keyed, key=lambda pair: pair[0]))
    scenario = Scenario.of(program, late, disorder=disorder)
    assert found_by(execute(scenario)) == truth_of((program, late))


def test_a_template_of_which_nobody_speaks_defeats_nothing() -> None:
    program = parse("template A {} template B {} rule R where a: A, no b: B when no b in a [0 ms, 5 ms] then")
    items = (Event("a1", "A", 0, {}),)
    execution = execute(Scenario.of(program, items))
    assert [match.bindings for match in execution.matches] == [(("a", "a1"),)]


def test_an_event_may_fill_several_patterns_and_defeat_itself() -> None:
    program = parse(
        "template A {} rule Twice where a: A, b: A when b in a [0 ms, 0 ms] then "
        "rule Never where a: A, no b: A when no b in a [0 ms, 0 ms] then"
    )
    execution = execute(Scenario.of(program, (Event("e1", "A", 0, {}),)))
    assert [(match.rule, match.bindings) for match in execution.matches] == [("Twice", (("a", "e1"), ("b", "e1")))]


def test_equal_contents_are_two_occurrences() -> None:
    program = parse("template A {} rule R where a: A, b: A when b in a [0 ms, 0 ms] then")
    items = (Event("e1", "A", 0, {}), Event("e2", "A", 0, {}))
    assert len(execute(Scenario.of(program, items)).matches) == 4


def test_an_emission_beyond_64_bit_time_emits_nothing_and_is_reported() -> None:
    program = parse(
        "template A {} template D {} rule R where a: A then emit D at a.timestamp + 1 ms - 1 ms with {} "
        "rule S where d: D then"
    )
    items = (Event("e1", "A", 2**63 - 1, {}), Event("e2", "A", 0, {}))
    execution = execute(Scenario.of(program, items, disorder=2**63 - 1))
    assert [(match.rule, match.bindings) for match in execution.matches] == [
        ("R", (("a", "e1"),)),
        ("R", (("a", "e2"),)),
        ("S", (("d", "R(a=e2)"),)),
    ]
    assert [(failure.rule, failure.position, failure.bindings) for failure in execution.failures] == [
        ("R", 1, (("a", "e1"),))
    ]


@pytest.mark.parametrize("schedule_seed", range(3))
def test_a_late_reaction_joins_earlier_events(schedule_seed: int) -> None:
    """A negation releases an old partial match late; its emission still meets old events of the next stratum."""
    from parte.semantics.partelang.schedules import SeededRandom

    program = parse(
        "template A {} template B {} template D {} "
        "rule Quiet where a: A, no b: B when no b in a [0 ms, 50 ms] then emit D at a.timestamp - 3 ms with {} "
        "rule Pair where d: D, b: B when b in d [0 ms, 1 ms] then"
    )
    items = (Event("b1", "B", 7, {}), Event("a1", "A", 10, {}), Event("b2", "B", 100, {}), Event("a2", "A", 100, {}))
    for schedule in (RoundRobin(), SeededRandom(schedule_seed)):
        execution = execute(Scenario.of(program, items), schedule=schedule)
        assert [match.to_json() for match in execution.matches] == [m.to_json() for m in run(program, items).matches]
        assert ("Pair", (("d", "Quiet(a=a1)"), ("b", "b1"))) in [(m.rule, m.bindings) for m in execution.matches]


def test_the_strategies_reach_what_they_promise() -> None:
    """Among the drawn cases there are negation, self-joins, two strata, several sources, ties and progress lines."""
    reached: set[str] = set()

    @settings(max_examples=60, database=None)
    @given(cases())
    def look(case: Case) -> None:
        program, items = case
        events = [item for item in items if isinstance(item, Event)]
        for rule in program.rules:
            templates = [pattern.template for pattern in rule.patterns]
            reached.update(["negation"] if any(pattern.negated for pattern in rule.patterns) else [])
            reached.update(["self-join"] if len(set(templates)) < len(templates) else [])
            reached.update(["second stratum"] if program.stratum(rule) else [])
            reached.update(["four patterns"] if len(templates) == 4 else [])
            reached.update(["negative lower bound"] if any(c.begins < 0 for c in rule.constraints) else [])
            reached.update(["positive lower bound"] if any(c.begins > 0 for c in rule.constraints) else [])
        reached.update(["several rules"] if len(program.rules) > 1 else [])
        reached.update(["several sources"] if len({item.source for item in items}) > 1 else [])
        reached.update(["ties"] if len({item.timestamp for item in events}) < len(events) else [])
        reached.update(["progress"] if len(events) < len(items) else [])
        times = [(item.source, item.template, item.timestamp) for item in events]
        for source in {item.source for item in events}:
            for template in EXTERNAL:
                own = [t for s, name, t in times if (s, name) == (source, template)]
                reached.update(["out of order"] if own != sorted(own) else [])

    look()
    assert reached == {
        "negation",
        "self-join",
        "second stratum",
        "four patterns",
        "negative lower bound",
        "positive lower bound",
        "several rules",
        "several sources",
        "ties",
        "progress",
        "out of order",
    }
