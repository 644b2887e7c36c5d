"""A stream of ETALIS in time: its events at their instants, and below them the derived events, with their intervals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib import resources

from parte.drawing.axis import CHARACTER, LABELS, PAD, WIDTH, Axis, label
from parte.drawing.svg import escaped, number, scoped, shortened
from parte.drawing.timeline import Timeline, counted
from parte.languages.etalis.semantics.syntax.streams import Arguments, Instant, IntervalEvent
from parte.languages.etalis.semantics.syntax.values import Number, rank, text_of

MOST_EVENTS, MOST_DERIVED = 300, 200
"""The greatest numbers of events of the stream and of derived events in a drawing; a line gives the number of further
ones."""

_LANE, _BAR, _GAP, _APART = 24, 14, 14, 8.0
_CHARACTERS = 28
"""The greatest number of characters of arguments beside a bar."""

_CLASS = "parte-intervals"
_STYLE = resources.files(__package__).joinpath("intervals.css").read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class _Excerpt:
    """The part of a stream that is drawn: its first events and the first derived ones, and the numbers of further
    ones."""

    stream_events: Sequence[tuple[str, Arguments, Number]]
    derived: Sequence[IntervalEvent]
    more: tuple[int, int]

    @property
    def span(self) -> tuple[Number, Number]:
        """The first and the last time."""
        times = [time for _, _, time in self.stream_events]
        times += [time for event in self.derived for time in (event.start, event.end)]
        return min(times, default=0), max(times, default=0)

    def notes(self) -> Iterator[str]:
        """Yield notes about the events that are left out."""
        for count, what in zip(self.more, ("events of the stream", "derived events"), strict=True):
            if count:
                yield f"{count:,} more {what} are not drawn"


def _excerpt(instants: Sequence[Instant], derived: Sequence[IntervalEvent]) -> _Excerpt:
    stream_events = [
        (name, arguments, instant.time)
        for instant in instants
        for name, arguments in sorted(instant.atoms, key=lambda atom: (atom[0], tuple(map(rank, atom[1]))))
    ]
    more = max(0, len(stream_events) - MOST_EVENTS), max(0, len(derived) - MOST_DERIVED)
    return _Excerpt(stream_events[:MOST_EVENTS], derived[:MOST_DERIVED], more)


def atom_text(name: str, arguments: Arguments) -> str:
    """Return an event without its interval."""
    return f"{name}({', '.join(map(text_of, arguments))})" if arguments else name


# --- SVG --------------------------------------------------------------------------------------------------------------


def draw_intervals(instants: Sequence[Instant], derived: Sequence[IntervalEvent]) -> Timeline:
    """Return a drawing with a lane for the events of each name; derived events that overlap stand below each other in
    it."""
    return Timeline("".join(f"{line}\n" for line in _document(_excerpt(instants, derived))))


def _document(excerpt: _Excerpt) -> Iterator[str]:
    first, last = excerpt.span
    last = max(last, first + 1) if first == last else last
    axis: Axis[Number] = Axis(first, last, _brief, lambda count: _divided(first, last, count))
    body: list[str] = []
    bottom = 28.0
    for name in dict.fromkeys(name for name, _, _ in excerpt.stream_events):
        body += _lane(name, excerpt, axis, bottom + _LANE / 2)
        bottom += _LANE
    bottom += _GAP
    for name in dict.fromkeys(event.name for event in excerpt.derived):
        rows = _packed([event for event in excerpt.derived if event.name == name], axis)
        body.append(label(name, bottom + _LANE / 2 + 4, "head"))
        for row in rows:
            body += [line for event in row for line in _bar(event, axis, bottom + _LANE / 2)]
            bottom += _LANE
    for note in excerpt.notes():
        body.append(f'<text class="axis" x="8" y="{number(bottom + 12)}">{escaped(note)}</text>')
        bottom += _LANE
    height = number(bottom + PAD)
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
        f'role="img" class="{_CLASS}">'
    )
    stream_events, derived = (
        counted(len(excerpt.stream_events), "event"),
        counted(len(excerpt.derived), "derived event"),
    )
    yield f"<title>Timeline of {stream_events} and {derived}</title>"
    yield f"<style>{scoped(_STYLE, _CLASS)}</style>"
    yield f'<rect class="paper" width="{WIDTH}" height="{height}"/>'
    yield from axis.drawn(bottom)
    yield from body
    yield "</svg>"


def _brief(time: Number) -> str:
    return shortened(text_of(time), 14)


def _divided(first: Number, last: Number, count: int) -> list[Number]:
    """Return times that divide the stream, whole ones if it is long enough."""
    if last - first >= count:
        return [first, *(int(first + Fraction(last - first) * tick / count) for tick in range(1, count)), last]
    return [first + Fraction(last - first) * tick / count for tick in range(count + 1)]


def _lane(name: str, excerpt: _Excerpt, axis: Axis[Number], y: float) -> Iterator[str]:
    """Yield the events of the stream with this name."""
    yield label(name, y + 4)
    yield f'<line class="lane" x1="{LABELS}" x2="{WIDTH}" y1="{number(y)}" y2="{number(y)}"/>'
    for event_name, arguments, time in excerpt.stream_events:
        if event_name == name:
            title = escaped(f"{atom_text(name, arguments)} at {text_of(time)}")
            place = f'cx="{number(axis.x(time))}" cy="{number(y)}"'
            yield f'<circle class="event" {place} r="5"><title>{title}</title></circle>'


def _beside(event: IntervalEvent) -> str:
    """Return the text beside the bar of an event."""
    return shortened(", ".join(map(text_of, event.arguments)), _CHARACTERS)


def _extent(event: IntervalEvent, axis: Axis[Number]) -> tuple[float, float, float]:
    """Return the begin and end of the bar of an event, and the begin of the text beside it: after the bar, or before it
    at the end of the drawing."""
    start, end = axis.x(event.start) - 3, axis.x(event.end) + 3
    width = len(_beside(event)) * CHARACTER
    after = end + 5
    return start, end, after if after + width <= WIDTH else start - 5 - width


def _packed(events: Sequence[IntervalEvent], axis: Axis[Number]) -> list[list[IntervalEvent]]:
    """Return rows without contacts, each event in the first row with room."""
    rows: list[list[IntervalEvent]] = []
    taken: list[list[tuple[float, float]]] = []
    for event in sorted(events, key=lambda event: (event.start, event.end)):
        start, end, beside = _extent(event, axis)
        left, right = min(start, beside) - _APART, max(end, beside + len(_beside(event)) * CHARACTER)
        row = next(
            (place for place, used in enumerate(taken) if all(right < begin or close < left for begin, close in used)),
            len(rows),
        )
        if row == len(rows):
            rows.append([])
            taken.append([])
        rows[row].append(event)
        taken[row].append((left, right))
    return rows


def _bar(event: IntervalEvent, axis: Axis[Number], y: float) -> Iterator[str]:
    """Yield a derived event: a bar, or a diamond if it is an instant; its arguments beside it."""
    start, end, beside = _extent(event, axis)
    interval = f"[{text_of(event.start)}, {text_of(event.end)}]"
    title = f"<title>{escaped(f'{atom_text(event.name, event.arguments)} {interval}')}</title>"
    if event.start == event.end:
        x = (start + end) / 2
        corners = " ".join(f"{number(x + dx)},{number(y + dy)}" for dx, dy in ((0, -6), (6, 0), (0, 6), (-6, 0)))
        yield f'<polygon class="point" points="{corners}">{title}</polygon>'
    else:
        yield (
            f'<rect class="bar" x="{number(start)}" y="{number(y - _BAR / 2)}" width="{number(end - start)}" '
            f'height="{_BAR}" rx="4">{title}</rect>'
        )
    if event.arguments:
        yield f'<text x="{number(beside)}" y="{number(y + 4)}">{escaped(_beside(event))}</text>'


# --- Text -------------------------------------------------------------------------------------------------------------


def write_intervals(instants: Sequence[Instant], derived: Sequence[IntervalEvent], width: int) -> str:
    """Return the drawing as text for a terminal of `width` columns: a line for the events of each name, then one for
    each derived event, by start and end."""
    excerpt = _excerpt(instants, derived)
    names = dict.fromkeys(name for name, _, _ in excerpt.stream_events)
    texts = {event: atom_text(event.name, event.arguments) for event in excerpt.derived}
    margin = min(max(map(len, (*names, *texts.values())), default=0), max(8, width // 3))
    room = max(10, width - margin - 2)
    first, last = excerpt.span

    def column(time: Number) -> int:
        return int((room - 1) * Fraction(time - first) / (last - first)) if last > first else 0

    def line(text: str, cells: str) -> str:
        return f"{shortened(text, margin):{margin}}  {cells}".rstrip()

    begin, end = _brief(first), _brief(last)
    axis = f"{begin}{' ' * max(1, room - len(begin) - len(end))}{end}" if last > first else begin
    lines = [line("", axis)]
    for name in names:
        cells = [" "] * room
        for event_name, _, time in excerpt.stream_events:
            if event_name == name:
                cells[column(time)] = "●"
        lines.append(line(name, "".join(cells)))
    if texts:
        lines.append(line("", "─" * room))
    for event in sorted(excerpt.derived, key=lambda event: (event.start, event.end)):
        left, right = column(event.start), column(event.end)
        bar = "◆" if event.start == event.end else "├" + "─" * (right - left - 1) + "┤" * (right > left)
        lines.append(line(texts[event], " " * left + bar))
    return "".join(f"{text_line}\n" for text_line in (*lines, *excerpt.notes()))
