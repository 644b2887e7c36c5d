"""The network as Graphviz text, for users who lay it out or style it themselves."""

from __future__ import annotations

from collections.abc import Iterator

from parte.drawing.wording import Wording, wording_of
from parte.semantics.partelang.network import EntryNode, Network, Side
from parte.semantics.partelang.rules.registry import Kind
from parte.semantics.partelang.syntax import core
from parte.semantics.source.diagnostics import printable

_SHAPES = {
    Kind.ENTRY: 'shape=oval, color="#3b6ea5"',
    Kind.ALPHA: 'shape=box, style=rounded, color="#5a6b7b"',
    Kind.JOIN: 'shape=box, color="#2f7d5b"',
    Kind.NOT: 'shape=box, style=dashed, color="#b3402e"',
    Kind.PRODUCTION: 'shape=cds, color="#8a5a00"',
    Kind.ONCE: 'shape=cds, style=dashed, color="#8a5a00"',
    Kind.TERMINAL: 'shape=box, peripheries=2, color="#5b4a8a"',
}
_EDGES = {Side.LEFT: "taillabel=left", Side.RIGHT: "taillabel=right", Side.TOP: ""}


def draw_dot(program: core.Program, network: Network) -> str:
    """Return the network in the DOT language. Nodes are called n0, n1, … in topological order."""
    return "".join(f"{line}\n" for line in _lines(program, network))


def _lines(program: core.Program, network: Network) -> Iterator[str]:
    yield "digraph parte {"
    yield '  graph [fontname="Helvetica", rankdir=TB];'
    yield '  node [fontname="Helvetica", fontsize=10];'
    yield '  edge [fontname="Helvetica", fontsize=8, color="#5a6b7b"];'
    members: dict[str, list[int]] = {rule.name: [] for rule in program.rules}
    for index, node in enumerate(network.nodes):
        if isinstance(node, EntryNode) and not node.rule:
            yield _node(index, wording_of(program, node), "  ")
        else:
            members.setdefault(node.rule, []).append(index)
    for position, (rule, indexes) in enumerate(members.items()):
        yield f"  subgraph cluster_{position} {{"
        yield f'    label={quote(rule)}; labeljust=l; color="#d0d6dc";'
        for index in indexes:
            yield _node(index, wording_of(program, network.nodes[index]), "    ")
        yield "  }"
    for origin, successor in network.edges():
        attributes = _EDGES[successor.side]
        yield f"  n{origin} -> n{successor.node}{f' [{attributes}]' if attributes else ''};"
    yield "}"


def _node(index: int, wording: Wording, indent: str) -> str:
    label = "\n".join((wording.kind.value, wording.title, *wording.details))
    return f"{indent}n{index} [label={quote(label)}, tooltip={quote(wording.name)}, {_SHAPES[wording.kind]}];"


def quote(text: str) -> str:
    """Return a string of the DOT language that displays `text` unchanged."""
    escaped = printable(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
