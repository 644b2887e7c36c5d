"""A quick run and a watched one, driven alike: after every arrival they have found the same.

The watched machine, with plain histories and single steps of PROC and PROP, is the model of the quick one.
"""

from __future__ import annotations

from hypothesis import event, given, settings

from parte.conformance.parte.strategies import cases
from parte.semantics.events.event import Arrival, TraceItem
from parte.semantics.events.match import canonical
from parte.semantics.events.outcome import in_order
from parte.semantics.events.scenario import Scenario
from parte.semantics.parte.execution import network_of
from parte.semantics.parte.machine import Machine
from parte.semantics.parte.schedules import settle
from parte.semantics.parte.syntax import core


def found(machine: Machine) -> tuple[object, ...]:
    """All that a run has shown the world so far."""
    return canonical(machine.matches), in_order(machine.failures), machine.finished


@settings(max_examples=100)
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
        event(f"matches: {'some' if quick.matches else 'none'}")
        quick.reset()
        watched.reset()


def settle_all(quick: Machine, watched: Machine, arrivals: tuple[Arrival, ...]) -> None:
    """Feed both, one arrival after the other, and compare."""
    for machine in (quick, watched):
        settle(machine, range(len(machine.queues)))
    for arrival in arrivals:
        for machine in (quick, watched):
            settle(machine, (machine.feed(arrival),))
        assert found(quick) == found(watched)
        assert quick.steps_taken <= watched.steps_taken, "bounds that nobody reads take no steps"
    assert quick.finished
