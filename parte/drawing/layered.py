"""A directed graph in layers from left to right: the places of its nodes and the paths of its edges, in pixels.

Every edge leads at least one layer on, except those that close a cycle: these run back below everything else. Within a
layer, nodes are placed near their neighbours (K. Sugiyama, S. Tagawa, M. Toda, *Methods for Visual Understanding of
Hierarchical System Structures*, 1981). An edge that passes a layer has a place of its own there.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

Node = Hashable
Point = tuple[float, float]

GAP, LANE, MARGIN = 22.0, 12.0, 24.0
"""Distances: between nodes of a layer, between edges that run back, and around everything."""
BETWEEN = 92.0
"""The distance between layers."""
_SWEEPS = 12


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge; `port` is the distance from the middle of its target at which it arrives."""

    source: Node
    target: Node
    port: float = 0.0


@dataclass(frozen=True, slots=True)
class Wire:
    """The path of an edge, and whether it runs back.

    The path of a forward edge has pairs of points: it is straight within a pair, which lies in one layer, and bends
    between pairs. The path of an edge that runs back has corners.
    """

    edge: Edge
    points: tuple[Point, ...]
    back: bool


@dataclass(frozen=True, slots=True)
class Layers:
    """A layout: the middle of each node, the edges in the given order, and the size of the whole."""

    places: Mapping[Node, Point]
    wires: tuple[Wire, ...]
    width: float
    height: float


def layered(sizes: Mapping[Node, tuple[float, float]], edges: Sequence[Edge]) -> Layers:
    """Lay out nodes, given with their width and height, and edges between them."""
    planner = _Planner(dict(sizes), list(edges))
    return planner.plan()


