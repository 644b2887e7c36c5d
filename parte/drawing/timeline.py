"""A trace as a timeline: a lane for each source and template, and below it every match with its events and windows,
or every complex event with its interval."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from html import escape
from importlib import resources
from types import MappingProxyType

from parte.algebra.partelang.set_demands import sets_beside
from parte.drawing.axis import CHARACTER, LABELS, PAD, TICKS, Axis, label
from parte.drawing.svg import cleaned, escaped, number, scoped, shortened
from parte.drawing.wording import interval_text
from parte.semantics.events.complex_event import ComplexEvent
from parte.semantics.events.domain import Predicates
from parte.semantics.events.duration import duration_text
from parte.semantics.events.event import Event, TraceItem
from parte.semantics.events.match import Match
from parte.semantics.partelang.syntax import core

MOST_EVENTS, MOST_MATCHES = 300, 20
"""The greatest numbers of events and matches that are drawn. The events of these matches are drawn first, and all of
them. A line states how many more there are."""

_LANE, _ROW, _GAP = 26, 18, 14
_DOT = 6
"""Half of the room that an event takes in its lane."""
_ID_CHARACTERS = 30
_DAY = 86_400_000
_ROUND = tuple(
    unit * times
    for unit, several in (
        (1, (1, 2, 5, 10, 20, 50, 100, 200, 500)),
        (1_000, (1, 2, 5, 10, 15, 30)),
        (60_000, (1, 2, 5, 10, 15, 30)),
        (3_600_000, (1, 2, 3, 6, 12)),
        (_DAY, (1, 2, 5, 10, 20, 50, 100, 200, 500)),
    )
    for times in several
)
"""The distances between ticks, in ms; beyond the last one, it is multiplied by ten as often as needed."""
_EPOCH_LIKE = 10**11
"""The least timestamp that is shown as a date (1973)."""

_CLASS = "parte-timeline"
_STYLE = resources.files(__package__).joinpath("timeline.css").read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Timeline:
    """A drawing of a trace with matches, which notebooks display. `svg` is self-contained."""

    svg: str

    def _repr_svg_(self) -> str:
        return self.svg


def draw_timeline(
    items: Sequence[TraceItem],
    matches: Sequence[Match] = (),
    program: core.Program | None = None,
    *,
    predicates: Predicates = MappingProxyType({}),
    fluid: bool = False,
) -> Timeline:
    """Draw the events of a trace in time, and matches on it; with the program, also the windows of each match.

    The elements of a set are marked on its window, unless its conditions need predicates that are not given. A fluid
    drawing is part of a page: it is as wide as its place, and the names of lanes and rows stand above them.
    """
    events = [item for item in items if isinstance(item, Event)]
    emitted = [event for match in matches[:MOST_MATCHES] for event in match.emits]
    known = {event.id: event for event in (*events, *emitted)}
    read = {**known, **{event.id: event for match in matches[MOST_MATCHES:] for event in match.emits}}
    rows = [_of_match(match, program, read, predicates) for match in matches[:MOST_MATCHES]]
    return drawn(events, emitted, rows, ("match", len(matches)), fluid=fluid)


def draw_results(items: Sequence[TraceItem], results: Sequence[ComplexEvent]) -> Timeline:
    """Draw the events of a trace, and complex events on it: their intervals, and the events that make them up.

    If timestamps decrease, or are all equal, events are drawn at their positions, because only these count then.
    """
    events = [item for item in items if isinstance(item, Event)]
    times = [event.timestamp for event in events]
    at_positions = times != sorted(times) or len(set(times)) < 2
    if at_positions:
        events = [replace(event, timestamp=position) for position, event in enumerate(events)]
    rows = [_of_result(result, events) for result in results[:MOST_MATCHES]]
    return drawn(events, (), rows, ("result", len(results)), at_positions=at_positions)


@dataclass(frozen=True, slots=True)
class Band:
    """A stretch of time below a row: its words, its style (`window`, `forbidden`, `set`), its first and last time, the
    event that it allows, and its elements by their tooltips."""

    words: str
    style: str
    interval: tuple[int, int]
    bound: Event | None = None
    elements: Mapping[str, Event] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a timeline: its title, its events by their names in it, its interval, and the bands below it."""

    title: str
    events: Mapping[str, Event]
    interval: tuple[int, int] | None = None
    bands: Sequence[Band] = ()


