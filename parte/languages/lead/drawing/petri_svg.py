"""The net of a LEAD rule as an SVG document of its own, in layers from left to right."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources

from parte.drawing.svg import escaped, number, scoped, shortened
from parte.languages.lead.drawing.petri import Line, consumed, details, lines_of, place_id, title
from parte.languages.lead.semantics.net import Net, Phase

_CLASS = "parte-petri"
_STYLE = resources.files(__package__).joinpath("petri.css").read_text(encoding="utf-8")
_COLUMN, _ROW, _PAD = 128.0, 62.0, 40.0
_RADIUS, _WIDTH, _HEIGHT = 11.0, 150.0, 30.0
_CHARACTERS = 22
_SWEEPS = 12


def draw_net_svg(net: Net) -> str:
    """Return the net as an SVG document: blue and red places, transitions with rule and rank, dashed arcs that only
    read.

    Arcs that lead back are pale. Parts of a sub-context have a tint, and garbage consumers have dashed boxes.
    """
    return "".join(f"{line}\n" for line in _document(net))


@dataclass(frozen=True, slots=True)
class _Node:
    x: float
    y: float
    half: float
    """Half the width of the node, at which arcs begin and end."""


def _document(net: Net) -> Iterator[str]:
    lines = lines_of(net)
    nodes = _placed(net, lines)
    width = max(node.x for node in nodes.values()) + _WIDTH / 2 + _PAD
    height = max(node.y for node in nodes.values()) + _ROW / 2 + _PAD
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{number(width)}" height="{number(height)}" '
        f'viewBox="0 0 {number(width)} {number(height)}" role="img" class="{_CLASS}">'
    )
    yield "<title>Petri net of a rule</title>"
    yield f"<style>{scoped(_STYLE, _CLASS)}</style>"
    yield (
        '<defs><marker id="petri-head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
        'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0.8 L8 4 L0 7.2 Z" fill="#5a6b7b"/></marker></defs>'
    )
    yield f'<rect class="paper" width="{number(width)}" height="{number(height)}"/>'
    for line in lines:
        yield _arc(line, nodes)
    yield from _places(net, nodes)
    yield from _transitions(net, nodes)
    for line in lines:
        if line.weight != "1":
            source, target = nodes[line.source], nodes[line.target]
            towards = 1 if target.x > source.x else -1
            x = (source.x + target.x + towards * (source.half - target.half)) / 2
            y = (source.y + target.y) / 2 - 2
            yield f'<text class="weight" x="{number(x)}" y="{number(y)}">{escaped(line.weight)}</text>'
    yield "</svg>"


def _places(net: Net, nodes: Mapping[str, _Node]) -> Iterator[str]:
    for place in net.places:
        node = nodes[place_id(place.number)]
        at = f'cx="{number(node.x)}" cy="{number(node.y)}"'
        kind = "red" if place.red else "blue"
        yield f'<circle class="place {kind}" {at} r="{number(_RADIUS)}"/>'
        if place.red:
            yield f'<circle class="inner" {at} r="{number(_RADIUS - 3)}"/>'
        if place is net.root:
            yield f'<circle {at} r="3.5"/>'
        name = shortened(place.name, _CHARACTERS)
        yield f'<text class="name" x="{number(node.x)}" y="{number(node.y + _RADIUS + 11)}">{escaped(name)}</text>'


def _transitions(net: Net, nodes: Mapping[str, _Node]) -> Iterator[str]:
    for index, transition in enumerate(net.transitions):
        kinds = " timed" if transition.phase is not Phase.READY else ""
        kinds += " branch" if transition.trigger.context else ""
        yield from _box(nodes[f"t{index}"], f"transition{kinds}", title(transition), ", ".join(details(transition)))
    for place in consumed(net):
        yield from _box(nodes[f"g{place.number}"], "garbage", "GC", "")


def _box(node: _Node, kind: str, name: str, note: str) -> Iterator[str]:
    x, y = node.x - node.half, node.y - _HEIGHT / 2
    size = f'width="{number(2 * node.half)}" height="{number(_HEIGHT)}"'
    yield f'<rect class="{kind}" x="{number(x)}" y="{number(y)}" {size} rx="2"/>'
    shift = -1 if note else 4
    name = shortened(name, _CHARACTERS)
    yield f'<text class="name" x="{number(node.x)}" y="{number(node.y + shift)}">{escaped(name)}</text>'
    if note:
        yield f'<text class="note" x="{number(node.x)}" y="{number(node.y + 10)}">{escaped(note)}</text>'


def _arc(line: Line, nodes: Mapping[str, _Node]) -> str:
    source, target = nodes[line.source], nodes[line.target]
    back = target.x <= source.x
    start, end = (
        (source.x - source.half, target.x + target.half)
        if back
        else (
            source.x + source.half,
            target.x - target.half,
        )
    )
    bend = (-1 if back else 1) * max(24.0, abs(end - start) / 2)
    if target.x == source.x:
        start, end, bend = source.x + source.half, target.x + target.half, 30.0
    path = (
        f"M{number(start)} {number(source.y)} C{number(start + bend)} {number(source.y)} "
        f"{number(end + (bend if target.x == source.x else -bend))} {number(target.y)} "
        f"{number(end)} {number(target.y)}"
    )
    kinds = f"{' reads' if line.reads else ''}{' back' if back else ''}"
    return f'<path class="arc{kinds}" d="{path}" marker-end="url(#petri-head)"/>'


# --- Positions of nodes -----------------------------------------------------------------------------------------------


def _placed(net: Net, lines: list[Line]) -> dict[str, _Node]:
    layers = _layers(net, lines)
    columns: dict[int, list[str]] = defaultdict(list)
    for node, layer in layers.items():
        columns[layer].append(node)
    neighbours: dict[str, list[str]] = defaultdict(list)
    for line in lines:
        neighbours[line.source].append(line.target)
        neighbours[line.target].append(line.source)
    for sweep in range(_SWEEPS):
        where = {node: _share(place, len(column)) for column in columns.values() for place, node in enumerate(column)}
        step = 1 if sweep % 2 == 0 else -1
        for layer in sorted(columns, reverse=sweep % 2 == 1):
            beside = {
                node: [where[neighbour] for neighbour in neighbours[node] if layers[neighbour] == layer - step]
                for node in columns[layer]
            }
            columns[layer].sort(key=lambda node: sum(near) / len(near) if (near := beside[node]) else where[node])
            where.update({node: _share(place, len(columns[layer])) for place, node in enumerate(columns[layer])})
    tallest = max(map(len, columns.values()))
    placed: dict[str, _Node] = {}
    for layer, column in columns.items():
        top = _PAD + (tallest - len(column)) * _ROW / 2
        for place, node in enumerate(column):
            half = _RADIUS if node.startswith("p") else _HEIGHT / 2 if node.startswith("g") else _WIDTH / 2
            placed[node] = _Node(_PAD + _WIDTH / 2 + layer * _COLUMN, top + place * _ROW, half)
    return placed


def _share(place: int, size: int) -> float:
    return (place + 0.5) / size


def _layers(net: Net, lines: list[Line]) -> dict[str, int]:
    """Return the longest path to each node without the arcs that lead back, which a search from the root and the
    streams finds."""
    after: dict[str, list[str]] = defaultdict(list)
    for line in lines:
        if not line.reads:
            after[line.source].append(line.target)
    starts = [place_id(place.number) for place in (net.root, *(place for _, place in net.arrivals)) if place]
    order: list[str] = []
    state: dict[str, int] = {}
    forward: dict[str, list[str]] = defaultdict(list)
    for start in [*starts, *(place_id(place.number) for place in net.places)]:
        if start in state:
            continue
        state[start] = 1
        stack = [(start, iter(after[start]))]
        while stack:
            node, rest = stack[-1]
            for successor in rest:
                if state.get(successor) == 1:
                    continue
                forward[node].append(successor)
                if successor not in state:
                    state[successor] = 1
                    stack.append((successor, iter(after[successor])))
                    break
            else:
                state[node] = 2
                order.append(node)
                stack.pop()
    layers = dict.fromkeys(order, 0)
    for node in reversed(order):
        for successor in forward[node]:
            layers[successor] = max(layers[successor], layers[node] + 1)
    return layers
