"""The network as a self-contained SVG: no scripts, no fonts, no external files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from importlib import resources
from itertools import pairwise

from parte.drawing.layout import COLUMN, HEAD, LINE, Box, Frame, Layout, Point, Wire, lay_out
from parte.semantics.partelang.network import EntryNode, Network, ProductionNode, Side
from parte.semantics.partelang.rules.registry import Kind
from parte.semantics.partelang.syntax import core

_CLASS = "parte-network"
_CORNER = 7.0
_TITLE_CHARACTERS = 29
"""The number of characters of a title that fit into a node."""
_STYLE = resources.files(__package__).joinpath("network.css").read_text(encoding="utf-8")

_NETS = ("#3b6ea5", "#7a5195", "#2a8c8c", "#8a6d3b", "#a2486b", "#5c7a29")
_LEFT, _RIGHT, _DOWN, _PRODUCED = "#2f6fb0", "#c2620c", "#66727e", "#a46a00"
_COLOURS = (*_NETS, _LEFT, _RIGHT, _DOWN, _PRODUCED)

# Characters that XML 1.0 cannot contain, not even escaped.
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def draw_svg(program: core.Program, network: Network, notes: Mapping[str, str] | None = None) -> str:
    """Return the network of a program, which must have entry nodes (D §5.4), as an SVG document. `notes` are lines
    for nodes."""
    layout = lay_out(program, network, notes)
    return "".join(f"{line}\n" for line in _document(program, network, layout))


def _document(program: core.Program, network: Network, layout: Layout) -> Iterator[str]:
    width, height = round(layout.width), round(layout.height)
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" class="{_CLASS}">'
    )
    names = ", ".join(dict.fromkeys(rule.reported for rule in program.rules))
    yield f"<title>{escaped('Network of ' + (names or 'no rules'))}</title>"
    yield f"<style>{scoped(_STYLE, _CLASS)}</style>"
    yield "<defs>"
    for colour in dict.fromkeys(_COLOURS):
        yield (
            f'<marker id="{_marker(colour)}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
            f'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0.8 L8 4 L0 7.2 Z" fill="{colour}"/></marker>'
        )
    yield "</defs>"
    yield f'<rect class="paper" width="{width}" height="{height}"/>'
    for frame in layout.frames:
        yield from _frame(frame)
    entries = [index for index, node in enumerate(network.nodes) if isinstance(node, EntryNode)]
    for wire in layout.wires:
        yield from _wire(network, wire, entries)
    for box in layout.boxes:
        yield from _box(box)
    yield "</svg>"


def _frame(frame: Frame) -> Iterator[str]:
    yield (
        f'<rect class="frame" x="{number(frame.x)}" y="{number(frame.y)}" width="{number(frame.width)}" '
        f'height="{number(frame.height)}" rx="10"/>'
    )
    # At the foot: reactions stand to the right, so the name has room there.
    name = shortened(frame.rule, int((frame.width if frame.width < COLUMN else COLUMN * 1.5) / 7.3) - 4)
    x, y = frame.x + 12, frame.y + frame.height - 10
    yield f'<text class="rule" x="{number(x)}" y="{number(y)}">{escaped(name)}</text>'


def _wire(network: Network, wire: Wire, entries: Sequence[int]) -> Iterator[str]:
    origin, target = network.nodes[wire.origin], network.nodes[wire.successor.node]
    side = wire.successor.side
    if isinstance(origin, EntryNode):
        colour = _NETS[entries.index(wire.origin) % len(_NETS)]
    elif isinstance(origin, ProductionNode):
        colour = _PRODUCED
    else:
        colour = {Side.LEFT: _LEFT, Side.RIGHT: _RIGHT, Side.TOP: _DOWN}[side]
    label = {Side.LEFT: "left", Side.RIGHT: "right", Side.TOP: "top"}[side]
    yield (
        f'<path class="edge {label}" stroke="{colour}" marker-end="url(#{_marker(colour)})" '
        f'd="{path_of(wire.points)}"><title>{escaped(f"{origin.name} → {target.name} ({label})")}</title></path>'
    )
    x, y = wire.points[-1]
    if side is Side.LEFT:
        place = f'text-anchor="end" x="{number(x - 10)}" y="{number(y - 5)}"'
        yield f'<text class="side" fill="{colour}" {place}>left</text>'
    elif side is Side.RIGHT:
        yield f'<text class="side" fill="{colour}" x="{number(x + 6)}" y="{number(y - 9)}">right</text>'


def _box(box: Box) -> Iterator[str]:
    kind = box.wording.kind
    radius = {Kind.ENTRY: 18, Kind.ALPHA: 8, Kind.PRODUCTION: 8, Kind.ONCE: 8}.get(kind, 2)
    yield f'<g class="node {kind.value}"><title>{escaped(box.wording.tooltip)}</title>'
    yield (
        f'<rect class="shape" x="{number(box.x)}" y="{number(box.y)}" width="{number(box.width)}" '
        f'height="{number(box.height)}" rx="{radius}"/>'
    )
    x = number(box.x + 12)
    yield f'<text class="kind" x="{x}" y="{number(box.y + 14)}">{kind.value}</text>'
    title = shortened(box.wording.title, _TITLE_CHARACTERS)
    yield f'<text class="title" x="{x}" y="{number(box.y + 30)}">{escaped(title)}</text>'
    for row, line in enumerate(box.lines):
        y = number(box.y + HEAD + LINE * row + 9)
        yield f'<text class="detail" x="{x}" y="{y}" xml:space="preserve">{escaped(line)}</text>'
    yield "</g>"


def path_of(points: Sequence[Point]) -> str:
    """Return horizontal and vertical pieces as an SVG path with rounded corners."""
    parts = [f"M{number(points[0][0])} {number(points[0][1])}"]
    for (before, corner), (_, after) in pairwise(pairwise(points)):
        start, end = _towards(corner, before), _towards(corner, after)
        parts.append(f"L{number(start[0])} {number(start[1])}")
        parts.append(f"Q{number(corner[0])} {number(corner[1])} {number(end[0])} {number(end[1])}")
    parts.append(f"L{number(points[-1][0])} {number(points[-1][1])}")
    return " ".join(parts)


def _towards(corner: Point, target: Point) -> Point:
    """Return the point where the rounding of a corner ends, on the way to another point."""
    (x, y), (other_x, other_y) = corner, target
    length = abs(other_x - x) + abs(other_y - y)
    part = min(_CORNER, length / 2) / length
    return x + (other_x - x) * part, y + (other_y - y) * part


def shortened(text: str, length: int) -> str:
    """Return the text, cut with an ellipsis if it is longer."""
    return text if len(text) <= length else text[: length - 1] + "…"


def scoped(style: str, name: str) -> str:
    """Restrict a style sheet, with one rule a line, to the content of an element of a class. A notebook puts many
    drawings into one page, and their styles would act on each other and on the page."""
    return "\n".join(f".{name} {line}" for line in style.splitlines())


def _marker(colour: str) -> str:
    return f"arrow-{colour.removeprefix('#')}"


def cleaned(text: str) -> str:
    """Return the text with the characters that XML cannot contain replaced."""
    return _FORBIDDEN.sub("\ufffd", text)


def escaped(text: str) -> str:
    """Return the text as it may stand in SVG; characters that XML cannot contain are replaced."""
    return escape(cleaned(text), quote=False)


def number(value: float, decimals: int = 1) -> str:
    """Return a length with at most `decimals` decimals."""
    return f"{value:.{decimals}f}".rstrip("0").removesuffix(".")
