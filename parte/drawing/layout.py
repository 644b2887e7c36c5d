"""The layout of a network: the places of its nodes and the paths of its edges, in pixels; y grows downwards.

The network is drawn in bands, one for each stratum, from top to bottom: first entry nodes, then the rules side by side.
A rule is a staircase, because its chain of two-input nodes is left-deep. Its alpha nodes are in a row. Each node that
joins one of them is below it, one step further right and down than the one before, and the reactions are below the last
one. So left edges arrive from the left, right edges from above, and nothing is in their way. Edges between rows run in
horizontal lanes. Edges between bands also run in vertical lanes beside the drawing: to its left those of entry nodes,
to its right those of production nodes.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from parte.drawing.wording import Wording, wording_of
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

NODE_WIDTH = 236
COLUMN = 268
HEAD = 38
LINE = 14
FOOT = 8
CHARACTERS = 32
"""The number of characters of the details that fit into a line of a node."""

_MOST_LINES = 7
_LANE = 11
_GAP = 40
_MARGIN = 28
_FRAME_PAD = 14
_FRAME_TITLE = 28
_INSET = (COLUMN - NODE_WIDTH) / 2
_LEFT_PORT = 20

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Box:
    """A node. `index` is its index in the network, `lines` are the visible details."""

    index: int
    wording: Wording
    lines: tuple[str, ...]
    x: float
    y: float
    width: float
    height: float

    @property
    def centre(self) -> float:
        """The x of its middle."""
        return self.x + self.width / 2

    @property
    def bottom(self) -> float:
        """The y of its lower side."""
        return self.y + self.height


@dataclass(frozen=True, slots=True)
class Wire:
    """An edge: horizontal and vertical pieces from the node `origin` to a slot of another node."""

    origin: int
    successor: Successor
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """The frame around the nodes of a rule."""

    rule: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Layout:
    """A drawing, with its upper left corner at (0, 0)."""

    boxes: tuple[Box, ...]
    wires: tuple[Wire, ...]
    frames: tuple[Frame, ...]
    width: float
    height: float


def lay_out(program: core.Program, network: Network, notes: Mapping[str, str] | None = None) -> Layout:
    """Lay out the network of a program, which must have entry nodes (D §5.4). `notes` are lines for nodes, by name."""
    return _Planner(program, network, notes or {}).plan()


@dataclass(slots=True)
class _Place:
    """The nodes of a rule: their columns and rows in its band."""

    rule: core.Rule
    first_column: int
    columns: int
    cells: dict[int, tuple[int, int]]
    last: int

    @property
    def rows(self) -> int:
        return len(self.rule.patterns) + 1


@dataclass(slots=True)
class _Band:
    """A stratum: its entry nodes, its rules, and, once it is placed, the lanes above and below its entry nodes."""

    entries: list[int]
    places: list[_Place] = field(default_factory=list)
    arriving: dict[int, float] = field(default_factory=dict)
    leaving: dict[int, float] = field(default_factory=dict)
    reactions: dict[str, float] = field(default_factory=dict)


class _Planner:
    """A layout in progress: boxes, wires and frames; indexes are those of the network's nodes."""

    def __init__(self, program: core.Program, network: Network, notes: Mapping[str, str]) -> None:
        self.program = program
        self.network = network
        self.wordings = [wording_of(program, node).noted(notes.get(node.name)) for node in network.nodes]
        self.lines = [shown_lines(wording.details) for wording in self.wordings]
        self.heights = [HEAD + LINE * len(lines) + (FOOT if lines else 0) for lines in self.lines]
        self.boxes: dict[int, Box] = {}
        self.right = 0.0
        self.frames: list[Frame] = []
        self.bands = self._bands()
        self.travellers: dict[type[EntryNode] | type[ProductionNode], list[int]] = {}
        self.band_of = {index: number for number, band in enumerate(self.bands) for index in self._members(band)}

    @staticmethod
    def _members(band: _Band) -> Iterable[int]:
        yield from band.entries
        for place in band.places:
            yield from place.cells

    # --- Places in the grid ------------------------------------------------------------------------------------------

    def _bands(self) -> list[_Band]:
        # What merges the events of cases stands between the band of the rule and the next.
        strata = {name: (stratum, 0) for name, stratum in self.program.strata}
        rules = {rule.name: (self.program.stratum(rule), 0) for rule in self.program.rules}
        merging = {rule.reported: (self.program.stratum(rule), 1) for rule in self.program.rules}
        merged = [merging[node.rule] for node in self.network.nodes if isinstance(node, EntryNode) and node.rule]
        bands = {place: _Band([]) for place in sorted({*strata.values(), *rules.values(), *merged})}
        nodes: dict[str, list[int]] = {name: [] for name in rules}
        for index, node in enumerate(self.network.nodes):
            if isinstance(node, EntryNode):
                bands[merging[node.rule] if node.rule else strata[node.template]].entries.append(index)
            elif isinstance(node, AlphaNode) and node.merged:
                (edge,) = self.network.successors[index]
                band = bands[merging[node.rule]]
                first = sum(place.columns for place in band.places)
                cells = {index: (first, 0), edge.node: (first, 1)}
                rule = self.program.rule(node.rule)
                whole = replace(rule, name=node.rule, patterns=rule.patterns[:1])
                band.places.append(_Place(whole, first, 1, cells, index))
            elif node.rule in nodes:
                nodes[node.rule].append(index)
        for rule in self.program.rules:
            band = bands[rules[rule.name]]
            first = sum(place.columns for place in band.places)
            band.places.append(self._place(rule, nodes[rule.name], first))
        return list(bands.values())

    def _place(self, rule: core.Rule, nodes: Sequence[int], first_column: int) -> _Place:
        count = len(rule.patterns)
        columns = max(count, len(rule.emissions) + 1)
        order = {pattern.variable: position for position, pattern in enumerate(rule.patterns)}
        shift = first_column + columns - count
        cells: dict[int, tuple[int, int]] = {}
        last = 0
        for index in nodes:
            match self.network.nodes[index]:
                case AlphaNode(variable=variable):
                    cells[index] = (shift + order[variable], 0)
                    last = index if count == 1 else last
                case TwoInputNode(right=variable):
                    cells[index] = (shift + order[variable], order[variable])
                    last = index if order[variable] == count - 1 else last
                case ProductionNode(position=position):
                    cells[index] = (first_column + columns - 1 - len(rule.emissions) + position, count)
                case TerminalNode():
                    cells[index] = (first_column + columns - 1 - len(rule.emissions), count)
        return _Place(rule, first_column, columns, cells, last)

    # --- From the grid to pixels --------------------------------------------------------------------------------------

    def plan(self) -> Layout:
        y: float = _MARGIN
        for number, band in enumerate(self.bands):
            y = self._place_arriving(number, band, y)
            self._place_entries(band, y)
            y = max((self.boxes[index].bottom for index in band.entries), default=y)
            y = self._place_leaving(number, band, y)
            y = self._place_rules(band, y)
        self.travellers = {kind: self._travellers(kind) for kind in (EntryNode, ProductionNode)}
        self.right = max((box.x + box.width for box in self.boxes.values()), default=0.0)
        wires = [self._wire(origin, successor) for origin, successor in self.network.edges()]
        return self._moved(wires, y)

    def _place_arriving(self, number: int, band: _Band, y: float) -> float:
        """Place the lanes above the entry nodes: for productions of the band above and those from further up."""
        users = [
            origin
            for origin, successor in self.network.edges()
            if isinstance(self.network.nodes[origin], ProductionNode)
            and (self.band_of[origin] == number - 1 or self.band_of[successor.node] == number)
            and self.band_of[origin] < number <= self.band_of[successor.node]
        ]
        return _lanes(band.arriving, users, y)

    def _place_entries(self, band: _Band, y: float) -> None:
        """Place the entry nodes between columns, so that their edges never run along those of alpha nodes."""
        wishes = sorted((self._wish(index, band), index) for index in band.entries)
        boundary = 0
        for wish, index in wishes:
            boundary = max(boundary + 1, round(wish))
            self._put(index, boundary * COLUMN - NODE_WIDTH / 2, y)

    def _wish(self, index: int, band: _Band) -> float:
        """Return the preferred column boundary of an entry node: over the middle of its successors."""
        cells = [cell for place in band.places for cell in place.cells.items()]
        targets = {successor.node for successor in self.network.successors[index]}
        wanted = [column + 0.5 for node, (column, _) in cells if node in targets]
        if not wanted:
            wanted = [
                self.boxes[origin].centre / COLUMN
                for origin, successor in self.network.edges()
                if successor.node == index and origin in self.boxes
            ]
        return sum(wanted) / len(wanted) if wanted else 1

    def _place_leaving(self, number: int, band: _Band, y: float) -> float:
        """Place the lanes below the entry nodes: for their own edges and for those of entry nodes further up."""
        users = [
            origin
            for origin, successor in self.network.edges()
            if isinstance(self.network.nodes[origin], EntryNode)
            and (self.band_of[origin] == number or self.band_of[successor.node] == number)
        ]
        return _lanes(band.leaving, users, y)

    def _place_rules(self, band: _Band, y: float) -> float:
        rows = max((place.rows for place in band.places), default=0)
        top = y + _FRAME_PAD
        tops = []
        for row in range(rows):
            tops.append(top)
            heights = [self.heights[i] for place in band.places for i, cell in place.cells.items() if cell[1] == row]
            top += max(heights) + _GAP
        bottom = y
        for place in band.places:
            for index, (column, row) in place.cells.items():
                self._put(index, column * COLUMN + _INSET, tops[row])
            band.reactions[place.rule.name] = tops[place.rows - 1] - _GAP / 2
            lowest = max(self.boxes[index].bottom for index in place.cells)
            x = place.first_column * COLUMN + _INSET / 2 - 2
            height = lowest + _FRAME_TITLE - y
            self.frames.append(Frame(place.rule.name, x, y, place.columns * COLUMN - _INSET + 4, height))
            bottom = max(bottom, y + height)
        return bottom + _MARGIN / 2

    def _put(self, index: int, x: float, y: float) -> None:
        height = self.heights[index]
        self.boxes[index] = Box(index, self.wordings[index], self.lines[index], x, y, NODE_WIDTH, height)

    # --- Edges --------------------------------------------------------------------------------------------------------

    def _wire(self, origin: int, successor: Successor) -> Wire:
        node = self.network.nodes[origin]
        if isinstance(node, EntryNode):
            points = self._from_entry(origin, successor.node)
        elif isinstance(node, ProductionNode):
            points = self._from_production(origin, successor)
        else:
            points = self._within_rule(origin, successor)
        return Wire(origin, successor, _without_repeats(points))

    def _within_rule(self, origin: int, successor: Successor) -> list[Point]:
        start, end = self.boxes[origin], self.boxes[successor.node]
        if successor.side is Side.LEFT:
            port = end.y + _LEFT_PORT
            return [(start.centre, start.bottom), (start.centre, port), (end.x, port)]
        if start.centre == end.centre:
            return [(start.centre, start.bottom), (end.centre, end.y)]
        node = self.network.nodes[origin]
        assert not isinstance(node, EntryNode)
        lane = self.bands[self.band_of[origin]].reactions[node.rule]
        return [(start.centre, start.bottom), (start.centre, lane), (end.centre, lane), (end.centre, end.y)]

    def _from_entry(self, origin: int, target: int) -> list[Point]:
        start, end = self.boxes[origin], self.boxes[target]
        above, below = self.band_of[origin], self.band_of[target]
        lane = self.bands[above].leaving[origin]
        points = [(start.centre, start.bottom), (start.centre, lane)]
        if above != below:
            x = -_LANE * (1 + self.travellers[EntryNode].index(origin))
            points.append((x, lane))
            lane = self.bands[below].leaving[origin]
            points.append((x, lane))
        return [*points, (end.centre, lane), (end.centre, end.y)]

    def _from_production(self, origin: int, successor: Successor) -> list[Point]:
        start, end = self.boxes[origin], self.boxes[successor.node]
        above, below = self.band_of[origin], self.band_of[successor.node]
        lane = self.bands[above + 1].arriving[origin]
        points = [(start.centre, start.bottom), (start.centre, lane)]
        if below > above + 1:
            x = self.right + _INSET + _LANE * (1 + self.travellers[ProductionNode].index(origin))
            points.append((x, lane))
            lane = self.bands[below].arriving[origin]
            points.append((x, lane))
        port = self._port(end, successor)
        return [*points, (port, lane), (port, end.y)]

    def _port(self, end: Box, successor: Successor) -> float:
        """Return the x at which an edge reaches the upper side of an entry node: one place for each production, in
        their order."""
        slots = [edge.slot for _, edge in self.network.edges() if edge.node == successor.node]
        spread = min(18.0, (NODE_WIDTH - 80) / len(slots))
        return end.centre + (sorted(slots).index(successor.slot) - (len(slots) - 1) / 2) * spread

    def _travellers(self, kind: type[EntryNode] | type[ProductionNode]) -> list[int]:
        """Return the nodes of a kind with edges that pass a band, and so need a vertical lane."""
        step = 0 if kind is EntryNode else 1
        return list(
            dict.fromkeys(
                origin
                for origin, successor in self.network.edges()
                if isinstance(self.network.nodes[origin], kind)
                and self.band_of[successor.node] > self.band_of[origin] + step
            )
        )

    # --- The whole ----------------------------------------------------------------------------------------------------

    def _moved(self, wires: Sequence[Wire], bottom: float) -> Layout:
        """Return the layout, moved so that it begins at the margin."""
        xs = [x for wire in wires for x, _ in wire.points]
        xs += [x for box in self.boxes.values() for x in (box.x, box.x + box.width)]
        xs += [x for frame in self.frames for x in (frame.x, frame.x + frame.width)]
        shift = _MARGIN - min(xs, default=0)
        boxes = tuple(replace(box, x=box.x + shift) for _, box in sorted(self.boxes.items()))
        moved = tuple(
            Wire(wire.origin, wire.successor, tuple((x + shift, y) for x, y in wire.points)) for wire in wires
        )
        frames = tuple(replace(frame, x=frame.x + shift) for frame in self.frames)
        return Layout(boxes, moved, frames, max(xs, default=0) + shift + _MARGIN, bottom + _MARGIN / 2)


def _lanes(lanes: dict[int, float], users: Iterable[int], y: float) -> float:
    """Give each of the users a lane below `y`. Return the y at which the row below them may begin."""
    for index in dict.fromkeys(users):
        lanes[index] = y + _GAP / 2 + _LANE * len(lanes)
    return y + (_GAP + _LANE * (len(lanes) - 1) if lanes else 0)


def _without_repeats(points: Sequence[Point]) -> tuple[Point, ...]:
    return tuple(point for number, point in enumerate(points) if number == 0 or point != points[number - 1])


def shown_lines(details: Sequence[str]) -> tuple[str, ...]:
    """Return the details in lines that fit into a node, and the number of those that do not."""
    lines: list[str] = []
    for number, detail in enumerate(details):
        wrapped = textwrap.wrap(detail, CHARACTERS, subsequent_indent="  ") or [""]
        if len(lines) + len(wrapped) > _MOST_LINES - (number < len(details) - 1):
            lines.append(f"… and {len(details) - number} more")
            break
        lines.extend(wrapped)
    return tuple(lines)
