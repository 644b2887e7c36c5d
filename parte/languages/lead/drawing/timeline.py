"""A trace in time with the matches of a LEAD rule: their intervals, their events, and the events that they emit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from parte.drawing.timeline import MOST_MATCHES, Row, Timeline, drawn
from parte.languages.lead.semantics.syntax.matches import Match, Occurrence
from parte.semantics.events.duration import duration_text
from parte.semantics.events.event import Event, TraceItem


def draw_matches(items: Sequence[TraceItem], matches: Sequence[Match]) -> Timeline:
    """Draw the events of a trace and the matches of LEAD: each from its start to its end, with the events in its
    lists and the events that it emits."""
    events = [item for item in items if isinstance(item, Event)]
    by_id = {event.id: event for event in events}
    rows, emitted = [], []
    for row, match in enumerate(matches[:MOST_MATCHES], 1):
        bound = dict(_bound(match))
        title = duration_text(match.end - match.start) if not bound else ", ".join(bound.values())
        if match.partition:
            title = f"{', '.join(map(str, match.partition))}: {title}"
        rows.append(
            Row(title, {name: by_id[key] for name, key in bound.items() if key in by_id}, (match.start, match.end))
        )
        for place, emission in enumerate(match.emits, 1):
            attributes = {name: value for name, value in emission.attributes if value is not None}
            emitted.append(
                Event(f"{emission.template} of match {row}, {place}", emission.template, emission.timestamp, attributes)
            )
    return drawn(events, emitted, rows, ("match", len(matches)))


def _bound(match: Match, beginning: str = "") -> Iterator[tuple[str, str]]:
    """Yield the ids of the events of a match by their names in it: `pulses[2].p` in a list."""
    for name, bound in match.bindings:
        if isinstance(bound, Occurrence):
            yield f"{beginning}{name}", bound.event.id
        else:
            for place, item in enumerate(bound, 1):
                yield from _bound(item, f"{beginning}{name}[{place}].")
