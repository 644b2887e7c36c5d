"""The binary rules of an ETALIS program as text for Graphviz, and as a standalone SVG."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from itertools import pairwise
from typing import assert_never

from parte.drawing.dot import quote
from parte.drawing.layered import Edge, Layers, Wire, layered
from parte.drawing.svg import escaped, number, path_of, scoped, shortened
from parte.languages.etalis.semantics.binarisation import Binarised, Kind
from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.printer import pattern_text, rule_text, term_text
from parte.languages.etalis.semantics.syntax.values import text_of

_SIDES = {2: ("l", "r"), 3: ("first", "absent", "last")}


def draw_rule_network(program: Binarised) -> str:
    """Return the network in the DOT language: events are boxes, operators ellipses. Events of a part of a pattern are a
    dotted box, named after its place."""
    return "".join(f"{line}\n" for line in _lines(program))


def _lines(program: Binarised) -> Iterator[str]:
    yield "digraph etalis {"
    yield '  graph [fontname="Helvetica", rankdir=LR];'
    yield '  node [fontname="Helvetica", fontsize=10, shape=box];'
    yield '  edge [fontname="Helvetica", fontsize=9];'
    for kind in sorted(program.kinds.values(), key=lambda kind: kind.rank):
        style = "dotted" if kind.name is None and kind.moment is None else "solid"
        derived = ", peripheries=2" if kind.name is not None and kind.stratum else ""
        yield f"  k{kind.rank} [label={quote(_called(kind))}, style={style}{derived}];"
    for place, rule in enumerate(program.rules):
        label = rule.operator if rule.length is None else f"at most {text_of(rule.length)}"
        yield f"  r{place} [label={quote(label)}, shape=ellipse];"
        sides = _SIDES.get(len(rule.operands), ("",))
        for side, operand in zip(sides, rule.operands, strict=True):
            dashed = ", style=dashed" if side == "absent" else ""
            named = f"{side} ({', '.join(operand.variables)})" if operand.variables else side
            yield f"  k{operand.kind.rank} -> r{place} [label={quote(named)}{dashed}];"
        yield f"  r{place} -> k{rule.target.rank};"
    yield "}"


def _called(kind: Kind) -> str:
    if kind.moment is not None:
        return text_of(kind.moment)
    rule, *places = kind.order[2] or (0,)
    return kind.name or ".".join(map(str, (rule + 1, *(place + 1 for place in places))))


# --- SVG --------------------------------------------------------------------------------------------------------------

_CLASS = "parte-rules"
_STYLE = resources.files(__package__).joinpath("rule_network.css").read_text(encoding="utf-8")
_CHARACTERS, _CHARACTER = 34, 7.3
"""The greatest number of characters of a line, and the width of a character."""
_LINE, _PAD = 15.0, 9.0
_PORTS = {1: (0.0,), 2: (-8.0, 8.0), 3: (-11.0, 0.0, 11.0)}


@dataclass(frozen=True, slots=True)
class _Box:
    """A node: its kind, its lines, and its full text."""

    kind: str
    lines: tuple[str, ...]
    title: str
    notes: tuple[str, ...] = ()

    @property
    def size(self) -> tuple[float, float]:
        """The width and height."""
        widest = max(len(line) for line in (*self.lines, *self.notes))
        height = (len(self.lines) + len(self.notes)) * _LINE + _PAD
        if self.kind in ("operator", "not"):
            height = max(height, 2 * _PORTS[3][2] + _PAD)
        return min(widest, _CHARACTERS) * _CHARACTER + 2 * _PAD, height


def draw_rule_network_svg(program: tree.Program, notes: Sequence[str] = ()) -> str:
    """Return the network as an SVG document: events of the stream, points in time and derived events as boxes, and
    operators. The result of a part of a pattern goes straight to the operator that uses it. `notes` stand in the boxes
    of the binary rules, in their order (`binarised`)."""
    return "".join(f"{line}\n" for line in _document(program, _network(program, notes)))


@dataclass(slots=True)
class _Network:
    heads: frozenset[str]
    notes: Sequence[str]
    boxes: dict[object, _Box] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)
    sides: dict[int, str] = field(default_factory=dict)
    count: int = 0

    def rule(self, rule: tree.Rule, place: int) -> None:
        """Add a rule: an edge to its head."""
        self.edges.append(Edge(self.pattern(rule.body, (place,), whole=rule), self.event(rule.head)))

    def event(self, event: tree.EventPattern) -> object:
        """Return the box of an event."""
        kind = "derived" if event.name in self.heads else "given"
        arguments = len(event.arguments)
        description = "derived event" if kind == "derived" else "event of the stream"
        title = f"{description} with {arguments} argument{'' if arguments == 1 else 's'}"
        self.boxes.setdefault(event.name, _Box(kind, (event.name,), title))
        return event.name

    def pattern(self, pattern: tree.Pattern, place: tuple[int, ...], whole: tree.Rule | None = None) -> object:
        """Return the box of a pattern: the whole body of a rule has a box even if it is an event."""
        if isinstance(pattern, tree.EventPattern | tree.Moment) and whole is None:
            return self.operand(pattern)
        parts = (pattern,) if isinstance(pattern, tree.EventPattern | tree.Moment) else tree.PATTERNS.parts(pattern)
        sources = [
            self.operand(part)
            if isinstance(part, tree.EventPattern | tree.Moment)
            else self.pattern(part, (*place, number))
            for number, part in enumerate(parts)
        ]
        steps = 2 if isinstance(pattern, tree.Joined) and pattern.operator is tree.Operator.OR else 1
        notes = dict.fromkeys(note for note in self.notes[self.count : self.count + steps] if note)
        self.count += steps
        title = rule_text(whole) if whole is not None else pattern_text(pattern)
        self.boxes[place] = _Box(*_wording(pattern), title, tuple(notes))
        joined = list(zip(sources, parts, _SIDES.get(len(parts), ("",)), strict=True))
        if isinstance(pattern, tree.Negation):
            joined = [
                (*joined_part[:2], side) for joined_part, side in zip(joined, ("absent", "first", "last"), strict=True)
            ]
            joined = [joined[1], joined[0], joined[2]]
        for (source, part, side), port in zip(joined, _PORTS[len(joined)], strict=True):
            bound = ", ".join(sorted(tree.bound(part))) if side else ""
            self.sides[len(self.edges)] = f"{side} ({bound})".strip() if bound else side
            self.edges.append(Edge(source, place, port))
        return place

    def operand(self, pattern: tree.EventPattern | tree.Moment) -> object:
        """Return the box of an event or of a point in time."""
        if isinstance(pattern, tree.EventPattern):
            return self.event(pattern)
        self.boxes.setdefault(("at", pattern.time), _Box("moment", (text_of(pattern.time),), "a point in time"))
        return "at", pattern.time


def _wording(pattern: tree.Pattern) -> tuple[str, tuple[str, ...]]:
    """Return the kind of a box for a pattern, and its lines."""
    match pattern:
        case tree.Where(condition=condition):
            return "operator", ("WHERE", term_text(condition))
        case tree.Lasting(length=length):
            return "operator", (f"at most {text_of(length)}",)
        case tree.Negation():
            return "not", ("NOT",)
        case tree.Joined(operator=operator):
            return "operator", (operator.value,)
        case tree.EventPattern() | tree.Moment():
            return "operator", ("COPY",)
        case _:
            assert_never(pattern)


def _network(program: tree.Program, notes: Sequence[str]) -> _Network:
    network = _Network(frozenset(rule.head.name for rule in program.rules), notes)
    for place, rule in enumerate(program.rules):
        network.rule(rule, place)
    return network


def _document(program: tree.Program, network: _Network) -> Iterator[str]:
    sizes: Mapping[object, tuple[float, float]] = {key: box.size for key, box in network.boxes.items()}
    layout = layered(sizes, network.edges)
    width, height = number(layout.width), number(layout.height)
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'role="img" class="{_CLASS}">'
    )
    count = len(program.rules)
    yield f"<title>Network of {count} rule{'' if count == 1 else 's'}</title>"
    yield f"<style>{scoped(_STYLE, _CLASS)}</style>"
    yield (
        '<defs><marker id="tip-rules" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
        'markerUnits="userSpaceOnUse" orient="auto"><path class="tip" d="M0 0.8 L8 4 L0 7.2 Z"/></marker></defs>'
    )
    yield f'<rect class="paper" width="{width}" height="{height}"/>'
    for place, wire in enumerate(layout.wires):
        yield from _wire(wire, network.sides.get(place, ""))
    for key, box in network.boxes.items():
        yield from _box(box, layout, key)
    yield "</svg>"


def _wire(wire: Wire, side: str) -> Iterator[str]:
    css = f"edge{' absent' * side.startswith('absent')}{' back' * wire.back}"
    path = path_of(wire.points) if wire.back else _bent(wire.points)
    yield f'<path class="{css}" marker-end="url(#tip-rules)" d="{path}"/>'
    if side:
        x, y = wire.points[-1]
        place = f'text-anchor="end" x="{number(x - 9)}" y="{number(y - 3)}"'
        yield f'<text class="side" {place}>{escaped(shortened(side, _CHARACTERS))}</text>'


def _bent(points: Sequence[tuple[float, float]]) -> str:
    """Return a path that is straight within layers, and bends between them."""
    parts = [f"M{number(points[0][0])} {number(points[0][1])}"]
    for place, ((x, y), (to_x, to_y)) in enumerate(pairwise(points)):
        end = f"{number(to_x)} {number(to_y)}"
        middle = number((x + to_x) / 2)
        parts.append(f"C{middle} {number(y)} {middle} {number(to_y)} {end}" if place % 2 else f"L{end}")
    return " ".join(parts)


def _box(box: _Box, layout: Layers, key: object) -> Iterator[str]:
    (x, y), (width, height) = layout.places[key], box.size
    radius = {"operator": height / 2, "not": height / 2, "moment": 0}.get(box.kind, 6)
    yield f'<g class="node {box.kind}"><title>{escaped(box.title)}</title>'
    yield (
        f'<rect class="shape" x="{number(x - width / 2)}" y="{number(y - height / 2)}" width="{number(width)}" '
        f'height="{number(height)}" rx="{number(radius)}"/>'
    )
    lines = [*box.lines, *box.notes]
    top = y - len(lines) * _LINE / 2 - 4
    for row, line in enumerate(lines, 1):
        css = "name" if row == 1 else "note" if row > len(box.lines) else "detail"
        text = escaped(shortened(line, _CHARACTERS))
        yield f'<text class="{css}" x="{number(x)}" y="{number(top + row * _LINE)}">{text}</text>'
    yield "</g>"
