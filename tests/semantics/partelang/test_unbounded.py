"""A quick run and a watched one, driven alike: after every arrival they have found the same.

The watched machine, with plain histories and single steps of PROC and PROP, is the model of the quick one.
"""

from __future__ import annotations

import pytest
from hypothesis import event, given, settings

from parte.conformance.partelang.strategies import cases
from parte.experiments.scenarios import SCENARIOS, transfers, uncommon_route
from parte.semantics.events.event import Arrival, Event, Progress, TraceItem
from parte.semantics.events.match import canonical
from parte.semantics.events.outcome import in_order
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.execution import network_of
from parte.semantics.partelang.machine import Machine
from parte.semantics.partelang.schedules import settle
from parte.semantics.partelang.streaming import stored
from parte.semantics.partelang.syntax import core, parse
from parte.semantics.partelang.unbounded import PATIENCE


def results_of(machine: Machine) -> tuple[object, ...]:
    """All that a run has shown the world so far."""
    return canonical(machine.matches), in_order(machine.failures), machine.finished


@settings(max_examples=50)
@given(cases())
def test_a_quick_run_keeps_up_with_a_watched_one(case: tuple[core.Program, tuple[TraceItem, ...]]) -> None:
    program, items = case
    scenario = Scenario.of(program, items)
    network = network_of(scenario)
    quick, watched = Machine(network), Machine(network, recorder=lambda _: None)
    assert quick.unbounded is not None
    assert watched.unbounded is None
    for _ in range(2):
        settle_all(quick, watched, scenario.arrivals)
        assert quick.steps_taken <= watched.steps_taken, "bounds that nobody reads take no steps"
        event(f"matches: {'some' if quick.matches else 'none'}")
        quick.reset()
        watched.reset()


@settings(max_examples=50)
@given(cases())
def test_a_quick_run_without_patience_stores_what_a_watched_one_does(
    case: tuple[core.Program, tuple[TraceItem, ...]],
) -> None:
    program, items = case
    scenario = Scenario.of(program, items)
    network = network_of(scenario)
    quick, watched = Machine(network), Machine(network, recorder=lambda _: None)
    assert quick.unbounded is not None
    quick.unbounded.patience = 1
    for arrival in scenario.arrivals:
        settle_all(quick, watched, (arrival,))
        assert stored(quick) == stored(watched)
        event(f"stored: {'some' if any(stored(quick).values()) else 'none'}")


def test_a_bound_that_waits_does_not_undo_a_later_one() -> None:
    """A promise about A comes to both sides of a not-node: from the left goes a bound, from the right an event."""
    program = parse("""
        template A {} template C {} template D {}
        rule R where a: A, no b: A when no b in a [1 ms, 5 ms] then emit C at a.timestamp with {}
        rule S where d: D, no c: C when no c in d [1 ms, 2 ms] then
    """)
    items = (Event("a", "A", 0, {}), Progress("default", "A", 10), Event("d", "D", 3, {}), Progress("default", "D", 4))
    scenario = Scenario.of(program, items)
    network = network_of(scenario)
    settle_all(Machine(network), Machine(network, recorder=lambda _: None), scenario.arrivals)


def test_after_a_reset_a_quick_run_takes_the_same_steps() -> None:
    program = parse("template A {} rule R where a: A, b: A when b in a [1 ms, 3 ms] then")
    scenario = Scenario.of(program, [Event(f"e{time}", "A", time, {}) for time in range(PATIENCE + PATIENCE // 2)])
    machine = Machine(network_of(scenario))
    steps = []
    for _ in range(3):
        for arrival in scenario.arrivals:
            settle(machine, (machine.feed(arrival),))
        steps.append(machine.steps_taken)
        machine.reset()
    assert len(set(steps)) == 1


def test_a_quick_run_that_an_exception_has_ended_does_not_go_on() -> None:
    """It would find some matches twice, and others not."""
    program = parse("""
        template A { k: Integer } predicate good(Integer)
        rule R where a: A { good(k) } then
        rule S where a: A then
    """)

    def good(k: int) -> bool:
        if k == 0:
            raise KeyError(k)
        return True

    scenario = Scenario.of(program, [Event(f"e{k}", "A", k, {"k": k}) for k in range(2)], {"good": good})
    machine = Machine(network_of(scenario))
    first, second = (machine.feed(arrival) for arrival in scenario.arrivals[:2])
    with pytest.raises(KeyError):
        settle(machine, (first,))
    with pytest.raises(RuntimeError, match="midway"):
        settle(machine, (second,))
    with pytest.raises(ValueError, match="cannot be reset"):
        machine.reset()


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_patience_costs_few_entries(scenario: str) -> None:
    """What a quick run holds, on its way through a long trace, is what a watched one does and some arrivals more."""
    events = transfers(600, 30, days=300)
    of_transfers = Scenario.of(parse(SCENARIOS[scenario]), events, {"uncommon_route": uncommon_route})
    network = network_of(of_transfers)
    quick, watched = Machine(network), Machine(network, recorder=lambda _: None)
    extra = 0
    for number, arrival in enumerate(of_transfers.arrivals):
        settle_all(quick, watched, (arrival,))
        beyond = {name: count - stored(watched)[name] for name, count in stored(quick).items()}
        assert min(beyond.values()) >= 0
        assert number < PATIENCE or max(beyond.values()) <= PATIENCE
        extra = max(extra, *beyond.values())
    assert extra, "no entry was kept beyond its time, so that this test says nothing"


def settle_all(quick: Machine, watched: Machine, arrivals: tuple[Arrival, ...]) -> None:
    """Feed both, one arrival after the other, and compare."""
    for machine in (quick, watched):
        settle(machine, range(len(machine.queues)))
    for arrival in arrivals:
        for machine in (quick, watched):
            settle(machine, (machine.feed(arrival),))
        assert results_of(quick) == results_of(watched)
    assert quick.finished