@dataclass(slots=True)
class _Planner:
    sizes: dict[Node, tuple[float, float]]
    edges: list[Edge]
    back: set[int] = field(default_factory=set)
    layer: dict[Node, int] = field(default_factory=dict)
    rows: list[list[Node]] = field(default_factory=list)
    chains: dict[int, list[Node]] = field(default_factory=dict)
    before: dict[Node, list[tuple[Node, float]]] = field(default_factory=dict)
    after: dict[Node, list[Node]] = field(default_factory=dict)
    y: dict[Node, float] = field(default_factory=dict)

    def plan(self) -> Layers:
        """Return the layout."""
        self.back = _closing(self.sizes, self.edges)
        self._layers()
        self._chains()
        self._order()
        self._heights()
        return self._placed()

    # --- Layers ------------------------------------------------------------------------------------------------------

    def _layers(self) -> None:
        """Put every node as far left as its predecessors allow, and a node without predecessors next to its
        successors."""
        forward = [edge for number, edge in enumerate(self.edges) if number not in self.back]
        self.layer = dict.fromkeys(self.sizes, 0)
        for _ in self.sizes:
            for edge in forward:
                self.layer[edge.target] = max(self.layer[edge.target], self.layer[edge.source] + 1)
        targets = {edge.target for edge in forward}
        for node in self.sizes:
            following = [self.layer[edge.target] for edge in forward if edge.source == node]
            if node not in targets and following:
                self.layer[node] = min(following) - 1

    def _chains(self) -> None:
        """Give an edge a place in each layer that it passes."""
        self.rows = [[] for _ in range(1 + max(self.layer.values(), default=0))]
        for node, layer in self.layer.items():
            self.rows[layer].append(node)
        for number, edge in enumerate(self.edges):
            if number in self.back:
                continue
            passed: list[Node] = [
                ("by", number, layer) for layer in range(self.layer[edge.source] + 1, self.layer[edge.target])
            ]
            for node, layer in zip(passed, range(self.layer[edge.source] + 1, self.layer[edge.target]), strict=True):
                self.rows[layer].append(node)
                self.sizes[node] = (0.0, 0.0)
            chain = [edge.source, *passed, edge.target]
            self.chains[number] = chain
            for source, target in pairwise(chain):
                self.after.setdefault(source, []).append(target)
                self.before.setdefault(target, []).append((source, edge.port if target is chain[-1] else 0.0))

    def _order(self) -> None:
        """Sort the nodes of a layer by the middles of their neighbours, to and fro, and keep the best order of all
        layers."""
        best, fewest = [list(row) for row in self.rows], self._crossings()
        for sweep in range(_SWEEPS):
            rows = range(1, len(self.rows)) if sweep % 2 == 0 else range(len(self.rows) - 2, -1, -1)
            for layer in rows:
                beside = self.rows[layer - 1 if sweep % 2 == 0 else layer + 1]
                place = {node: float(index) for index, node in enumerate(beside)}
                own = {node: float(index) for index, node in enumerate(self.rows[layer])}
                middle = {node: self._middle(node, place, own[node], sweep % 2 == 0) for node in self.rows[layer]}
                self.rows[layer].sort(key=lambda node, middle=middle: middle[node])  # type: ignore[misc]
            crossings = self._crossings()
            if crossings < fewest:
                best, fewest = [list(row) for row in self.rows], crossings
        self.rows = best

    def _middle(self, node: Node, place: Mapping[Node, float], own: float, left: bool) -> float:
        joined = [neighbour for neighbour, _ in self.before.get(node, ())] if left else self.after.get(node, [])
        return sum(place[neighbour] for neighbour in joined) / len(joined) if joined else own

    def _crossings(self) -> int:
        """Return the number of pairs of edges that cross between layers; the ports of a node count as places."""
        count = 0
        for left_row, right_row in pairwise(self.rows):
            place = {node: index for index, node in enumerate(left_row)}
            ends = [
                (place[source], index + port / 1000)
                for index, node in enumerate(right_row)
                for source, port in self.before.get(node, ())
            ]
            count += sum(a < c and b > d for a, b in ends for c, d in ends)
        return count

    # --- Places ------------------------------------------------------------------------------------------------------

    def _heights(self) -> None:
        """Put nodes as high as their neighbours, as far as the nodes of their layer leave room."""
        for row in self.rows:
            y = 0.0
            for node in row:
                height = self.sizes[node][1]
                self.y[node] = y + height / 2
                y += height + GAP
        for sweep in range(_SWEEPS):
            rows = self.rows if sweep % 2 == 0 else self.rows[::-1]
            for row in rows:
                wanted = [self._wanted(node) for node in row]
                self._settle(row, wanted)

    def _wanted(self, node: Node) -> float:
        near = [self.y[neighbour] - port for neighbour, port in self.before.get(node, ())]
        near += [self.y[neighbour] for neighbour in self.after.get(node, ())]
        return sum(near) / len(near) if near else self.y[node]

    def _settle(self, row: Sequence[Node], wanted: Sequence[float]) -> None:
        """Use the places nearest to the wanted ones that keep order and distance: nodes that touch move as one."""
        groups: list[tuple[list[Node], float, float]] = []  # nodes, sum of wanted starts, height
        for node, place in zip(row, wanted, strict=True):
            height = self.sizes[node][1] + GAP
            members, wish, size = [node], place - height / 2, height
            while groups:
                others, other_wish, other_size = groups[-1]
                if other_wish / len(others) + other_size <= wish / len(members):
                    break
                # Sum of the starts of the later nodes if the group began at the same place.
                members, wish, size = (
                    others + members,
                    other_wish + wish - other_size * len(members),
                    other_size + size,
                )
                groups.pop()
            groups.append((members, wish, size))
        for members, wish, _ in groups:
            y = wish / len(members)
            for node in members:
                height = self.sizes[node][1] + GAP
                self.y[node] = y + height / 2
                y += height

    def _placed(self) -> Layers:
        own = [node for node in self.sizes if node in self.layer]
        top = min((self.y[node] - self.sizes[node][1] / 2 for node in self.y), default=0.0)
        lowest = max((self.y[node] + self.sizes[node][1] / 2 for node in self.y), default=0.0)
        x, left, right, middle = MARGIN, [], [], []
        for row in self.rows:
            width = max((self.sizes[node][0] for node in row), default=0.0)
            left.append(x)
            right.append(x + width)
            middle.append(x + width / 2)
            x += width + BETWEEN
        shift = MARGIN - top
        lanes = {number: lowest + shift + LANE * (2 + place) for place, number in enumerate(sorted(self.back))}
        at = {node: (middle[layer], self.y[node] + shift) for layer, row in enumerate(self.rows) for node in row}
        wires = []
        for number, edge in enumerate(self.edges):
            start, end = at[edge.source], at[edge.target]
            begin = (start[0] + self.sizes[edge.source][0] / 2, start[1])
            arrive = (end[0] - self.sizes[edge.target][0] / 2, end[1] + edge.port)
            if number in self.back:
                place = sorted(self.back).index(number)
                out = right[self.layer[edge.source]] + LANE * (1 + place % 3)
                back = left[self.layer[edge.target]] - LANE * (2 + place % 3)
                lane = lanes[number]
                points = [begin, (out, begin[1]), (out, lane), (back, lane), (back, arrive[1]), arrive]
            else:
                points = [begin, (right[self.layer[edge.source]], begin[1])]
                for node in self.chains[number][1:-1]:
                    layer = self._layer_of(node)
                    points += [(left[layer], at[node][1]), (right[layer], at[node][1])]
                points += [(left[self.layer[edge.target]], arrive[1]), arrive]
            wires.append(Wire(edge, tuple(points), number in self.back))
        width = x - BETWEEN + MARGIN + (3 * LANE if self.back else 0.0)
        height = max(lanes.values(), default=lowest + shift) + MARGIN
        return Layers({node: at[node] for node in own}, tuple(wires), width, height)

    def _layer_of(self, node: Node) -> int:
        assert isinstance(node, tuple)
        return int(node[2])


def _closing(nodes: Iterable[Node], edges: Sequence[Edge]) -> set[int]:
    """Return the edges that close a cycle, as a depth-first search finds them."""
    leaving: dict[Node, list[tuple[int, Node]]] = {}
    for number, edge in enumerate(edges):
        leaving.setdefault(edge.source, []).append((number, edge.target))
    closing: set[int] = set()
    done: set[Node] = set()
    targets = {edge.target for edge in edges}
    for root in sorted(nodes, key=lambda node: node in targets):
        above: list[Node] = []
        path: set[Node] = set()
        left: list[tuple[Node, int]] = [] if root in done else [(root, 0)]
        while left:
            node, place = left.pop()
            if place == 0:
                above.append(node)
                path.add(node)
                done.add(node)
            if place < len(leaving.get(node, ())):
                left.append((node, place + 1))
                number, target = leaving[node][place]
                if target in path:
                    closing.add(number)
                elif target not in done:
                    left.append((target, 0))
            else:
                path.discard(above.pop())
    return closing
