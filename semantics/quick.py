"""The quick way through a machine in which nothing is bounded: PROC and PROP in one go, top down.

It fires the same rules as `Machine.proc` and `Machine.prop`. With unlimited capacities every premise about room holds,
so a node can take all that waits for it and hand the results on at once. Bounds that nobody reads are neither computed
nor sent (D §5.6.5, limiting no-change tokens), and of two "no change" tokens in a row only the later is kept, whose
bounds include the earlier's.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from typing import cast

from semantics.inboxes import SlottedInbox
from semantics.network import EntryNode, Network, Node, ProductionNode, TerminalNode
from semantics.rules.registry import Effect, Outcome
from semantics.state import NodeState
from semantics.tokens import AlphaToken, Token

Apply = Callable[..., Outcome]


class Quick:
    """The queues and rules of a machine's nodes, laid out for speed. The machine's node states hold all state."""

    def __init__(
        self, network: Network, nodes: Sequence[NodeState], reacted: Callable[[Node, Token, Effect], None]
    ) -> None:
        self._nodes = nodes
        self._reacted = reacted
        self.steps = 0
        self._queues = [_queues(state) for state in nodes]
        self._rules = [
            [
                tuple(
                    tuple(cast(Apply, info.function) for info in state.table[slot, payload])
                    for payload in (False, True)
                )
                for slot in range(len(queues))
            ]
            for state, queues in zip(nodes, self._queues, strict=True)
        ]
        self._targets = [
            [(self._queues[edge.node][edge.slot], edge.node, network.informs[edge.node]) for edge in edges]
            for edges in network.successors
        ]
        self._source_slot = [
            edges[0].slot if isinstance(state.node, ProductionNode) and edges else None
            for state, edges in zip(nodes, network.successors, strict=True)
        ]
        self._visible = [isinstance(state.node, TerminalNode | ProductionNode) for state in nodes]
        self._entries = [index for index, state in enumerate(nodes) if isinstance(state.node, EntryNode)]
        self._active: list[int] = []
        self._listed = [False] * len(nodes)

    def settle(self) -> None:
        """Take steps until no token is left that may be taken."""
        for index in self._entries:
            self._list(index)
        active, listed = self._active, self._listed
        while active:
            index = heappop(active)
            listed[index] = False
            self._drain(index)

    def _list(self, index: int) -> None:
        if not self._listed[index]:
            self._listed[index] = True
            heappush(self._active, index)

    def _drain(self, index: int) -> None:
        """The node takes what it may from its slots, until a round over them gives nothing."""
        state = self._nodes[index]
        site, rules = state.site, self._rules[index]
        again = True
        while again:
            again = False
            for slot, queue in enumerate(self._queues[index]):
                while queue:
                    token = queue[0]
                    outcome: Outcome = None
                    for apply in rules[slot][token.payload is not None]:
                        outcome = apply(site, state.data, token)
                        if outcome is not None:
                            break
                    if not isinstance(outcome, Effect):
                        break
                    queue.popleft()
                    self.steps += 1
                    again = True
                    state.data = outcome.data
                    if self._visible[index]:
                        self._reacted(state.node, token, outcome)
                    for produced in outcome.tokens:
                        self._propagate(index, produced)

    def _propagate(self, index: int, token: Token) -> None:
        silent = token.payload is None
        slot = self._source_slot[index]
        if slot is not None and isinstance(token, AlphaToken):
            token = token._replace(source=slot)
        for queue, target, informs in self._targets[index]:
            if silent:
                if not informs:
                    continue
                if queue and queue[-1].payload is None:
                    queue[-1] = token
                    continue
            queue.append(token)
            if not self._listed[target]:
                self._listed[target] = True
                heappush(self._active, target)


def _queues(state: NodeState) -> tuple[deque[Token], ...]:
    assert isinstance(state.inbox, SlottedInbox)
    return state.inbox.queues
