"""How full the stores of a network get in one run: the notes with which its drawing shows them."""

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
    """A schedule that takes the first step it can after each arrival, and notes how full every store gets."""

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
        """A line for each node that has held anything."""
        return {name: note_of(held) for name, held in self.fullest.items() if any(held)}


def occupancy_of(state: NodeState) -> Occupancy:
    """How much a node holds now."""
    data = state.data
    left, right = (len(data.left), len(data.right)) if isinstance(data, TwoInputData) else (0, 0)
    waiting = state.inbox.waiting()
    if isinstance(state.inbox, QueueInbox):
        inbox = len(waiting)
    else:
        inbox = max(Counter(slot for slot, _ in waiting).values(), default=0)
    return Occupancy(left, right, inbox, len(state.outbox))


def note_of(held: Occupancy) -> str:
    """What a node has held at most, its stores by name."""
    return "held " + " ".join(f"{store} {count}" for store, count in held._asdict().items() if count)
