"""A trace in time with the matches of a LEAD rule: their intervals, their events, and what they emit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from parte.drawing.timeline import MOST_MATCHES, Row, Timeline, drawn
from parte.languages.lead.semantics.syntax.matches import Match, Occurrence
from parte.semantics.events.duration import duration_text
from parte.semantics.events.event import Event, TraceItem


def draw_matches(items: Sequence[TraceItem], matches: Sequence[Match]) -> Timeline:
    """The events of a trace, and matches of LEAD: from their start to their end, with the events in their lists, and
    what they emit."""
    events = [item for item in items if isinstance(item, Event)]
    shown = {event.id: event for event in events}
    rows, emitted = [], []
    for row, match in enumerate(matches[:MOST_MATCHES], 1):
        bound = dict(_bound(match))
        title = duration_text(match.end - match.start) if not bound else ", ".join(bound.values())
        if match.partition:
            title = f"{', '.join(map(str, match.partition))}: {title}"
        rows.append(
            Row(title, {name: shown[key] for name, key in bound.items() if key in shown}, (match.start, match.end))
        )
        for place, each in enumerate(match.emits, 1):
            attributes = {name: value for name, value in each.attributes if value is not None}
            emitted.append(Event(f"{each.template} of match {row}, {place}", each.template, each.timestamp, attributes))
    return drawn(events, emitted, rows, ("match", len(matches)))


def _bound(match: Match, beginning: str = "") -> Iterator[tuple[str, str]]:
    """The ids of the events of a match by what they are called in it: `pulses[2].p` in a list."""
    for name, bound in match.bindings:
        if isinstance(bound, Occurrence):
            yield f"{beginning}{name}", bound.event.id
        else:
            for place, item in enumerate(bound, 1):
                yield from _bound(item, f"{beginning}{name}[{place}].")
