"""The work that arrives and the work that follows from it (D def. 1 and 14): partial matches and steps per time.

There are two measures. The most steps that one event can cause is a product down the network: every token of a step may
cause a whole batch below. In the long run there are no more partial matches than the rates and the windows allow, and a
step leaves one token for each of its results, or one that only carries bounds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from parte.semantics.partelang.counting import NotComputed, affordable
from parte.semantics.partelang.network import EntryNode, Network, Side, TwoInputNode
from parte.semantics.partelang.retention import Retention

_SECOND = 1000


@dataclass(frozen=True, slots=True)
class Load:
    """Partial matches that arrive and leave, and steps, by node per millisecond.

    By template, `steps_per_event` is the most steps that one of its events causes; None if an outbox has no bound.
    """

    arriving: tuple[Fraction, ...]
    leaving: tuple[Fraction, ...]
    steps: tuple[Fraction, ...]
    steps_per_event: Mapping[str, int | None]
    steps_per_second: float
    arrivals_per_second: float


def load_of(network: Network, needs: Retention) -> Load:
    """Return the load of a network under the streams of a retention analysis."""
    size = len(network.nodes)
    arriving, tokens = [Fraction()] * size, [Fraction()] * size
    leaving: list[Fraction] = []
    outside = Fraction()
    for index, node in enumerate(network.nodes):
        if isinstance(node, EntryNode):
            supplies = needs.streams[node.name].supplies
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
    causes = _causes(network, needs)
    return Load(
        tuple(arriving),
        tuple(leaving),
        tuple(tokens),
        {
            node.template: causes[index, Side.TOP]
            for index, node in enumerate(network.nodes)
            if isinstance(node, EntryNode) and needs.streams[node.name].supplies
        },
        per_second(sum(tokens, Fraction())),
        per_second(outside),
    )


def per_second(per_millisecond: Fraction) -> float:
    """Return a rate per second. Raise NotComputed beyond the Floats."""
    try:
        return float(per_millisecond * _SECOND)
    except OverflowError:
        raise NotComputed("a rate is too large for a Float") from None


def _causes(network: Network, needs: Retention) -> dict[tuple[int, Side], int | None]:
    """Return the most steps that one token causes, itself included, by node and side of its arrival.

    None if an outbox has no bound.
    """
    causes: dict[tuple[int, Side], int | None] = {}
    # A node comes after those that inform it.
    for index in reversed(range(len(network.nodes))):
        node = network.nodes[index]
        below = [causes[successor.node, successor.side] for successor in network.successors[index]]
        known = [steps for steps in below if steps is not None]
        for side in Side:
            batch: int | None = 1
            if isinstance(node, TwoInputNode):
                need = needs.needs[node.name]
                batch = need.left_batch if side is Side.LEFT else need.right_batch
            elif (once := needs.suppressions.get(node.name)) is not None:
                batch = once.outbox
            unbounded = batch is None or len(known) < len(below)
            causes[index, side] = None if unbounded else affordable(1 + max(1, batch or 0) * sum(known))
    return causes
