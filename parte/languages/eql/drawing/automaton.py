"""The states of a query, from no event to a result, as text for Graphviz and as a standalone SVG.

A chain of events goes from state to state, and waits in the slots between. A missing event, which keeps a chain from
being a result, is a loop at the state where it counts; an event of until leads back to the beginning.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import resources

from parte.drawing.dot import quote
from parte.drawing.svg import escaped, number, scoped, shortened
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.printer import stage_text

_CLASS = "parte-stages"
_STYLE = resources.files(__package__).joinpath("automaton.css").read_text(encoding="utf-8")
_RADIUS, _LINE, _EDGE, _RAIL, _X, _TEXT = 17.0, 16.0, 34.0, 22.0, 74.0, 118.0
"""Lengths: the radius of a state, the height of a line, the least length of an edge, and the distances from the left of
the line of until, of states, and of texts."""
_CHARACTERS, _CHARACTER = 130, 7.3
"""The greatest number of characters of a line, and the width of a character."""


@dataclass(frozen=True, slots=True)
class Automaton:
    """The words of the edges from each state to the next, and of the loops at each state, which speak against a result
    or are `gathered` for one; the slots, from which events of until lead back to the first state."""

    edges: tuple[str, ...]
    loops: tuple[tuple[str, ...], ...]
    until: str = ""
    slots: range = range(0)
    gathered: bool = False

    @property
    def states(self) -> tuple[str, ...]:
        """The names of the states: the number of events so far, and a mark for the result."""
        return (*map(str, range(len(self.edges))), "✓")


def automaton_of(query: tree.Query) -> Automaton:
    """Return the states of a query."""
    match query:
        case tree.Single(event=event):
            return Automaton((stage_text(tree.Stage(event)),), ((), ()))
        case tree.Sample(items=items):
            loops = tuple(map(stage_text, items))
            return Automaton(("the end of the trace: the first different events of a key",), (loops, ()), gathered=True)
    positive, missing = tree.positive(query), tree.between(query)
    edges = [stage_text(replace(stage, runs=1)) for stage in positive]
    absent = [tuple(map(stage_text, stages)) for stages in missing]
    if query.maxspan is not None:
        span = f"{query.maxspan.amount}{query.maxspan.unit.name.lower()}"
        if len(edges) > 1:
            edges[-1] += f", at most {span} after the first event"
        if missing[-1]:
            edges.append(f"{span} after the first event are over")
            absent.append(())
    if query.until is None or len(positive) == 1:
        return Automaton(tuple(edges), tuple(absent))
    return Automaton(tuple(edges), tuple(absent), f"until {stage_text(query.until)}", range(1, len(positive)))


def draw_automaton(query: tree.Query) -> str:
    """Return the states of a query in the DOT language; what speaks against a result is dashed."""
    return "".join(f"{line}\n" for line in _lines(automaton_of(query)))


def _lines(automaton: Automaton) -> Iterator[str]:
    yield "digraph eql {"
    yield '  graph [fontname="Helvetica", rankdir=TB];'
    yield '  node [fontname="Helvetica", fontsize=10, shape=circle];'
    yield '  edge [fontname="Helvetica", fontsize=9];'
    for place, name in enumerate(automaton.states):
        final = ", peripheries=2" if place == len(automaton.states) - 1 else ""
        yield f"  q{place} [label={quote(name)}{final}];"
    against = ', style=dashed, color="#b3402e"'
    usual = "" if automaton.gathered else against
    for place, (edge, loops) in enumerate(zip((*automaton.edges, ""), automaton.loops, strict=True)):
        if edge:
            yield f"  q{place} -> q{place + 1} [label={quote(edge)}];"
        yield from (f"  q{place} -> q{place} [label={quote(loop)}{usual}];" for loop in loops)
    yield from (f"  q{place} -> q0 [label={quote(automaton.until)}{against}];" for place in automaton.slots)
    yield "}"


def draw_automaton_svg(query: tree.Query) -> str:
    """Return the states of a query as an SVG document, from top to bottom."""
    return "".join(f"{line}\n" for line in _document(automaton_of(query)))


def _document(automaton: Automaton) -> Iterator[str]:
    top = 46.0 if automaton.until else 30.0
    heights, y = [], top
    for edge, loops in zip((*automaton.edges, ""), automaton.loops, strict=True):
        heights.append(y)
        y += 2 * _RADIUS + max(0, len(loops) - 1) * _LINE + (_EDGE if edge else 0)
    texts = [*automaton.edges, *(loop for loops in automaton.loops for loop in loops), automaton.until]
    width = number(_TEXT + 30 + min(max(map(len, texts)), _CHARACTERS) * _CHARACTER)
    height = number(y)
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" class="{_CLASS}">'
    )
    yield f"<title>Query of {len(automaton.states)} states</title>"
    yield f"<style>{scoped(_STYLE, _CLASS)}</style>"
    yield "<defs>"
    for name, css in (("stages", "tip"), ("against", "tip against")):
        yield (
            f'<marker id="tip-{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
            f'markerUnits="userSpaceOnUse" orient="auto"><path class="{css}" d="M0 0.8 L8 4 L0 7.2 Z"/></marker>'
        )
    yield "</defs>"
    yield f'<rect class="paper" width="{width}" height="{height}"/>'
    if automaton.slots:
        yield _text(automaton.until, _RAIL - 12, 18, "against")
        for place in automaton.slots:
            yield _path(f"M{_X - _RADIUS} {heights[place]} H{_RAIL} V{top} H{_X - _RADIUS - 1}", against=True)
    for place, middle in enumerate(heights):
        loops = automaton.loops[place]
        if loops:
            right = _X + _RADIUS
            bend = f"{right + 24} {middle - 22} {right + 24} {middle + 22}"
            yield _path(f"M{right - 3} {middle - 9} C{bend} {right - 2} {middle + 8}", against=not automaton.gathered)
        for line, loop in enumerate(loops):
            css = "label" if automaton.gathered else "against"
            yield _text(loop, _TEXT, middle + 4 + line * _LINE, css)
        if place < len(automaton.edges):
            yield _path(f"M{_X} {middle + _RADIUS} V{heights[place + 1] - _RADIUS - 1}")
            yield _text(automaton.edges[place], _X + 12, heights[place + 1] - _RADIUS - _EDGE / 2 + 4)
        css = "result" if place == len(automaton.edges) else "state"
        yield f'<circle class="{css}" cx="{_X}" cy="{number(middle)}" r="{_RADIUS}"/>'
        yield f'<text class="name" x="{_X}" y="{number(middle + 4)}">{escaped(automaton.states[place])}</text>'
    yield "</svg>"


def _path(data: str, *, against: bool = False) -> str:
    css, tip = ("edge absent", "against") if against else ("edge", "stages")
    return f'<path class="{css}" marker-end="url(#tip-{tip})" d="{data}"/>'


def _text(text: str, x: float, y: float, css: str = "label") -> str:
    visible = escaped(shortened(text, _CHARACTERS))
    return f'<text class="{css}" x="{number(x)}" y="{number(y)}"><title>{escaped(text)}</title>{visible}</text>'
