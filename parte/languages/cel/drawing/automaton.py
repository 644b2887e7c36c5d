"""The automaton of a CEL query as text for Graphviz, and as a standalone SVG."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources

from parte.drawing.dot import quote
from parte.drawing.svg import escaped, number, scoped, shortened
from parte.languages.cel.semantics.automata import Automaton, Guard, IsType, Transition
from parte.languages.cel.semantics.machine import Machine
from parte.languages.cel.semantics.syntax.printer import predicate_text
from parte.semantics.events.event import Event

_CLASS = "parte-automaton"
_STYLE = resources.files(__package__).joinpath("automaton.css").read_text(encoding="utf-8")
_RADIUS, _LINE, _PAD, _SLACK = 20.0, 14.0, 24.0, 34.0
_SIDE = 15.0
"""The distance from the middle of a state at which arcs begin and end."""

_CHARACTERS = 56
_CHARACTER = 6.7
"""The greatest number of characters of a label, and the width of a character."""


def draw_automaton(automaton: Automaton) -> str:
    """Return the automaton in the DOT language: final states have two lines, and the variables of an event follow a
    slash."""
    return "".join(f"{line}\n" for line in _lines(automaton))


def _lines(automaton: Automaton) -> Iterator[str]:
    yield "digraph cel {"
    yield '  graph [fontname="Helvetica", rankdir=LR];'
    yield '  node [fontname="Helvetica", fontsize=10, shape=circle];'
    yield '  edge [fontname="Helvetica", fontsize=9];'
    yield '  start [shape=none, label=""];'
    yield f"  start -> q{automaton.initial};"
    for state in range(automaton.size):
        final = ", peripheries=2" if state in automaton.finals else ""
        yield f"  q{state} [label={quote(f'q{state}')}{final}];"
    for transition in automaton.transitions:
        yield f"  q{transition.source} -> q{transition.target} [label={quote(_label(transition))}];"
    yield "}"


def _label(transition: Transition) -> str:
    """Return the guard of an event, and the variables that its transition labels it with."""
    return f"{_guard(transition.guard)} / {', '.join(sorted(transition.label)) or '∘'}"


def _guard(guard: Guard) -> str:
    types = sorted(test.name for test in guard if isinstance(test, IsType))
    tests = sorted(predicate_text(test, 2) for test in guard if not isinstance(test, IsType))
    return " AND ".join([*types, *tests]) or "TRUE"


# --- SVG --------------------------------------------------------------------------------------------------------------


def draw_automaton_svg(automaton: Automaton, notes: Mapping[int, str] | None = None) -> str:
    """Return the automaton as an SVG document; `notes` stand below states.

    States stand in a row in the order in which runs reach them. Transitions to the next state are a line, those further
    right an arc above, those back an arc below; no two arcs on one level overlap.
    """
    drawing = _Drawing(automaton, notes or {})
    return "".join(f"{line}\n" for line in drawing.document())


def visits(machine: Machine, events: Sequence[Event]) -> dict[int, str]:
    """Return, for each state of a machine's automaton, after how many events a run is in it, in some substream."""
    counts = Counter[int]()
    for event in events:
        machine.event(event)
        tables = (substream.evaluation.table for substream in machine.substreams.values())
        counts.update(frozenset[int]().union(*(state.runs for table in tables for state in table)))
    return {
        state: f"after {counts[state]} of {len(events)} events"
        for state in range(machine.automaton.size)
        if state != machine.automaton.initial
    }


@dataclass(frozen=True, slots=True)
class _Arc:
    """All transitions between two states, by their places in the row; `level` counts from the row."""

    source: int
    target: int
    labels: tuple[str, ...]
    level: int = 0

    @property
    def ends(self) -> tuple[int, int]:
        """The places from left to right."""
        return min(self.source, self.target), max(self.source, self.target)

    @property
    def height(self) -> float:
        """The height of its labels."""
        return len(self.labels) * _LINE


