"""Sizes of histories and outboxes for given arrival rates (D §5.3.7, def. 14 and 25-27).

With the repair retention-sizes off, this is D's formula, rate times window plus one; with it on, histories are sized by
the time for which an entry is stored (`parte.semantics.partelang.retention`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from types import MappingProxyType

from parte.semantics.events.rates import Rate as Rate
from parte.semantics.events.rates import Supply
from parte.semantics.partelang.capacities import Capacities, NodeCapacities
from parte.semantics.partelang.compilation import NOBODY
from parte.semantics.partelang.counting import affordable
from parte.semantics.partelang.network import EntryNode, Network, Side, TwoInputNode, suppresses
from parte.semantics.partelang.repairs import Repairs
from parte.semantics.partelang.retention import UNLIMITED, NodeNeed, OnceNeed, retention
from parte.semantics.rulebook.models import Model

ONE_PER_SIDE = 3
"""D's inbox: a slot for each activation side (def. 27)."""

Rates = Mapping[tuple[str, str], Rate]
"""The arrival rate of each external source and template."""


@dataclass(frozen=True, slots=True)
class Prescribed:
    """D's sizes for a two-input node, and the rates that it derives (def. 14), per millisecond.

    D has no sizes for windows without beginning (None)."""

    left: int | None
    right: int | None
    outbox: int | None
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
        needed = retention(network, {pair: Supply(rate) for pair, rate in rates.items()})
        return viable_capacities(needed.needs, needed.suppressions)
    for suppressing in network.nodes:
        if suppresses(suppressing):
            raise ValueError(f"no size is prescribed for {suppressing.name}: D has no events that wait for a decision")
    for node in network.nodes:
        if isinstance(node, TwoInputNode) and node.past is not None:
            raise ValueError(f"no size is prescribed for {node.name}: D has no windows without beginning")
    nodes = {
        name: NodeCapacities(size.left, size.right, None, size.outbox)
        for name, size in prescribed(network, rates).items()
    }
    return Capacities(default, nodes)


def viable_capacities(
    needs: Mapping[str, NodeNeed], suppressions: Mapping[str, OnceNeed] = MappingProxyType({})
) -> Capacities:
    """Return capacities with which `sound` does not block. Raise ValueError if no finite size is enough."""
    nodes = {}
    for name, need in needs.items():
        if need.left.viable is None or need.right.viable is None:
            raise ValueError(f"no finite size is enough for {name}: {need.without_limit}")
        nodes[name] = NodeCapacities(need.left.viable, need.right.viable, None, need.outbox)
    for name, once in suppressions.items():
        if once.outbox is None:
            raise ValueError(f"no finite size is enough for {name}: {UNLIMITED}")
        nodes[name] = NodeCapacities(outbox=once.outbox)
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
    if node.past is not None:
        return Prescribed(None, None, None, left, right, left)
    width = max(upper - lower for lower, upper in zip(node.minima, node.maxima, strict=True))
    of_left, of_right = affordable(ceil(left * width) + 1), affordable(ceil(right * width) + 1)
    if node.waits:
        return Prescribed(of_left, of_right, of_left, left, right, right * of_left)
    return Prescribed(of_left, of_right, max(of_left, of_right), left, right, left * of_right + right * of_left)
