"""The greatest sizes of the stores of a network in one run, as notes for its drawing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from parte.proofs.partelang.exploration.states import Occupancy
from parte.semantics.events.event import Arrival
from parte.semantics.partelang.inboxes import QueueInbox
from parte.semantics.partelang.machine import Machine
from parte.semantics.partelang.rules.registry import TwoInputData
from parte.semantics.partelang.state import NodeState


@dataclass(slots=True)
class Observing:
    """A schedule that takes the first possible step after each arrival, and records the greatest size of every
    store."""

    name: str = "observing"
    fullest: dict[str, Occupancy] = field(default_factory=dict)

    def drive(self, machine: Machine, arrivals: Iterable[Arrival]) -> None:
        """Feed the arrivals and take steps until none is possible."""
        for arrival in arrivals:
            machine.feed(arrival)
            while any(machine.take(action) for action in machine.candidates()):
                self._look(machine)

    def _look(self, machine: Machine) -> None:
        for state in machine.nodes:
            held = occupancy_of(state)
            known = self.fullest.get(state.node.name, held)
            self.fullest[state.node.name] = Occupancy(*map(max, known, held))

    def notes(self) -> Mapping[str, str]:
        """Return a line for each node that was not always empty."""
        return {name: note_of(held) for name, held in self.fullest.items() if any(held)}


def occupancy_of(state: NodeState) -> Occupancy:
    """Return the present sizes of the stores of a node."""
    data = state.data
    left, right = (len(data.left), len(data.right)) if isinstance(data, TwoInputData) else (0, 0)
    waiting = state.inbox.waiting()
    if isinstance(state.inbox, QueueInbox):
        inbox = len(waiting)
    else:
        inbox = max(Counter(slot for slot, _ in waiting).values(), default=0)
    return Occupancy(left, right, inbox, len(state.outbox))


def note_of(held: Occupancy) -> str:
    """Return the greatest sizes of the stores of a node, by name."""
    return "held " + " ".join(f"{store} {count}" for store, count in held._asdict().items() if count)