def _of_match(match: Match, program: core.Program | None, known: Mapping[str, Event], predicates: Predicates) -> Row:
    ids = ", ".join(name for _, name in match.bindings)
    bound = {variable: known[name] for variable, name in match.bindings if name in known}
    title = f"{match.rule} ({ids})"
    if program is None:
        return Row(title, bound)
    rule = program.rule(match.rule).written
    sets = sets_beside(rule, bound, tuple(known.values()), predicates)
    collected = frozenset(pattern.variable for pattern in rule.collected)
    selected = {variable: choice.event for variable, choice in program.rule(match.rule).selections.items()}
    return Row(title, bound, None, [*windows_of(rule.constraints, bound, collected, selected, sets)])


def windows_of(
    constraints: Sequence[core.Constraint],
    bound: Mapping[str, Event],
    collected: frozenset[str] = frozenset(),
    selected: Mapping[str, str] = MappingProxyType({}),
    sets: Mapping[str, Sequence[Event]] = MappingProxyType({}),
) -> Iterator[Band]:
    """Yield the times that constraints allow for their events, forbid for every event that fits the negated pattern, or
    have the elements of a set in. `selected` has the word of each variable whose event is chosen."""
    for constraint in constraints:
        subject, reference = constraint.subject, constraint.reference
        if reference in bound:
            chosen = selected.get(subject)
            word = "all " if subject in collected else f"{chosen} " if chosen else "no " * constraint.negated
            words = f"{word}{subject} in {reference} {interval_text(constraint.begins, constraint.upper)}"
            style = "set" if subject in collected else "forbidden" if constraint.negated else "window"
            times = (bound[reference].timestamp + constraint.begins, bound[reference].timestamp + constraint.upper)
            elements = {f"{subject} has {element.id}": element for element in sets.get(subject, ())}
            yield Band(words, style, times, bound.get(subject), elements)


def _of_result(result: ComplexEvent, events: Sequence[Event]) -> Row:
    marked = {str(position): events[position] for position in result.positions}
    title = f"[{result.start}, {result.end}] ({', '.join(events[position].id for position in result.positions)})"
    return Row(title, marked, (events[result.start].timestamp, events[result.end].timestamp))


def drawn(
    events: Sequence[Event],
    emitted: Sequence[Event],
    rows: Sequence[Row],
    total: tuple[str, int],
    *,
    at_positions: bool = False,
    fluid: bool = False,
    lanes: Mapping[str, str] = MappingProxyType({}),
    styles: Mapping[str, str] = MappingProxyType({}),
) -> Timeline:
    """Draw events, and rows below them, of `total` things of a name. `lanes` and `styles` have the lanes and styles of
    events by their ids, instead of the usual ones."""
    bound = {event.id for row in rows for event in row.events.values()}
    elements = [event.id for row in rows for band in row.bands for event in band.elements.values()]
    bound.update(elements[:MOST_EVENTS])
    first = sorted(range(len(events)), key=lambda place: events[place].id not in bound)
    most = max(MOST_EVENTS, len(bound))
    visible = [events[place] for place in sorted(first[:most])]
    drawing = _Drawing(visible, emitted, rows, total, at_positions, fluid, lanes, styles)
    drawing.left_out = {"event": max(0, len(events) - most), total[0]: max(0, total[1] - MOST_MATCHES)}
    return Timeline("".join(f"{line}\n" for line in drawing.document()))


def counted(count: int, what: str, more: str = "") -> str:
    """Return a count with its noun, which is given in the singular."""
    plural = "" if count == 1 else "es" if what.endswith("ch") else "s"
    return f"{count:,} {more}{what}{plural}"


