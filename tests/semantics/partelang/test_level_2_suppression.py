"""Suppression of level 2 (specification: suppression): evaluators agree under every schedule, sizes are enough."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from parte.algebra.partelang.incremental.evaluation import check
from parte.algebra.partelang.programs import run
from parte.algebra.partelang.relational import Unsupported, duckdb
from parte.checker.environment.deployment import read_deployment
from parte.checker.partelang.bounds.bounds import bounds
from parte.conformance.fuzz.draw import seeded
from parte.conformance.partelang.comparison import compare
from parte.conformance.partelang.drawing import (
    ProgramShape,
    TraceShape,
    drawn_program,
    drawn_schedule,
    drawn_trace,
)
from parte.conformance.partelang.engines.rocq import manifest
from parte.conformance.partelang.mutants.space import measured_supplies
from parte.conformance.partelang.strategies import programs
from parte.conformance.partelang.why import UnknownBinding, why
from parte.drawing.stepper.recording import record
from parte.proofs.partelang.exploration.explore import explore
from parte.semantics.events.event import Event, TraceItem
from parte.semantics.events.outcome import Outcome
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.execution import execute, network_of
from parte.semantics.partelang.machine import Machine
from parte.semantics.partelang.repairs import PUBLISHED, RUDIMENTARY, SOUND
from parte.semantics.partelang.retention import retention
from parte.semantics.partelang.rules.figures import by_figure
from parte.semantics.partelang.rules.registry import OUR_RULES, rule_called
from parte.semantics.partelang.schedules import RoundRobin, SeededRandom
from parte.semantics.partelang.sizes import Rate, prescribed_capacities, viable_capacities
from parte.semantics.partelang.syntax import core, parse
from parte.semantics.partelang.syntax.constructs import Construct, undeclared
from parte.semantics.partelang.syntax.json_form import program_from_json, program_to_json
from parte.semantics.partelang.syntax.printer import print_program
from parte.semantics.rulebook.running import UnsupportedRun
from parte.semantics.source.diagnostics import ProgramError

SHAPE = ProgramShape(level=2, conditions=False)
TRACES = TraceShape(events=12, latest=10, templates=("A", "B"))
"""Rules without conditions match often, and traces have many ties, so that much is suppressed."""
Case = tuple[core.Program, tuple[TraceItem, ...]]


def drawn(seed: int, shape: ProgramShape = SHAPE) -> Case:
    draw = seeded(seed)
    program = drawn_program(draw, shape)
    return program, drawn_trace(draw, program, TRACES)


def printed(outcome: Outcome) -> tuple[list[str], list[str], list[tuple[dict[str, object], str]]]:
    return (
        [match.to_json() for match in outcome.matches],
        [str(failure) for failure in outcome.failures],
        [(suppressed.record(), suppressed.event) for suppressed in outcome.suppressed],
    )


seeds = st.integers(0, 2**32)


@settings(max_examples=60)
@given(seeds)
def test_all_evaluators_agree(seed: int) -> None:
    program, items = drawn(seed)
    truth = run(program, items)
    event(f"suppressed: {'some' if truth.suppressed else 'none'}")
    assert printed(run(program, items, evaluator="indexed")) == printed(truth)
    schedule = drawn_schedule(seeded(seed))
    assert printed(execute(Scenario.of(program, items), schedule=schedule)) == printed(truth)
    assert printed(execute(Scenario.of(program, items))) == printed(truth)
    assert printed(duckdb.run(program, items)) == printed(truth)


@settings(max_examples=50)
@given(seeds)
def test_sizes_are_enough(seed: int) -> None:
    program, items = drawn(seed, replace(SHAPE, sets=False))
    scenario = Scenario.of(program, items)
    network = network_of(scenario)
    needed = retention(network, measured_supplies(scenario.arrivals))
    try:
        capacities = viable_capacities(needed.needs, needed.suppressions)
    except ValueError:
        event("no finite size is enough")
        return
    for schedule in (RoundRobin(), SeededRandom(seed), drawn_schedule(seeded(seed))):
        outcome = execute(scenario, schedule=schedule, capacities=capacities)
        assert outcome.blocked is None
        assert printed(outcome) == printed(run(program, items))


@settings(max_examples=80)
@given(programs(ProgramShape(level=2)))
def test_programs_keep_their_meaning_as_text_and_as_json(program: core.Program) -> None:
    event(f"once: {any(emission.once is not None for rule in program.rules for emission in rule.emissions)}")
    again = parse(print_program(program.source))
    assert again == program
    assert again.source == program.source
    assert program_from_json(json.loads(json.dumps(program_to_json(program)))) == program


# --- The meaning ------------------------------------------------------------------------------------------------------

HEAD = "level 2\ntemplate A { k : Integer, x : Float, s : String, l : [Integer; 3] }\n"
HEAD += "template D { k : Integer, x : Float, s : String, l : [Integer; 3] }\n"
VALUES = "with { k = a.k, x = a.x, s = a.s, l = a.l }"


def once(text: str) -> core.Program:
    return parse(f"{HEAD}rule R where a : A then emit D at a.timestamp {VALUES} {text}\n")


def a(identity: str, timestamp: int, k: int = 0, x: float = 0.0, s: str = "") -> Event:
    return Event(identity, "A", timestamp, {"k": k, "x": x, "s": s, "l": ()}, "s1")


def passing(program: core.Program, events: Sequence[Event]) -> list[str]:
    """The ids of the events of A whose event of D passes, in order of time; all evaluators agree on them."""
    events = [replace(event, source=event.id) for event in events]  # so that they may arrive in any order
    outcomes = [
        run(program, events),
        run(program, events, evaluator="indexed"),
        execute(Scenario.of(program, events)),
        execute(Scenario.of(program, events), schedule=SeededRandom(7)),
        duckdb.run(program, events),
    ]
    assert len({repr(printed(outcome)) for outcome in outcomes}) == 1
    emitted = [event for match in outcomes[0].matches for event in match.emits]
    assert len(outcomes[0].matches) == len(events)
    assert len(emitted) + len(outcomes[0].suppressed) + len(outcomes[0].failures) == len(events)
    return [event.id[4:-1] for event in sorted(emitted, key=lambda event: (event.timestamp, event.id))]


@pytest.mark.parametrize(
    ("text", "events", "expected"),
    [
        ("once in 1 ms", [a("e1", 0), a("e2", 0), a("e3", 1)], ["e1", "e3"]),
        ("once in 2 ms", [a("e1", 0), a("e2", 1), a("e3", 2), a("e4", 3)], ["e1", "e3"]),
        ("once in 2 ms", [a("e1", 1), a("e2", 0), a("e3", 3)], ["e2", "e3"]),  # order of time, not of arrival
        ("once in 2 ms", [a("e2", 0), a("e10", 0), a("é", 0), a("E", 0)], ["E"]),  # ties by code point
        ("once in 3 ms", [a("e1", 0), a("e2", 2), a("e3", 4)], ["e1", "e3"]),  # not 3 ms after the last suppressed one
        ("once per (k) in 5 ms", [a("e1", 0, 1), a("e2", 1, 2), a("e3", 2, 1), a("e4", 5, 1)], ["e1", "e2", "e4"]),
        ("once per (x) in 5 ms", [a("e1", 0, x=0.0), a("e2", 1, x=-0.0), a("e3", 2, x=0.5)], ["e1", "e3"]),
        ("once per (k, s) in 5 ms", [a("e1", 0, 1, s="b"), a("e2", 1, 1, s=""), a("e3", 2, 1, s="b")], ["e1", "e2"]),
        (
            "once in 9223372036854775807 ms",
            [a("e1", -(2**63)), a("e2", -2), a("e3", -1), a("e4", 2**63 - 3)],
            ["e1", "e3"],
        ),
        ("once in 9223372036854775807 ms", [a("e1", 2**63 - 2), a("e2", 2**63 - 1)], ["e1"]),
        ("once in 1 ms", [], []),
        ("", [a("e1", 0), a("e2", 0)], ["e1", "e2"]),
    ],
)
def test_the_events_that_pass(text: str, events: Sequence[Event], expected: list[str]) -> None:
    assert passing(once(text), events) == expected


def test_an_emission_without_a_value_takes_no_part() -> None:
    text = f"{HEAD}rule R where a : A then emit D at a.timestamp {VALUES.replace('a.k', 'a.k + 1')} once in 9 ms\n"
    events = [a("e1", 0, 2**63 - 1), a("e2", 1, 1), a("e3", 2, 1)]
    assert passing(parse(text), events) == ["e2"]
    outcome = run(parse(text), events)
    assert [dict(lost.bindings)["a"] for lost in outcome.failures] == ["e1"]
    assert [(dict(lost.bindings)["a"], lost.passed) for lost in outcome.suppressed] == [("e3", "R(a=e2)")]


def test_emissions_and_rules_are_suppressed_each_by_itself() -> None:
    emission = f"emit D at a.timestamp {VALUES}"
    program = parse(
        f"{HEAD}rule R where a : A then {emission} once in 9 ms {emission} {emission} once in 2 ms\n"
        f"rule S where a : A then {emission} once in 9 ms\n"
    )
    events = [a("e1", 0), a("e2", 1), a("e3", 2)]
    for outcome in (run(program, events), execute(Scenario.of(program, events)), duckdb.run(program, events)):
        emitted = {event.id for match in outcome.matches for event in match.emits}
        assert emitted == {
            *("R#1(a=e1)", "R#2(a=e1)", "R#3(a=e1)", "R#2(a=e2)", "R#2(a=e3)", "R#3(a=e3)", "S(a=e1)"),
        }


def test_what_is_suppressed_is_not_in_the_stream() -> None:
    program = parse(
        f"{HEAD}rule R where a : A then emit D at a.timestamp {VALUES} once per (k) in 5 ms\n"
        "rule S where d : D, no a : A { k = d.k } when no a in d [1 ms, 2 ms]\n"
    )
    events = [a("e1", 0, 1), a("e2", 1, 1), a("e4", 3, 2), a("e5", 4, 2), a("e3", 9, 1)]
    for outcome in (run(program, events), execute(Scenario.of(program, events)), duckdb.run(program, events)):
        assert [dict(match.bindings)["d"] for match in outcome.matches if match.rule == "S"] == ["R(a=e3)"]


# --- The machine ------------------------------------------------------------------------------------------------------

PROGRAM = once("once per (k) in 3 ms")
EVENTS = (a("e1", 0, 1), a("e2", 1, 1), a("e3", 1, 2), a("e4", 3, 1))


def test_a_match_is_reported_when_its_event_is_decided() -> None:
    machine = Machine(network_of(Scenario.of(PROGRAM, EVENTS)))
    reported: list[list[str]] = []
    for arrival in Scenario.of(PROGRAM, EVENTS).arrivals:
        RoundRobin().drive(machine, [arrival])
        reported.append([match.bindings[0][1] for match in machine.matches])
    # An event waits until one with a greater timestamp comes: before that, one with a lesser id may come.
    assert [ids for ids, _ in groupby(reported)] == [
        [],
        ["e1"],
        ["e1", "e2", "e3"],
        ["e1", "e2", "e3", "e4"],
    ]
    assert len(machine.undecided) == 0
    assert machine.finished


def test_an_event_that_waits_may_be_suppressed_by_a_later_arrival() -> None:
    events = (a("e2", 0, 1), a("e1", 0, 1), a("e3", 2, 1))
    outcome = execute(Scenario.of(PROGRAM, events))
    assert [(dict(lost.bindings)["a"], lost.passed) for lost in outcome.suppressed] == [
        ("e2", "R(a=e1)"),
        ("e3", "R(a=e1)"),
    ]


def test_every_schedule_gives_one_result() -> None:
    chained = parse(
        f"{HEAD}template E {{ }}\nrule R where a : A then emit D at a.timestamp {VALUES} once in 2 ms\n"
        "rule S where d : D then emit E at d.timestamp once in 3 ms\n"
    )
    events = (a("e1", 0), replace(a("e2", 1), source="s2"), replace(a("e3", 2), source="s2"))
    scenario = Scenario.of(chained, events)
    exploration = explore(scenario)
    assert not exploration.truncated
    (outcome,) = [retraced.outcome for retraced in exploration.outcomes]
    assert exploration.blocked is None
    assert printed(outcome) == printed(run(chained, events))
    assert outcome.suppressed


def test_published_suppresses_too_and_rudimentary_rejects() -> None:
    scenario = Scenario.of(PROGRAM, EVENTS)
    assert printed(execute(scenario, model=PUBLISHED)) == printed(run(PROGRAM, EVENTS))
    with pytest.raises(UnsupportedRun, match="rule R has `once`"):
        execute(scenario, model=RUDIMENTARY)


def test_a_machine_that_is_reset_forgets_what_has_passed() -> None:
    scenario = Scenario.of(PROGRAM, EVENTS)
    machine = Machine(network_of(scenario))
    RoundRobin().drive(machine, scenario.arrivals)
    first = [*machine.matches], [*machine.undecided.suppressed]
    machine.reset()
    RoundRobin().drive(machine, scenario.arrivals)
    assert ([*machine.matches], [*machine.undecided.suppressed]) == first


def test_the_rules_have_figures_and_the_stepper_evaluates_them() -> None:
    assert set(OUR_RULES) == {"PARTE/ONCE", "PARTE/ONCE-BOTTOM"}
    for info in OUR_RULES.values():
        assert rule_called(info.id) is info
        assert all(figure.premises for _, figure in by_figure(info))
    recording = record(Scenario.of(PROGRAM, EVENTS))
    assert {"PARTE/ONCE", "PARTE/ONCE-BOTTOM"} <= {info.id for info in recording.rules}
    assert "R(a=e2) is suppressed by R(a=e1)" in json.dumps(recording.tables, ensure_ascii=False, default=str)


def test_compare_agrees() -> None:
    assert compare(Scenario.of(PROGRAM, EVENTS), schedules=5).difference is None


# --- Sizes ------------------------------------------------------------------------------------------------------------

DEPLOYMENT = '[[source]]\nname = "s"\nlate = "5 ms"\nemits = [{ template = "A", at_most = 3, per = "2 ms" }]\n'


def test_a_deployment_reports_what_waits() -> None:
    report = bounds(PROGRAM, read_deployment(DEPLOYMENT))
    assert report.bounded
    # Events of the last 5 ms may still have an earlier one.
    assert report.size("production:R#1", "waiting").viable == 9
    assert report.size("production:R#1", "passed").viable == 6
    assert report.size("production:R#1", "outbox").viable == 10
    assert "production:R#1 waiting" in report.render()
    assert report.capacities().of("production:R#1").outbox == 10


def test_d_prescribes_no_size() -> None:
    network = network_of(Scenario.of(PROGRAM, EVENTS), PUBLISHED)
    with pytest.raises(ValueError, match="no size is prescribed for production:R#1"):
        prescribed_capacities(network, {("s1", "A"): Rate(1, 1)}, PUBLISHED)
    assert prescribed_capacities(network, {("s1", "A"): Rate(1, 1)}, SOUND).of("production:R#1").outbox is not None


# --- Other readers of programs ----------------------------------------------------------------------------------------


def test_why_names_the_event_that_passed() -> None:
    answer = why(Scenario.of(PROGRAM, EVENTS), "R", {"a": "e2"})
    assert "emission 1 is suppressed: R(a=e1) passed before it" in answer.render()
    assert json.loads(answer.to_json())["suppressed"][0]["passed"] == "R(a=e1)"
    assert "suppressed" not in json.loads(why(Scenario.of(PROGRAM, EVENTS), "R", {"a": "e1"}).to_json())
    chained = parse(f"{print_program(PROGRAM.source)}\nrule S where d : D\n")
    with pytest.raises(UnknownBinding, match=r"S does not see R\(a=e2\).*R\(a=e1\) passed before it"):
        why(Scenario.of(chained, EVENTS), "S", {"d": "R(a=e2)"})


def test_tools_without_suppression_refuse_by_name() -> None:
    assert [construct for construct, _ in undeclared(PROGRAM, manifest.DECLARED)] == [Construct.SUPPRESSION]
    with pytest.raises(Unsupported, match="rule R has `once`"):
        check(PROGRAM, {})


# --- Reading ----------------------------------------------------------------------------------------------------------


def codes(text: str) -> Iterable[str]:
    with pytest.raises(ProgramError) as error:
        once(text)
    return [diagnostic.code for diagnostic in error.value.diagnostics]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("once per (kk) in 1 hour", ["unknown-attribute"]),
        ("once per (k, k, l) in 1 hour", ["invalid-key", "invalid-key"]),
        ("once in 0 ms", ["suppression-too-short"]),
        ("once in -1 days", ["suppression-too-short"]),
        ("once in 99999999999999999999 days", ["duration-out-of-range"]),
        ("once", ["syntax-error"]),
        ("once per () in 1 hour", ["syntax-error"]),
        ("once per k in 1 hour", ["syntax-error"]),
        ("once in 1 hour once in 1 hour", ["syntax-error"]),
        ("per (k) in 1 hour", ["syntax-error"]),
    ],
)
def test_errors(text: str, expected: list[str]) -> None:
    assert codes(text) == expected


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("once per (k,) in 60 minutes", "once per (k) in 60 minutes"),
        ("once in 1 hours", "once in 1 hour"),
        ("once per (s, x, k)\n in 2 ms // end", "once per (s, x, k) in 2 ms  // end"),
    ],
)
def test_layout(text: str, printed: str) -> None:
    again = print_program(once(text).source)
    assert again.endswith(f"        }}\n        {printed}\n")
    assert print_program(parse(again).source) == again


def test_level_1_says_what_it_needs() -> None:
    with pytest.raises(ProgramError) as error:
        parse(f"{HEAD}rule R where a : A then emit D at a.timestamp {VALUES} once in 1 ms\n".removeprefix("level 2\n"))
    assert [diagnostic.code for diagnostic in error.value.diagnostics] == ["needs-level-2"]


def test_once_and_per_are_names_elsewhere() -> None:
    text = (
        "template once { once : Integer, per : Integer, type : Integer, in : Integer }\n"
        "template per { once : Integer, per : Integer, type : Integer, in : Integer }\n"
        "rule once where once : once { once = 1 per = 2, once.per = once once = 3 }\n"
        "then emit per at once.timestamp with { once = once.once per = once.per, type = 1, in = 2 }"
    )
    assert parse(text).level == 1
    program = parse(f"level 2\n{text} once per (once, per, type, in) in 1 hour\nrule per where per : per\n")
    assert program.rules[0].emissions[0].once == core.Suppression(("once", "per", "type", "in"), 3_600_000)
