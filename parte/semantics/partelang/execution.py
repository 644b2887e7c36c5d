"""Run a program on a trace with a machine, from the first arrival to the last token."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from parte.semantics.events.event import Arrival
from parte.semantics.events.match import canonical
from parte.semantics.events.outcome import Outcome, in_order
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.blocking import diagnose
from parte.semantics.partelang.capacities import UNBOUNDED, Capacities
from parte.semantics.partelang.compilation import compile_program
from parte.semantics.partelang.failures.machine import FailingMachine
from parte.semantics.partelang.failures.schedules import Crashing
from parte.semantics.partelang.machine import Machine, Step
from parte.semantics.partelang.network import Network
from parte.semantics.partelang.repairs import SOUND, family_of
from parte.semantics.partelang.schedules import RoundRobin, Schedule
from parte.semantics.partelang.sharing import shared
from parte.semantics.partelang.syntax import core
from parte.semantics.rulebook.models import Model
from parte.semantics.source.collection import paused_collection


def sources_of(arrivals: Iterable[Arrival]) -> dict[str, tuple[str, ...]]:
    """Return the sources of each template, in the order of their first arrivals."""
    sources: dict[str, dict[str, None]] = {}
    for arrival in arrivals:
        sources.setdefault(arrival.template, {})[arrival.source] = None
    return {template: tuple(names) for template, names in sources.items()}


def network_of(scenario: Scenario[core.Program], model: Model = SOUND, *, reuse: bool = False) -> Network:
    """Return the network of a scenario for a model. MissingPredicate if a declared predicate is not supplied."""
    sources = sources_of(scenario.arrivals)
    return compile_program(scenario.program, scenario.predicates, sources, family_of(model), reuse=reuse)


def execute(
    scenario: Scenario[core.Program],
    *,
    model: Model = SOUND,
    schedule: Schedule | None = None,
    capacities: Capacities = UNBOUNDED,
    recorder: Callable[[Step], None] | None = None,
    staging: bool = False,
) -> Outcome:
    """Run a machine until no step is possible.

    With `staging`, a quick run by round-robin uses the functions of `staged`; the results are the same.
    Raise CapacitiesError if capacities name a node that does not exist, MissingPredicate like `network_of`.
    """
    staging = staging and isinstance(schedule or RoundRobin(), RoundRobin) and recorder is None
    with paused_collection():
        reuse = staging and may_be_staged(model, capacities)
        network = network_of(scenario, model, reuse=reuse and not capacities.nodes)  # nodes that are named stay
        capacities.check(node.name for node in network.nodes)
        if reuse:
            network = shared(network)
        outcome = run_network(network, scenario.arrivals, model, schedule, capacities, recorder, staging=staging)
        del network  # before the collector would look at all of it
    return outcome


def may_be_staged(model: Model, capacities: Capacities) -> bool:
    """Return whether a machine may run unbounded, so that its network may be `shared` and its nodes staged."""
    return model.repairs == SOUND.repairs and capacities.unbounded


def run_network(
    network: Network,
    arrivals: Sequence[Arrival],
    model: Model,
    schedule: Schedule | None = None,
    capacities: Capacities = UNBOUNDED,
    recorder: Callable[[Step], None] | None = None,
    *,
    staging: bool = False,
) -> Outcome:
    """Do the same as `execute` with a compiled network, which may run again.

    Raise ValueError for a schedule with crashes and a model that cannot crash.
    """
    chosen = schedule or RoundRobin()
    if isinstance(chosen, Crashing):
        machine: Machine = FailingMachine(network, model, capacities, recorder, period=chosen.period)
    else:
        machine = Machine(network, model, capacities, recorder, staging=staging and isinstance(chosen, RoundRobin))
    with paused_collection():
        chosen.drive(machine, arrivals)
    outcome = outcome_of(machine)
    machine.release()
    return outcome


def outcome_of(machine: Machine) -> Outcome:
    """Return the outcome of a machine that has stopped."""
    matches = tuple(canonical(machine.matches))
    return Outcome(
        matches,
        in_order(machine.failures),
        machine.steps_taken,
        diagnose(machine),
        in_order(machine.undecided.suppressed),
    )
