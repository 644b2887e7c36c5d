"""The premises about the shape of a network under which the lemmas on single nodes compose (docs/proofs.md).

D §8 takes them for granted. They are checked on every network that the tests compile.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from parte.semantics.partelang.compilation import windows_of
from parte.semantics.partelang.network import (
    AlphaNode,
    EntryNode,
    Network,
    ProductionNode,
    Side,
    Successor,
    TerminalNode,
    TwoInputNode,
)
from parte.semantics.partelang.syntax import core

Edge = tuple[str, str, Side]


def structural_premises(network: Network, program: core.Program) -> tuple[str, ...]:
    """What of the shape that the lemmas presuppose a compiled network does not have; nothing if all is well."""
    return tuple(_broken(network, program))


def _broken(network: Network, program: core.Program) -> Iterator[str]:
    edges = [(index, successor) for index, successors in enumerate(network.successors) for successor in successors]
    names = [node.name for node in network.nodes]
    if len(set(names)) < len(names):
        yield "two nodes have one name"
    for index, successor in edges:
        if successor.node <= index:
            yield f"{names[index]} leads back to {names[successor.node]}: the network is not acyclic in its order"
    for index, node in enumerate(network.nodes):
        incoming = [(origin, edge) for origin, edge in edges if edge.node == index]
        slots = [edge.slot for _, edge in incoming]
        if not isinstance(node, EntryNode) and sorted(slots) != list(range(network.slots(index))):
            yield f"{node.name} does not have exactly one predecessor for each of its slots"
        if isinstance(node, EntryNode):
            internal = [slot for slot in range(len(node.sources)) if slot not in node.external]
            if sorted(slots) != internal:
                yield f"{node.name} does not have exactly one production for each source that is not external"
    for rule in program.rules:
        yield from _broken_rule(network, rule, edges)


def _broken_rule(network: Network, rule: core.Rule, edges: Sequence[tuple[int, Successor]]) -> Iterator[str]:
    """Each pattern one alpha node, a left-deep chain in the order of the patterns, the windows of the closure."""
    actual = {(network.nodes[a].name, network.nodes[edge.node].name, edge.side) for a, edge in edges}
    alphas = {node.variable: node for node in network.nodes if isinstance(node, AlphaNode) and node.rule == rule.name}
    joins = {node.right: node for node in network.nodes if isinstance(node, TwoInputNode) and node.rule == rule.name}
    first, *others = rule.patterns
    if sorted(alphas) != sorted(pattern.variable for pattern in rule.patterns):
        yield f"{rule.name}: not exactly one alpha node for each pattern"
        return
    if sorted(joins) != sorted(pattern.variable for pattern in others):
        yield f"{rule.name}: not exactly one two-input node for each pattern after the first"
        return
    windows = windows_of(rule)
    expected: set[Edge] = {
        (f"entry:{pattern.template}", alphas[pattern.variable].name, Side.TOP) for pattern in rule.patterns
    }
    last, bound = alphas[first.variable].name, [first.variable]
    for pattern in others:
        node = joins[pattern.variable]
        expected.add((last, node.name, Side.LEFT))
        expected.add((alphas[pattern.variable].name, node.name, Side.RIGHT))
        intervals = tuple(zip(node.minima, node.maxima, strict=True))
        if list(node.left) != bound or node.negated is not pattern.negated:
            yield f"{node.name} does not join what its pattern joins"
        unbounded = [(0, -1)] * len(bound)
        known = tuple(
            windows[pattern.variable].get(variable, none) for variable, none in zip(bound, unbounded, strict=True)
        )
        if intervals != known:
            yield f"{node.name} does not have the windows of the closure"
        last = node.name
        bound += [] if pattern.negated else [pattern.variable]
    ends = [
        node for node in network.nodes if isinstance(node, TerminalNode | ProductionNode) and node.rule == rule.name
    ]
    expected |= {(last, end.name, Side.TOP) for end in ends}
    if len(ends) != len(rule.emissions) + 1:
        yield f"{rule.name}: not one terminal node and one production node for each emission"
    inside = {node.name for node in alphas.values()} | {node.name for node in joins.values()}
    inside |= {end.name for end in ends}
    if {edge for edge in actual if edge[1] in inside} != expected:
        yield f"{rule.name}: not a left-deep chain in the order of its patterns"
