"""Runs of a machine in which nothing is bounded: PROC and PROP in one go, top down, which is faster.

It fires the same rules as `Machine.proc` and `Machine.prop`. With unlimited capacities every premise about room holds,
so a node can take all that waits for it and hand the results on at once. Bounds that nobody reads are neither computed
nor sent (D §5.6.5, limiting no-change tokens), and of two "no change" tokens in a row only the later is kept, whose
bounds include the earlier's.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from heapq import heappop, heappush
from typing import cast

from parte.semantics.parte.inboxes import SlottedInbox
from parte.semantics.parte.network import Network, Node, ProductionNode, Successor, TerminalNode
from parte.semantics.parte.rules.registry import Conclusion, Effect
from parte.semantics.parte.state import NodeState
from parte.semantics.parte.tokens import AlphaToken, Token

Apply = Callable[..., Conclusion]


class Unbounded:
    """The queues and rules of a machine's nodes, laid out for speed. The machine's node states hold all state."""

    def __init__(
        self, network: Network, nodes: Sequence[NodeState], reacted: Callable[[Node, Token, Effect], None]
    ) -> None:
        self._nodes = nodes
        self._reacted = reacted
        self.steps = 0
        self._slots = [[(queue, _rules(state, slot)) for slot, queue in enumerate(_queues(state))] for state in nodes]
        self._targets = [
            [(self._slots[edge.node][edge.slot][0], edge.node, network.informs[edge.node]) for edge in edges]
            for edges in network.successors
        ]
        self._source_slot = [
            edges[0].slot if isinstance(state.node, ProductionNode) and edges else None
            for state, edges in zip(nodes, network.successors, strict=True)
        ]
        self._visible = [isinstance(state.node, TerminalNode | ProductionNode) for state in nodes]
        self._active: list[int] = []
        self._listed = [False] * len(nodes)

    def settle(self, entered: Iterable[Successor]) -> None:
        """Take steps until no token is left that may be taken, after tokens have come in over some edges."""
        active, listed = self._active, self._listed
        for successor in entered:
            if not listed[successor.node]:
                listed[successor.node] = True
                heappush(active, successor.node)
        while active:
            index = heappop(active)
            listed[index] = False
            self._drain(index)

    def _drain(self, index: int) -> None:
        """The node takes all that waits in its slots."""
        state = self._nodes[index]
        site, taken = state.site, 0
        for queue, rules in self._slots[index]:
            while queue:
                token = queue[0]
                outcome: Conclusion = None
                for apply in rules[token.payload is not None]:
                    outcome = apply(site, state.data, token)
                    if outcome is not None:
                        break
                if not isinstance(outcome, Effect):
                    break
                queue.popleft()
                taken += 1
                state.data, produced = outcome
                if self._visible[index]:
                    self._reacted(state.node, token, outcome)
                if produced:
                    self._propagate(index, produced)
        self.steps += taken

    def _propagate(self, index: int, tokens: Sequence[Token]) -> None:
        """Hand tokens on to all successors; those without payload only to where bounds are read."""
        source = self._source_slot[index]
        for queue, target, informs in self._targets[index]:
            for token in tokens:
                if source is not None:
                    token = cast(AlphaToken, token)._replace(source=source)
                if token.payload is None:
                    if not informs:
                        continue
                    if queue and queue[-1].payload is None:
                        queue[-1] = token
                        continue
                queue.append(token)
            if queue and not self._listed[target]:
                self._listed[target] = True
                heappush(self._active, target)


def _rules(state: NodeState, slot: int) -> tuple[tuple[Apply, ...], tuple[Apply, ...]]:
    """The rules for the tokens of a slot: those without payload, and those with one."""
    without, with_payload = state.table[slot, False], state.table[slot, True]
    return tuple(info.function for info in without), tuple(info.function for info in with_payload)


def _queues(state: NodeState) -> tuple[deque[Token], ...]:
    assert isinstance(state.inbox, SlottedInbox)
    return state.inbox.queues
