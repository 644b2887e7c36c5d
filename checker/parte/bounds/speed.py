"""How much work arrives and how much follows from it (D def. 1 and 14): partial matches and steps per time.

Two measures. The most steps that one event can cause is a product down the network: every token of a step may cause a
whole batch below. In the long run there are no more partial matches than the rates and the windows allow, and a step
leaves one token for each of its results, or one that only carries bounds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from parte.semantics.parte.network import EntryNode, Network, Side, TwoInputNode
from parte.semantics.parte.retention import Retention

_SECOND = 1000


@dataclass(frozen=True, slots=True)
class Load:
    """By node, per millisecond: partial matches that arrive and leave, and steps. By template: the most steps that one
    of its events causes; None where an outbox has no bound."""

    arriving: tuple[Fraction, ...]
    leaving: tuple[Fraction, ...]
    steps: tuple[Fraction, ...]
    steps_per_event: Mapping[str, int | None]
    steps_per_second: float
    arrivals_per_second: float


def load_of(network: Network, needs: Retention) -> Load:
    """The load of a network under the streams of a retention analysis."""
    size = len(network.nodes)
    arriving, tokens = [Fraction()] * size, [Fraction()] * size
    leaving: list[Fraction] = []
    outside = Fraction()
    for index, node in enumerate(network.nodes):
        if isinstance(node, EntryNode):
            supplies = needs.streams[node.template].supplies
            entering = sum((supply.rate.per_millisecond for supply in supplies), Fraction())
            arriving[index] += entering
            tokens[index] += entering
            outside += entering
        payloads, produced = arriving[index], tokens[index]
        if isinstance(node, TwoInputNode):
            payloads = needs.flows[index].partial.per_millisecond
            produced = tokens[index] + payloads
        leaving.append(payloads)
        for successor in network.successors[index]:
            arriving[successor.node] += payloads
            tokens[successor.node] += produced
    causes = _Causes(network, needs)
    return Load(
        tuple(arriving),
        tuple(leaving),
        tuple(tokens),
        {
            node.template: causes.steps(index, Side.TOP)
            for index, node in enumerate(network.nodes)
            if isinstance(node, EntryNode) and needs.streams[node.template].supplies
        },
        float(sum(tokens) * _SECOND),
        float(outside * _SECOND),
    )


class _Causes:
    """The most steps that one token causes, itself included."""

    def __init__(self, network: Network, needs: Retention) -> None:
        self.network = network
        self.needs = needs
        self.known: dict[tuple[int, Side], int | None] = {}

    def steps(self, index: int, side: Side) -> int | None:
        place = index, side
        if place not in self.known:
            self.known[place] = self._steps(index, side)
        return self.known[place]

    def _steps(self, index: int, side: Side) -> int | None:
        batch: int | None = 1
        node = self.network.nodes[index]
        if isinstance(node, TwoInputNode):
            need = self.needs.needs[node.name]
            batch = need.left_batch if side is Side.LEFT else need.right_batch
        if batch is None:
            return None
        below = 0
        for successor in self.network.successors[index]:
            steps = self.steps(successor.node, successor.side)
            if steps is None:
                return None
            below += steps
        return 1 + max(1, batch) * below