class _Drawing:
    def __init__(self, automaton: Automaton, notes: Mapping[int, str]) -> None:
        self.automaton, self.notes = automaton, notes
        self.row = _in_order(automaton)
        place = {state: number for number, state in enumerate(self.row)}
        labels: dict[tuple[int, int], list[str]] = {}
        for transition in automaton.transitions:
            labels.setdefault((place[transition.source], place[transition.target]), []).append(_label(transition))
        arcs = [_Arc(source, target, tuple(of_arc)) for (source, target), of_arc in labels.items()]
        self.lines = [arc for arc in arcs if arc.target == arc.source + 1]
        self.loops = [arc for arc in arcs if arc.target == arc.source]
        self.above = _levels([arc for arc in arcs if arc.target > arc.source + 1])
        self.below = _levels([arc for arc in arcs if arc.target < arc.source])
        widest = max((_width(label) for arc in arcs for label in arc.labels), default=0.0)
        self.step = max(90.0, widest + 2 * _RADIUS + _SLACK)
        self.top = 2 * _RADIUS + 24 + max((arc.height for arc in (*self.loops, *self.lines)), default=0.0)
        self.bottom = 2 * _RADIUS + 26
        self.y = _PAD + self.top + _heights(self.above)
        self.texts: list[str] = []

    def x(self, place: float) -> float:
        """Return the x coordinate of a place in the row."""
        return _PAD + self.step / 2 + place * self.step

    def document(self) -> Iterator[str]:
        """Yield the lines of the SVG document."""
        width = number(self.x(len(self.row) - 1) + self.step / 2 + _PAD)
        height = number(self.y + self.bottom + _heights(self.below) + _PAD)
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" role="img" class="{_CLASS}">'
        )
        yield f"<title>Automaton of {self.automaton.size} states</title>"
        yield f"<style>{scoped(_STYLE, _CLASS)}</style>"
        yield (
            '<defs><marker id="arrow-automaton" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
            'markerUnits="userSpaceOnUse" orient="auto"><path class="head" d="M0 0.8 L8 4 L0 7.2 Z"/></marker></defs>'
        )
        yield f'<rect class="paper" width="{width}" height="{height}"/>'
        start = self.x(0) - _RADIUS
        yield _path(f"M{number(start - 26)} {number(self.y)} L{number(start - 1)} {number(self.y)}")
        for arc in self.lines:
            ends = self.x(arc.source) + _RADIUS, self.x(arc.target) - _RADIUS - 1
            yield _path(f"M{number(ends[0])} {number(self.y)} L{number(ends[1])} {number(self.y)}")
            self.texts += _texts(arc, sum(ends) / 2, self.y - 6 - arc.height)
        for arc in self.loops:
            x, y = self.x(arc.source), self.y - _RADIUS
            yield _path(
                f"M{number(x - 7)} {number(y + 1)} C{number(x - 17)} {number(y - 34)} {number(x + 17)} "
                f"{number(y - 34)} {number(x + 7)} {number(y)}"
            )
            self.texts += _texts(arc, x, y - 30 - arc.height)
        yield from self.arcs(self.above, -1)
        yield from self.arcs(self.below, 1)
        yield from self.texts
        for place, state in enumerate(self.row):
            yield from self.state(state, self.x(place))
        yield "</svg>"

    def arcs(self, arcs: list[_Arc], side: int) -> Iterator[str]:
        """Yield arcs above the row (-1) or below it (1): up, along, and down."""
        for arc in arcs:
            nearer = [candidate for candidate in arcs if candidate.level < arc.level]
            away = (self.top if side < 0 else self.bottom) + _heights(nearer) + (arc.height if side > 0 else 0) + 4
            left, right = self.x(arc.source), self.x(arc.target)
            toward = 1 if right > left else -1
            y, edge = self.y + side * away, self.y + side * 14
            left += toward * _SIDE
            right -= toward * _SIDE
            start = self.y + side * 13
            yield _path(
                f"M{number(left)} {number(start)} L{number(left)} {number(y - side * 10)} "
                f"Q{number(left)} {number(y)} {number(left + toward * 10)} {number(y)} "
                f"L{number(right - toward * 10)} {number(y)} Q{number(right)} {number(y)} {number(right)} "
                f"{number(y - side * 10)} L{number(right)} {number(edge)}"
            )
            self.texts += _texts(arc, (left + right) / 2, y - 5 - arc.height)

    def state(self, state: int, x: float) -> Iterator[str]:
        """Yield a circle with the number of a state; a final one has two lines."""
        place = f'cx="{number(x)}" cy="{number(self.y)}"'
        final = state in self.automaton.finals
        yield f'<circle class="state{" final" if final else ""}" {place} r="{number(_RADIUS)}"/>'
        if final:
            yield f'<circle class="inner" {place} r="{number(_RADIUS - 4)}"/>'
        yield f'<text class="name" x="{number(x)}" y="{number(self.y + 4)}">q{state}</text>'
        if state in self.notes:
            below = number(self.y + _RADIUS + 15)
            yield f'<text class="note" x="{number(x)}" y="{below}">{escaped(self.notes[state])}</text>'


def _in_order(automaton: Automaton) -> list[int]:
    """Return the states by the number of events that reach them, the initial one first."""
    ordered, reached = [automaton.initial], {automaton.initial}
    for state in ordered:
        for transition in automaton.transitions:
            if transition.source == state and transition.target not in reached:
                reached.add(transition.target)
                ordered.append(transition.target)
    return ordered + [state for state in range(automaton.size) if state not in reached]


def _levels(arcs: list[_Arc]) -> list[_Arc]:
    """Return the arcs on levels without overlaps, the short ones nearest to the row."""
    levels: list[list[_Arc]] = []
    for arc in sorted(arcs, key=lambda arc: (arc.ends[1] - arc.ends[0], arc.ends)):
        taken = [number for number, level in enumerate(levels) if any(_overlap(arc, neighbour) for neighbour in level)]
        number = max(taken) + 1 if taken else 0
        if number == len(levels):
            levels.append([])
        levels[number].append(_Arc(arc.source, arc.target, arc.labels, number))
    return [arc for level in levels for arc in level]


def _overlap(left: _Arc, right: _Arc) -> bool:
    return left.ends[0] < right.ends[1] and right.ends[0] < left.ends[1]


def _heights(arcs: list[_Arc]) -> float:
    """Return the height of levels of arcs."""
    levels: dict[int, float] = {}
    for arc in arcs:
        levels[arc.level] = max(levels.get(arc.level, 0.0), arc.height + 14)
    return sum(levels.values())


def _texts(arc: _Arc, x: float, y: float) -> Iterator[str]:
    for place, label in enumerate(arc.labels, 1):
        text, width = escaped(shortened(label, _CHARACTERS)), _width(label) + 4
        yield (
            f'<rect class="paper" x="{number(x - width / 2)}" y="{number(y + (place - 1) * _LINE + 3)}" '
            f'width="{number(width)}" height="{number(_LINE)}"/>'
        )
        at = f'x="{number(x)}" y="{number(y + place * _LINE)}"'
        yield f'<text class="label" {at}><title>{escaped(label)}</title>{text}</text>'


def _width(label: str) -> float:
    return min(len(label), _CHARACTERS) * _CHARACTER


def _path(data: str) -> str:
    return f'<path class="edge" marker-end="url(#arrow-automaton)" d="{data}"/>'