class _Drawing:
    def __init__(
        self,
        events: Sequence[Event],
        emitted: Sequence[Event],
        rows: Sequence[Row],
        total: tuple[str, int],
        at_positions: bool,
        fluid: bool,
        lanes: Mapping[str, str],
        styles: Mapping[str, str],
    ) -> None:
        self.named, self.styles = lanes, styles
        self.events = events
        self.rows = rows
        self.total = total
        self.at_positions = at_positions
        self.left_out: Mapping[str, int] = {}
        self.known: Mapping[str, Event] = {event.id: event for event in (*events, *emitted)}
        self.emitted = {event.id for event in emitted}
        several = dict.fromkeys(self.lane(event) for event in self.known.values())
        self.lanes = {lane: index for index, lane in enumerate(several)}
        times = [event.timestamp for event in self.known.values()] or [0]
        times += [time for row in rows for time in row.interval or ()]
        self.first, self.last = min(times), max(max(times), min(times) + 1)
        self.axis = Axis(self.first, self.last, self.time_text, self.divided, fluid)
        self.above = _ROW if fluid else 0
        """The height of a name above its lane or row; 0 if it stands to the left."""

    def lane(self, event: Event) -> str:
        """Return the lane of an event: emitted events have a lane for each template."""
        if event.id in self.named:
            return self.named[event.id]
        return f"{event.template} (emitted)" if event.id in self.emitted else f"{event.template} · {event.source}"

    def document(self) -> Iterator[str]:
        """Yield the lines of the SVG document."""
        body = list(self.body())
        height, width = self.bottom + PAD, self.axis.width
        box = 'width="100%"' if self.axis.fluid else f'width="{width}" viewBox="0 0 {width} {number(height)}"'
        yield (f'<svg xmlns="http://www.w3.org/2000/svg" {box} height="{number(height)}" role="img" class="{_CLASS}">')
        events, rows = counted(len(self.events), "event"), counted(len(self.rows), self.total[0])
        yield f"<title>Timeline of {events} and {rows}</title>"
        yield f"<style>{scoped(_STYLE, _CLASS)}</style>"
        yield f'<rect class="paper" width="100%" height="{number(height)}"/>'
        yield from self.axis.drawn(self.bottom)
        yield from body
        yield "</svg>"

    def divided(self, count: int) -> list[int]:
        """Return round times within the trace, at most one more than `count`."""
        span = self.last - self.first
        step = next((step for step in _ROUND if span // step <= count), _ROUND[-1])
        while span // step > count:
            step *= 10
        return list(range(-(-self.first // step) * step, self.last + 1, step)) or [self.first]

    def time_text(self, time: int) -> str:
        """Return a time as a date if it looks like one, else in readable units; as a number if there is no such
        date."""
        if self.at_positions:
            return str(time)
        if abs(time) < _EPOCH_LIKE:
            return duration_text(time)
        try:
            # Of whole seconds, because a float cannot hold every millisecond.
            moment = datetime.fromtimestamp(time // 1000, UTC)
        except (OverflowError, ValueError, OSError):
            return str(time)
        if self.first // _DAY == self.last // _DAY:
            day = ""
        elif time % _DAY == 0 and self.last - self.first >= 2 * _DAY:
            return f"{moment:%Y-%m-%d}"
        else:
            day = f"{moment:%Y-%m-%d} "
        seconds = "" if day and time % 60_000 == 0 else f"{moment:%S}"
        fraction = f".{time % 1000:03}" if self.last - self.first < TICKS * 1000 else ""
        return f"{day}{moment:%H:%M}{f':{seconds}' * bool(seconds)}{fraction}"

    def moment_text(self, time: int) -> str:
        """Return a time in full, as precisely as it is known."""
        try:
            moment = datetime.fromtimestamp(time // 1000, UTC)
        except (OverflowError, ValueError, OSError):
            return str(time)
        if self.at_positions or abs(time) < _EPOCH_LIKE:
            return self.time_text(time)
        return f"{moment:%Y-%m-%d %H:%M:%S}" + (f".{time % 1000:03}" if time % 1000 else "")

    def body(self) -> Iterator[str]:
        """Yield lanes with their events, then the matches. Store the end of the drawing in `bottom`."""
        y = 28.0
        start, height = 0 if self.above else LABELS, _LANE + self.above
        middles = {lane: y + self.above + index * height + _LANE / 2 for lane, index in self.lanes.items()}
        for lane, middle in middles.items():
            yield label(lane, middle - 20 if self.above else middle + 4)
            yield f'<line class="lane" x1="{start}" x2="100%" y1="{number(middle)}" y2="{number(middle)}"/>'
        for event in self.known.values():
            yield self.dot(event, middles[self.lane(event)])
        yield from self.ids(middles)
        y += len(self.lanes) * height + _GAP
        for row in self.rows:
            yield from self.row(row, y)
            y += (1 + len(row.bands)) * (_ROW + self.above) + _GAP
        for what, count in self.left_out.items():
            if count:
                more = f"{counted(count, what, 'more ')} {'is' if count == 1 else 'are'} not drawn"
                yield f'<text class="axis" x="8" y="{number(y + 12)}">{more}</text>'
                y += _ROW
        self.bottom = y

    def dot(self, event: Event, y: float) -> str:
        """Return an event; its tooltip has all its attributes."""
        details = ", ".join(f"{name} = {value!r}" for name, value in event.attributes.items())
        title = escaped(f"{event.id} at {self.moment_text(event.timestamp)}\n{details}")
        usual = "emitted" if event.id in self.emitted else "event"
        css, x = self.styles.get(event.id, usual), self.axis.at(event.timestamp)
        named = f'class="{css}" data-event="{escape(cleaned(event.id))}"'
        return f'<circle {named} cx="{x}" cy="{number(y)}" r="5"><title>{title}</title></circle>'

    def ids(self, middles: Mapping[str, float]) -> Iterator[str]:
        """Yield the ids of events that have room beside their event without covering another one."""
        lanes: dict[str, list[Event]] = {lane: [] for lane in self.lanes}
        for event in self.known.values():
            lanes[self.lane(event)].append(event)
        for lane, events in lanes.items():
            placed = sorted((self.axis.x(event.timestamp), event.id, event.timestamp) for event in events)
            above = number(middles[lane] - 4)
            free = 0.0 if self.above else float(LABELS)
            for (x, name, time), (following, *_) in zip(
                placed, (*placed[1:], (self.axis.width + _DOT, "", 0)), strict=True
            ):
                text = shortened(name, _ID_CHARACTERS)
                width, place = len(text) * CHARACTER, f'x="{self.axis.at(time)}" y="{above}"'
                if x + _DOT + width <= following - _DOT:
                    yield f'<text class="id" {place} dx="{_DOT}">{escaped(text)}</text>'
                    free = x + _DOT + width
                    continue
                if free <= x - _DOT - width:
                    yield f'<text class="id" {place} dx="{-_DOT}" text-anchor="end">{escaped(text)}</text>'
                free = x + _DOT

    def row(self, row: Row, y: float) -> Iterator[str]:
        """Yield a row with its match or result, and one for each of its windows."""
        yield label(row.title, y + 12, "head")
        y += self.above
        if row.interval is not None:
            start, end = map(self.axis.x, row.interval)
            within = f'x="{number(start - 6)}" width="{number(end - start + 12)}"'
            if self.axis.fluid:
                within = f'x="{self.axis.at(row.interval[0])}" width="{self.axis.span(*row.interval, 2.0)}"'
            yield f'<rect class="interval" {within} y="{number(y + 1)}" height="14" rx="7"/>'
        times = [event.timestamp for event in row.events.values()]
        if times:
            middle, ends = number(y + 8), (self.axis.at(min(times)), self.axis.at(max(times)))
            yield f'<line class="thread" x1="{ends[0]}" x2="{ends[1]}" y1="{middle}" y2="{middle}"/>'
        for variable, event in row.events.items():
            title = escaped(f"{variable} = {event.id}")
            x = self.axis.at(event.timestamp)
            yield f'<circle class="bound" cx="{x}" cy="{number(y + 8)}" r="4"><title>{title}</title></circle>'
        for place, band in enumerate(row.bands, 1):
            yield from self.band(band, y + place * (_ROW + self.above) - self.above)

    def band(self, band: Band, y: float) -> Iterator[str]:
        """Yield a stretch of time with its events."""
        yield label(f"  {band.words}", y + 12)
        y += self.above
        start, end = band.interval
        yield (
            f'<rect class="{band.style}" x="{self.axis.at(start)}" y="{number(y + 3)}" '
            f'width="{self.axis.span(start, end, 2.0)}" height="{_ROW - 7}" rx="3">'
            f"<title>{escaped(band.words)}</title></rect>"
        )
        if band.bound is not None:
            x = self.axis.at(band.bound.timestamp)
            yield f'<circle class="bound" cx="{x}" cy="{number(y + 8.5)}" r="3.5"/>'
        for title, element in band.elements.items():
            if element.id in self.known:
                x = self.axis.at(element.timestamp)
                middle, title = number(y + 8.5), escaped(title)
                yield f'<circle class="element" cx="{x}" cy="{middle}" r="3.5"><title>{title}</title></circle>'
