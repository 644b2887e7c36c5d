"""Node reuse (D §5.5): a network in which equal nodes of several patterns and rules are one node.

Alpha nodes are equal if they take the same events of the same entry node. Two-input nodes are equal if they have the
same nodes above, windows, sign and join-criteria. Nodes whose bounds decide when a match is found stay apart from those
whose bounds do not, so that these need not send them. Set-nodes and nodes whose window has no beginning stay as they
are.

The results are the same. A node does the same with the same tokens, and equal nodes get the same tokens on each edge.
So every run of the shared network is a run of the other one in which equal nodes take their tokens at the same time,
and that is one of its schedules, of which all find the same.
"""

from __future__ import annotations

from collections.abc import Hashable

from parte.semantics.partelang.network import AlphaNode, Network, Node, Successor, TwoInputNode
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.unbounded import deciding


def shared(network: Network) -> Network:
    """Return a network with one node for equal ones, the first of them; the others have lost their names."""
    inputs: list[list[tuple[int, Successor]]] = [[] for _ in network.nodes]
    for origin, edge in network.edges():
        inputs[edge.node].append((origin, edge))
    first: dict[Hashable, int] = {}
    prompt = deciding(network)
    place: list[int] = []
    origins: list[int] = []
    for index, (node, decides) in enumerate(zip(network.nodes, prompt, strict=True)):
        above = tuple((place[origin], edge.side, edge.slot) for origin, edge in inputs[index] if origin < index)
        likeness = _likeness(node)
        key = index if likeness is None else (likeness, above, decides)
        if key not in first:
            first[key] = len(origins)
            origins.append(index)
        place.append(first[key])
    successors: list[dict[Successor, None]] = [{} for _ in origins]
    informs = [False] * len(origins)
    for index, edges in enumerate(network.successors):
        informs[place[index]] |= network.informs[index]
        successors[place[index]] |= {Successor(place[edge.node], edge.side, edge.slot): None for edge in edges}
    nodes = tuple(network.nodes[index] for index in origins)
    return Network(network.family, nodes, tuple(map(tuple, successors)), tuple(informs))


def _likeness(node: Node) -> Hashable | None:
    """Return a value that nodes with equal inputs share if they do the same; None for a node that is like no other."""
    if isinstance(node, AlphaNode):
        return node.condition  # the compiler makes one for equal conditions
    if isinstance(node, TwoInputNode) and node.criteria is not None and not node.collects and node.past is None:
        numbered = {variable: f"{number}" for number, variable in enumerate((*node.left, node.right))}
        parts = (node.criteria.conditions, node.criteria.left_keys, node.criteria.right_keys)
        alike = tuple(tuple(core.likeness(expression, numbered) for expression in several) for several in parts)
        return node.negated, node.minima, node.maxima, alike
    return None
