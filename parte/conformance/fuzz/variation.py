"""Variants of a trace: a few changes to its events, which cost less than drawing a trace.

Equal attributes, equal contents and distances near the ends of a window are rare in drawn traces, and engines get them
wrong; so changes copy from one event to another and move events by the distances that the program names.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from parte.conformance.fuzz.draw import Draw
from parte.semantics.events.event import Event, TraceItem
from parte.semantics.events.promises import Pair

_MOST_CHANGES = 3


def varied(items: Sequence[TraceItem], draw: Draw, distances: Sequence[int] = (0,)) -> tuple[TraceItem, ...]:
    """Return the trace with one to three events changed; the events of a changed source and template arrive in order,
    without promises."""
    changed = list(items)
    touched: set[Pair] = set()
    for _ in range(draw.integer(1, _MOST_CHANGES)):
        places = [index for index, item in enumerate(changed) if isinstance(item, Event)]
        if not places:
            break
        index = draw.choice(places)
        event, model = changed[index], changed[draw.choice(places)]
        assert isinstance(event, Event)
        assert isinstance(model, Event)
        after = _changed(event, model, distances, draw)
        touched |= {(event.source, event.template), (after.source, after.template)}
        if after.id == event.id:
            changed[index] = after
        elif all(item.id != after.id for item in changed if isinstance(item, Event)):
            changed.insert(draw.integer(index, len(changed)), after)
    return in_order(changed, touched)


def varied_in_order(items: Sequence[TraceItem], draw: Draw) -> tuple[TraceItem, ...]:
    """Return a variant of a trace of events in the order of time, which remains in order."""
    changed = varied(items, draw)
    times = sorted(item.timestamp for item in changed)
    return tuple(replace(item, timestamp=time) for item, time in zip(changed, times, strict=True))


def _changed(event: Event, model: Event, distances: Sequence[int], draw: Draw) -> Event:
    match draw.integer(0, 5):
        case 0:
            return replace(event, timestamp=model.timestamp + draw.choice(distances) + draw.integer(-1, 1))
        case 1:
            return replace(event, timestamp=model.timestamp)
        case 2:
            return replace(event, attributes=model.attributes)
        case 3:
            return replace(event, source=model.source)
        case 4:
            return replace(event, template=model.template)
        case _:
            return replace(event, id=f"{event.id}b")


def all_in_order(items: Sequence[TraceItem]) -> tuple[TraceItem, ...]:
    """Return the trace without promises, the events of each source and template in order of time."""
    return in_order(items, {(item.source, item.template) for item in items})


def in_order(items: Sequence[TraceItem], pairs: Iterable[Pair]) -> tuple[TraceItem, ...]:
    """Return the trace without the progress lines of some pairs, whose events arrive in order of time at the same
    places."""
    concerned = set(pairs)
    remaining = [item for item in items if isinstance(item, Event) or (item.source, item.template) not in concerned]
    for pair in concerned:
        places = [i for i, item in enumerate(remaining) if (item.source, item.template) == pair]
        for place, item in zip(places, sorted((remaining[i] for i in places), key=lambda e: e.timestamp), strict=True):
            remaining[place] = item
    return tuple(remaining)
