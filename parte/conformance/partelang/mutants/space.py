"""The capacities of a machine for a trace: what `sound` needs for the rates of that trace."""

from __future__ import annotations

from collections.abc import Sequence

from parte.semantics.events.event import Arrival
from parte.semantics.events.rates import Rate, Supply
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.capacities import Capacities, NodeCapacities
from parte.semantics.partelang.execution import network_of
from parte.semantics.partelang.repairs import Repairs
from parte.semantics.partelang.retention import NodeNeed, OnceNeed, retention
from parte.semantics.partelang.sizes import prescribed
from parte.semantics.partelang.syntax import core
from parte.semantics.rulebook.models import Model

ENOUGH = 2**62
"""More tokens than any run has: a limit that makes a machine take every step by itself, and never binds."""


def no_sizes(*_: object) -> Capacities:
    """Return capacities that never bind."""
    return Capacities(NodeCapacities(inbox=ENOUGH))


def measured_sizes(scenario: Scenario[core.Program], model: Model) -> Capacities:
    """Return the capacities that a model prescribes for the rates and the lateness of a trace; no limit where it
    prescribes none."""
    network = network_of(scenario)
    supplies = measured_supplies(scenario.arrivals)
    if not Repairs.of(model).retention_sizes:
        sizes = prescribed(network, {pair: supply.rate for pair, supply in supplies.items()})
        nodes = {name: NodeCapacities(size.left, size.right, None, size.outbox) for name, size in sizes.items()}
        return Capacities(NodeCapacities(inbox=1, outbox=1), nodes)
    retained = retention(network, supplies)
    nodes = {
        name: NodeCapacities(need.left.viable, need.right.viable, None, _outbox(need))
        for name, need in retained.needs.items()
    }
    nodes |= {name: NodeCapacities(outbox=_outbox(once)) for name, once in retained.suppressions.items()}
    return Capacities(NodeCapacities(inbox=1, outbox=1), nodes)


def _outbox(need: NodeNeed | OnceNeed) -> int:
    return ENOUGH if need.outbox is None else need.outbox


def measured_supplies(arriving: Sequence[Arrival]) -> dict[tuple[str, str], Supply]:
    """Return the supply of each source and template in a trace: the least rate, and the lateness of its promises."""
    times: dict[tuple[str, str], list[int]] = {}
    late: dict[tuple[str, str], int] = {}
    for arrival in arriving:
        pair = arrival.source, arrival.template
        seen = times.setdefault(pair, [])
        if arrival.event is not None:
            seen.append(arrival.event.timestamp)
        if seen and arrival.event is not None:
            late[pair] = max(late.get(pair, 0), max(seen) - arrival.bound)
    return {pair: Supply(_rate(sorted(seen)), late[pair]) for pair, seen in times.items() if seen}


def _rate(times: Sequence[int]) -> Rate:
    """Return the number of events that come at once, in the longest period in which no more come."""
    for events in range(1, len(times)):
        period = min(later - earlier for earlier, later in zip(times, times[events:], strict=False))
        if period > 0:
            return Rate(events, period)
    return Rate(len(times), 2**64)
