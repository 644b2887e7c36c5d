"""Sizes of histories and outboxes for given arrival rates (D §5.3.7, def. 14 and 25-27).

With the repair retention-sizes off, this is D's formula, rate times window plus one; with it on, histories are sized by
the time for which an entry is stored (`parte.semantics.partelang.retention`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from parte.semantics.partelang.capacities import Capacities, NodeCapacities
from parte.semantics.partelang.compilation import NOBODY
from parte.semantics.partelang.counting import affordable
from parte.semantics.partelang.network import EntryNode, Network, Side, TwoInputNode
from parte.semantics.partelang.rates import Rate as Rate
from parte.semantics.partelang.rates import Supply
from parte.semantics.partelang.repairs import Repairs
from parte.semantics.partelang.retention import NodeNeed, retention
from parte.semantics.rulebook.models import Model

ONE_PER_SIDE = 3
"""D's inbox: a slot for each activation side (def. 27)."""

Rates = Mapping[tuple[str, str], Rate]
"""The arrival rate of each external source and template."""


@dataclass(frozen=True, slots=True)
class Prescribed:
    """D's sizes for a two-input node, and the rates that it derives (def. 14), per millisecond."""

    left: int
    right: int
    outbox: int
    left_arrival: Fraction
    right_arrival: Fraction
    production: Fraction


def prescribed_capacities(network: Network, rates: Rates, model: Model) -> Capacities:
    """Return the capacities that a model prescribes for a network.

    Raise KeyError for an external source without a rate, and ValueError for networks in which rules react to emitted
    events: they are outside D's formula.
    """
    for index, node in enumerate(network.nodes):
        if isinstance(node, EntryNode) and network.successors[index]:
            if len(node.external) < len(node.sources):
                raise ValueError(f"no size is prescribed for {node.name}: rules react to what rules emit")
            for source in node.sources:
                if source != NOBODY:
                    rates[source, node.template]
    repairs = Repairs.of(model)
    slots = 1 if repairs.slot_per_side else ONE_PER_SIDE
    default = NodeCapacities(inbox=slots, outbox=1)
    if repairs.retention_sizes:
        return viable_capacities(retention(network, {pair: Supply(rate) for pair, rate in rates.items()}).needs)
    nodes = {
        name: NodeCapacities(size.left, size.right, None, size.outbox)
        for name, size in prescribed(network, rates).items()
    }
    return Capacities(default, nodes)


def viable_capacities(needs: Mapping[str, NodeNeed]) -> Capacities:
    """Return capacities with which `sound` does not block. Raise ValueError if no finite size is enough."""
    nodes = {}
    for name, need in needs.items():
        if need.left.viable is None or need.right.viable is None:
            raise ValueError(f"no finite size is enough for {name}: {need.left.reason}")
        nodes[name] = NodeCapacities(need.left.viable, need.right.viable, None, need.outbox)
    return Capacities(NodeCapacities(inbox=1, outbox=1), nodes)


def prescribed(network: Network, rates: Rates) -> dict[str, Prescribed]:
    """Return D's formula for every two-input node. Emitted events count as one more source with their own rate.

    Raise NotComputed if a size is too large.
    """
    arriving: dict[tuple[int, Side], Fraction] = {}
    sizes: dict[str, Prescribed] = {}
    for index, node in enumerate(network.nodes):
        if isinstance(node, EntryNode):
            known = (rates.get((node.sources[slot], node.template)) for slot in node.external)
            outside = sum((rate.per_millisecond for rate in known if rate is not None), Fraction())
            leaving = outside + arriving.get((index, Side.TOP), Fraction())
        elif isinstance(node, TwoInputNode):
            size = _prescribed(node, arriving[index, Side.LEFT], arriving[index, Side.RIGHT])
            sizes[node.name] = size
            leaving = size.production
        else:
            leaving = arriving[index, Side.TOP]
        for successor in network.successors[index]:
            place = successor.node, successor.side
            arriving[place] = arriving.get(place, Fraction()) + leaving
    return sizes


def _prescribed(node: TwoInputNode, left: Fraction, right: Fraction) -> Prescribed:
    """Return def. 25 with the widest of the node's windows, def. 26, and the production rates of D §5.3.2."""
    width = max(upper - lower for lower, upper in zip(node.minima, node.maxima, strict=True))
    of_left, of_right = affordable(ceil(left * width) + 1), affordable(ceil(right * width) + 1)
    if node.negated:
        return Prescribed(of_left, of_right, of_left, left, right, right * of_left)
    return Prescribed(of_left, of_right, max(of_left, of_right), left, right, left * of_right + right * of_left)
