"""Walking a path of an exploration with the machine itself, to say what each of its steps did.

The machine must be able to take every step of the path, and must not be able to take another after it: so a witness
does not rest on the exploration's own idea of the steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from semantics.blocking import Blocked, diagnose
from semantics.capacities import Capacities
from semantics.events.event import Arrival
from semantics.events.match import Match, canonical
from semantics.machine import Action, ActionKind, Machine, Step
from semantics.network import Network, slot_name
from semantics.repairs import Model
from semantics.state import EmissionFailure
from semantics.tokens import describe, describe_bound


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a path of steps from the start until no step is possible gave, and the steps in words.

    `matches` are in canonical order, each as often as it was found. `blocked` says why nothing happens though input is
    left; None if none is.
    """

    path: tuple[Action, ...]
    steps: tuple[str, ...]
    matches: tuple[Match, ...]
    failures: tuple[EmissionFailure, ...]
    blocked: Blocked | None


def retrace(
    network: Network, arrivals: Sequence[Arrival], model: Model, capacities: Capacities, path: Sequence[Action]
) -> Outcome:
    """Take the steps of a path. ValueError if one is impossible, or if another is possible after the last."""
    recorded: list[Step] = []
    machine = Machine(network, model, capacities, recorded.append)
    for arrival in arrivals:
        machine.feed(arrival)
    steps: list[str] = []
    for action in path:
        said = _before(machine, action) if action in machine.candidates() else ""
        if not said or not machine.take(action):
            number = len(steps) + 1
            raise ValueError(f"expected a path that the machine can take, but step {number}, {action}, is impossible")
        if action.kind is ActionKind.PROC:
            said += f": {recorded[-1].rule} on {describe(recorded[-1].token)}"
        steps.append(said)
    if any(machine.take(action) for action in machine.candidates()):
        raise ValueError(f"expected a path to a final state, but after its {len(steps)} steps another is possible")
    failures = sorted(machine.failures, key=lambda failure: (failure.rule, failure.position, failure.bindings))
    return Outcome(tuple(path), tuple(steps), tuple(canonical(machine.matches)), tuple(failures), diagnose(machine))


def _before(machine: Machine, action: Action) -> str:
    """A step in words, as far as they are known before it is taken."""
    if action.kind is ActionKind.ARRIVE:
        queue = machine.queues[action.place]
        arrival = queue.arrivals[0]
        what = "no event" if arrival.event is None else arrival.event.id
        return f"ARRIVE {queue.name}: {what}, promising {describe_bound(arrival.bound)}"
    node = machine.network.nodes[action.place]
    if action.kind is ActionKind.PROC:
        return f"PROC {node.name} {slot_name(node, action.slot)}"
    return f"PROP {node.name}: {describe(machine.nodes[action.place].outbox[0])}"
