"""Partial-order reduction: the possible steps that a search may postpone (docs/exploration.md).

A set of possible steps may be taken alone if, whatever other steps are taken first, they stay possible, have the same
effect, and lead to the same state as if they had been taken before; then leaving out the others loses no final state.
Four kinds of set qualify, each by what the steps of the machine read and write:

- PROP into inboxes (slots, where there are slots) into which nothing else puts tokens;
- ARRIVE into such an inbox;
- PROC at a node from which only one token can be taken at a time: one-input nodes, entry nodes of a single source, and
  every inbox that is one queue;
- PROC at any other node, all its steps together, when every slot holds a token and none waits for room in the outbox.

This preserves the final states, the lengths of the shortest paths to them, and the largest occupancy of every history.
It does not preserve the largest occupancy of an inbox or outbox, because it takes tokens out as soon as possible. A
search for that watches one box, and takes steps out of this box alone only if it is full, and could not get fuller by
waiting.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from parte.proofs.partelang.exploration.states import Space, State
from parte.semantics.partelang.inboxes import QueueInbox
from parte.semantics.partelang.machine import Action, ActionKind

Expand = Callable[[State], list[tuple[Action, State]]]
"""Returns the steps that a search takes from a state, and the states after them."""


class Box(NamedTuple):
    """The inbox or the outbox of a node."""

    node: int
    outbox: bool


def boxes(space: Space) -> tuple[Box, ...]:
    """Return all inboxes and outboxes."""
    return tuple(Box(node, outbox) for node in range(space.size) for outbox in (False, True))


def reduced(space: Space, watched: Box | None = None) -> Expand:
    """Return the steps of a reduced search for the final states, or for the largest occupancy of a watched box."""
    private_nodes, private_queues = _private(space)
    inbox = watched.node if watched is not None and not watched.outbox else None
    outbox = watched.node if watched is not None and watched.outbox else None
    # From the bottom up: tokens further down leave before others follow.
    nodes = range(space.size - 1, -1, -1)

    def expand(state: State) -> list[tuple[Action, State]]:
        together = None
        for index in nodes:
            moves = space.moves_of(state[index])
            if moves.empty:
                continue
            if moves.settled and (index != inbox or all(proc.full for proc in moves.procs)):
                if len(moves.procs) == 1:
                    proc = moves.procs[0]
                    return [(proc.action, space.after_proc(state, index, proc))]
                together = index
            prop = moves.prop
            if prop is not None and private_nodes[index] and (index != outbox or prop.full):
                after = space.after_prop(state, index, prop)
                if after is not None:
                    return [(prop.action, after)]
        for queue in private_queues:
            after = space.after_arrival(state, queue)
            if after is not None:
                return [(Action(ActionKind.ARRIVE, queue), after)]
        if together is not None:
            procs = space.moves_of(state[together]).procs
            return [(proc.action, space.after_proc(state, together, proc)) for proc in procs]
        return space.steps(state)

    return expand


def _private(space: Space) -> tuple[tuple[bool, ...], tuple[int, ...]]:
    """Return the nodes, and the queues, that put tokens only where nothing else does."""

    def place(node: int, slot: int) -> tuple[int, int]:
        return (node, 0 if isinstance(space.machine.nodes[node].inbox, QueueInbox) else slot)

    writers: Counter[tuple[int, int]] = Counter(place(edge.node, edge.slot) for _, edge in space.network.edges())
    for queue in space.machine.queues:
        writers.update(place(target.node, queue.source_slot) for target in queue.targets)
    nodes = tuple(
        all(writers[place(edge.node, edge.slot)] == 1 for edge in edges) for edges in space.network.successors
    )
    queues = tuple(
        index
        for index, queue in enumerate(space.machine.queues)
        if all(writers[place(target.node, queue.source_slot)] == 1 for target in queue.targets)
    )
    return nodes, queues
