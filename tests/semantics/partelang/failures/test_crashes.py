"""Nodes that crash and recover: the results are those of a run without crashes."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parte.conformance.partelang.strategies import ProgramShape, cases
from parte.semantics.events.event import Event, TraceItem
from parte.semantics.events.promises import arrivals
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.capacities import UNBOUNDED, Capacities, NodeCapacities
from parte.semantics.partelang.compilation import compile_program
from parte.semantics.partelang.execution import execute, outcome_of, sources_of
from parte.semantics.partelang.failures.durable import Received, Stepped
from parte.semantics.partelang.failures.machine import FAILURE_RULES, FailingMachine, Fault, FaultKind
from parte.semantics.partelang.failures.schedules import Crashing
from parte.semantics.partelang.machine import Machine
from parte.semantics.partelang.repairs import PUBLISHED
from parte.semantics.partelang.schedules import RoundRobin
from parte.semantics.partelang.syntax import core, parse
from parte.semantics.rulebook.registry import Rule

Case = tuple[core.Program, tuple[TraceItem, ...]]
PAIR = parse("template A {} template B {} rule R where a: A, b: B when b in a [0 ms, 3 ms] then")
ITEMS = (Event("a1", "A", 0, {}), Event("b1", "B", 1, {}), Event("a2", "A", 2, {}), Event("b2", "B", 9, {}))
TIGHT = Capacities(NodeCapacities(inbox=1))


def failing(
    case: Case, capacities: Capacities = UNBOUNDED, crashes: int | None = None, period: int | None = None
) -> FailingMachine:
    program, items = case
    fed = arrivals(items)
    network = compile_program(program, {}, sources_of(fed))
    return FailingMachine(network, capacities=capacities, crashes=crashes, period=period)


# --- Results ----------------------------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(
    st.sampled_from((1, 2)).flatmap(lambda level: cases(ProgramShape(level=level))),
    st.integers(0, 2**32),
    st.sampled_from((0.02, 0.1, 0.2)),
    st.sampled_from((None, 1, 2, 7)),
    st.sampled_from((UNBOUNDED, TIGHT)),
)
def test_crashes_change_no_result(
    case: Case, seed: int, rate: float, period: int | None, capacities: Capacities
) -> None:
    """The matches of the algebra, each once; and what emissions have no value, and which ones are suppressed."""
    machine = failing(case, capacities, period=period)
    Crashing(rate, seed).drive(machine, arrivals(case[1]))
    outcome = outcome_of(machine)
    expected = execute(Scenario.of(*case))
    assert machine.finished
    assert outcome.matches == expected.matches
    assert (outcome.failures, outcome.suppressed) == (expected.failures, expected.suppressed)


@settings(max_examples=12)
@given(cases(), st.integers(0, 2**32), st.sampled_from((None, 1, 3)))
def test_a_node_recovers_what_it_had(case: Case, seed: int, period: int | None) -> None:
    """At every moment a replay is the memory, less the tokens that nobody receives."""
    machine = failing(case, TIGHT, period=period)
    for arrival in arrivals(case[1]):
        machine.feed(arrival)
    draw = Random(seed)
    while True:
        for index, successors in enumerate(machine.network.successors):
            if successors:
                assert machine.recovered(index) == machine.memory(index)
        candidates = machine.acts()
        if not any(machine.take(action) for action in draw.sample(candidates, len(candidates))):
            return


def test_a_machine_that_does_not_crash_takes_the_steps_of_the_plain_one() -> None:
    fed = arrivals(ITEMS)
    plain = Machine(compile_program(PAIR, {}, sources_of(fed)), recorder=lambda _: None)
    machine = failing((PAIR, ITEMS))
    for either in (plain, machine):
        RoundRobin().drive(either, fed)
    assert (machine.matches, machine.steps) == (plain.matches, plain.steps)
    assert not machine.take(Fault(FaultKind.CHECKPOINT, 0)), "there is no period"


def test_a_schedule_with_crashes_takes_each_rule() -> None:
    schedule = Crashing(0.1, 3)
    machine = failing((PAIR, ITEMS), period=2)
    schedule.drive(machine, arrivals(ITEMS))
    assert len(machine.matches) == 1
    assert set(schedule.counts) == {"arrive", "proc", "prop", "crash", "restore", "checkpoint"}
    assert schedule.counts["crash"] == schedule.counts["restore"] > 0


def test_a_seed_draws_the_same_steps() -> None:
    counts: list[Counter[str]] = []
    for _ in range(2):
        schedule = Crashing(0.1, 5)
        schedule.drive(failing((PAIR, ITEMS), period=2), arrivals(ITEMS))
        counts.append(schedule.counts)
    assert counts[0] == counts[1]


# --- Premises ---------------------------------------------------------------------------------------------------------


def test_a_node_that_is_down_takes_no_step() -> None:
    machine = failing((PAIR, ITEMS), crashes=1)
    for arrival in arrivals(ITEMS):
        machine.feed(arrival)
    entry = machine.network.index("entry:A")
    queue = next(index for index, queue in enumerate(machine.queues) if queue.name == "A from default")
    assert not machine.restore(entry), "it is up"
    assert machine.crash(entry)
    assert not machine.crash(entry), "it is down"
    assert not machine.arrive(queue)
    assert machine.restore(entry)
    assert not machine.crash(entry), "the rate allows one crash"
    assert machine.arrive(queue)
    assert machine.proc(entry, 0)
    assert [type(logged) for logged in machine.durable[entry].log] == [Received, Stepped]


def test_a_token_stays_while_a_successor_is_down() -> None:
    machine = failing((PAIR, ITEMS))
    for arrival in arrivals(ITEMS):
        machine.feed(arrival)
    entry, alpha = machine.network.index("entry:A"), machine.network.index("alpha:R.a")
    machine.arrive(next(index for index, queue in enumerate(machine.queues) if queue.name == "A from default"))
    machine.proc(entry, 0)
    machine.crash(alpha)
    assert not machine.prop(entry)
    machine.crash(entry)
    machine.restore(alpha)
    machine.restore(entry)
    assert machine.prop(entry)
    machine.crash(entry)
    machine.restore(entry)
    assert not machine.nodes[entry].outbox, "the alpha node has received it"


def test_a_checkpoint_is_due_after_a_period() -> None:
    machine = failing((PAIR, ITEMS), period=2)
    for arrival in arrivals(ITEMS):
        machine.feed(arrival)
    entry = machine.network.index("entry:A")
    queue = next(index for index, queue in enumerate(machine.queues) if queue.name == "A from default")
    for step in range(2):
        assert not machine.checkpoint(entry), f"it took {step} steps"
        machine.arrive(queue)
        machine.proc(entry, 0)
    assert Fault(FaultKind.CHECKPOINT, entry) in machine.acts()
    assert machine.checkpoint(entry)
    assert machine.durable[entry].log == ()
    assert machine.durable[entry].checkpoint == machine.memory(entry)


def test_a_model_without_slots_cannot_crash() -> None:
    network = compile_program(PAIR, {}, {"A": ("s",), "B": ("s",)})
    with pytest.raises(ValueError, match="published cannot crash: its inboxes have no slots; use the model sound"):
        FailingMachine(network, PUBLISHED)


@pytest.mark.parametrize("rate", [-0.1, 1.0])
def test_a_rate_at_which_no_step_is_taken_is_an_error(rate: float) -> None:
    with pytest.raises(ValueError, match="from 0 to less than 1"):
        Crashing(rate)


def test_only_a_failing_machine_crashes() -> None:
    with pytest.raises(ValueError, match="a machine that can crash"):
        Crashing(0.1).drive(Machine(compile_program(PAIR, {}, {})), ())


# --- Rules and specification ------------------------------------------------------------------------------------------


def test_the_specification_names_the_rules() -> None:
    text = (Path(__file__).parents[4] / "docs/specification/failures.md").read_text(encoding="utf-8")
    plain = {"PARTE/PROC", "PARTE/PROP"}
    assert set(re.findall("`(PARTE/[A-Z-]*[A-Z])`", text)) - plain == set(FAILURE_RULES)


@pytest.mark.parametrize("info", FAILURE_RULES.values(), ids=lambda info: str(info.id))
def test_a_rule_states_its_premises(info: Rule) -> None:
    assert "Premises: " in (info.function.__doc__ or "")
    assert info.function.__name__.replace("_", "-").upper() in info.id
