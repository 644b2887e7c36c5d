"""Walk a path of an exploration with the machine itself, to describe its steps.

The machine must be able to take every step of the path, and must not be able to take another after it: so a witness
does not depend on the exploration's own model of the steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from parte.semantics.events.event import Arrival
from parte.semantics.events.outcome import Outcome
from parte.semantics.partelang.capacities import Capacities
from parte.semantics.partelang.execution import outcome_of
from parte.semantics.partelang.machine import Action, ActionKind, Machine, Step
from parte.semantics.partelang.network import Network, slot_name
from parte.semantics.partelang.tokens import describe, describe_bound
from parte.semantics.rulebook.models import Model


@dataclass(frozen=True, slots=True)
class Retraced:
    """A path of steps from the start until no step is possible, the descriptions of its steps, and its outcome."""

    path: tuple[Action, ...]
    steps: tuple[str, ...]
    outcome: Outcome


def retrace(
    network: Network, arrivals: Sequence[Arrival], model: Model, capacities: Capacities, path: Sequence[Action]
) -> Retraced:
    """Take the steps of a path. Raise ValueError if one is impossible, or if another is possible after the last."""
    recorded: list[Step] = []
    machine = Machine(network, model, capacities, recorded.append)
    for arrival in arrivals:
        machine.feed(arrival)
    steps: list[str] = []
    for action in path:
        description = _before(machine, action) if action in machine.candidates() else ""
        if not description or not machine.take(action):
            number = len(steps) + 1
            raise ValueError(f"expected a path that the machine can take, but step {number}, {action}, is impossible")
        if action.kind is ActionKind.PROC:
            description += f": {recorded[-1].rule} on {describe(recorded[-1].token)}"
        steps.append(description)
    if any(machine.take(action) for action in machine.candidates()):
        raise ValueError(f"expected a path to a final state, but after its {len(steps)} steps another is possible")
    return Retraced(tuple(path), tuple(steps), outcome_of(machine))


def _before(machine: Machine, action: Action) -> str:
    """Return the description of a step, as far as it is known before the step is taken."""
    if action.kind is ActionKind.ARRIVE:
        queue = machine.queues[action.place]
        arrival = queue.arrivals[0]
        what = "no event" if arrival.event is None else arrival.event.id
        return f"ARRIVE {queue.name}: {what}, promising {describe_bound(arrival.bound)}"
    node = machine.network.nodes[action.place]
    if action.kind is ActionKind.PROC:
        return f"PROC {node.name} {slot_name(node, action.slot)}"
    return f"PROP {node.name}: {describe(machine.nodes[action.place].outbox[0])}"
