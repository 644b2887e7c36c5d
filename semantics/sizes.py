"""How large histories and outboxes must be for given arrival rates (D §5.3.7, def. 14 and 25-27).

With the repair retention-sizes off, this is D's formula; with it on, histories are sized by how long an entry is kept,
for each source apart. The latter is generous: it takes products over the events of a partial match.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, prod

from semantics.capacities import Capacities, NodeCapacities
from semantics.network import EntryNode, Network, Side, TwoInputNode
from semantics.repairs import Model

ONE_PER_SIDE = 3
"""D's inbox: a slot for each activation side (def. 27)."""


@dataclass(frozen=True, slots=True)
class Rate:
    """At most `events` in any `period` milliseconds, whose first is counted and last is not (D def. 2)."""

    events: int
    period: int

    def __post_init__(self) -> None:
        if self.events < 1 or self.period < 1:
            raise ValueError(f"a rate needs at least one event and one millisecond, found {self}")

    @property
    def per_millisecond(self) -> Fraction:
        return Fraction(self.events, self.period)

    def within(self, width: int) -> int:
        """How many events fit into a window of `width` milliseconds that is closed at both ends."""
        return self.events * (width // self.period + 1)


Rates = Mapping[tuple[str, str], Rate]
"""The arrival rate of each external source and template."""


@dataclass(frozen=True, slots=True)
class _Flow:
    """What comes out of a node: partial matches per millisecond, and, for each event of one, its sources' rates."""

    rate: Fraction
    events: tuple[tuple[Rate, ...], ...]


def prescribed_capacities(network: Network, rates: Rates, model: Model) -> Capacities:
    """The capacities that a model prescribes for a network. KeyError for an external source without a rate.

    Networks in which rules react to emitted events are outside D's formula: ValueError.
    """
    left: dict[int, _Flow] = {}
    right: dict[int, _Flow] = {}
    top: dict[int, _Flow] = {}
    nodes: dict[str, NodeCapacities] = {}
    for index, node in enumerate(network.nodes):
        if isinstance(node, EntryNode):
            if not network.successors[index]:
                continue
            if len(node.external) < len(node.sources):
                raise ValueError(f"no size is prescribed for {node.name}: rules react to what rules emit")
            given = tuple(rates[source, node.template] for source in node.sources)
            flow = _Flow(sum((rate.per_millisecond for rate in given), Fraction()), (given,))
        elif isinstance(node, TwoInputNode):
            capacities, flow = _two_input(node, left[index], right[index], model)
            nodes[node.name] = capacities
        else:
            flow = top[index]
        for successor in network.successors[index]:
            {Side.LEFT: left, Side.RIGHT: right, Side.TOP: top}[successor.side][successor.node] = flow
    slots = 1 if model.repairs.slot_per_side else ONE_PER_SIDE
    return Capacities(NodeCapacities(inbox=slots, outbox=1), nodes)


def _two_input(node: TwoInputNode, left: _Flow, right: _Flow, model: Model) -> tuple[NodeCapacities, _Flow]:
    if model.repairs.retention_sizes:
        of_left = prod(_kept(sources, max(upper, 0)) for sources, upper in zip(left.events, node.maxima, strict=True))
        of_right = _kept(right.events[0], max(0, *(-lower for lower in node.minima)))
    else:
        width = max(upper - lower for lower, upper in zip(node.minima, node.maxima, strict=True))
        of_left = ceil(left.rate * width) + 1
        of_right = ceil(right.rate * width) + 1
    outbox = of_left if node.negated else max(of_left, of_right)
    if node.negated:
        flow = _Flow(right.rate * of_left, left.events)
    else:
        flow = _Flow(left.rate * of_right + right.rate * of_left, left.events + right.events)
    return NodeCapacities(of_left, of_right, None, outbox), flow


def _kept(sources: tuple[Rate, ...], retention: int) -> int:
    """How many events of several sources are kept for `retention` milliseconds, and one more that is on its way."""
    return sum(rate.within(retention) for rate in sources) + 1
