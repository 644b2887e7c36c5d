"""Variants of a trace: a few changes to its events, which cost less to make than a trace costs to draw.

Equal attributes, equal contents and distances near the ends of a window are rare in what is drawn, and are what engines
get wrong; so changes copy from one event to another and move events by the distances that the program names.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from parte.conformance.fuzz.draw import Draw
from parte.semantics.events.event import Event, TraceItem
from parte.semantics.events.promises import Pair

_MOST_CHANGES = 3


def varied(items: Sequence[TraceItem], draw: Draw, distances: Sequence[int] = (0,)) -> tuple[TraceItem, ...]:
    """The trace with one to three events changed; a pair that a change touches speaks in order and promises nothing."""
    changed = list(items)
    touched: set[Pair] = set()
    for _ in range(draw.integer(1, _MOST_CHANGES)):
        places = [index for index, item in enumerate(changed) if isinstance(item, Event)]
        if not places:
            break
        index = draw.choice(places)
        event, other = changed[index], changed[draw.choice(places)]
        assert isinstance(event, Event)
        assert isinstance(other, Event)
        after = _changed(event, other, distances, draw)
        touched |= {(event.source, event.template), (after.source, after.template)}
        if after.id == event.id:
            changed[index] = after
        elif all(item.id != after.id for item in changed if isinstance(item, Event)):
            changed.insert(draw.integer(index, len(changed)), after)
    return in_order(changed, touched)


def varied_in_order(items: Sequence[TraceItem], draw: Draw) -> tuple[TraceItem, ...]:
    """The same of a trace of events in the order of time, which stays so."""
    changed = varied(items, draw)
    times = sorted(item.timestamp for item in changed)
    return tuple(replace(item, timestamp=time) for item, time in zip(changed, times, strict=True))


def _changed(event: Event, other: Event, distances: Sequence[int], draw: Draw) -> Event:
    match draw.integer(0, 5):
        case 0:
            return replace(event, timestamp=other.timestamp + draw.choice(distances) + draw.integer(-1, 1))
        case 1:
            return replace(event, timestamp=other.timestamp)
        case 2:
            return replace(event, attributes=other.attributes)
        case 3:
            return replace(event, source=other.source)
        case 4:
            return replace(event, template=other.template)
        case _:
            return replace(event, id=f"{event.id}b")


def all_in_order(items: Sequence[TraceItem]) -> tuple[TraceItem, ...]:
    """The trace without promises, the events of each source and template in order of time."""
    return in_order(items, {(item.source, item.template) for item in items})


def in_order(items: Sequence[TraceItem], pairs: Iterable[Pair]) -> tuple[TraceItem, ...]:
    """The trace without the progress lines of some pairs, whose events arrive in order of time at the same places."""
    concerned = set(pairs)
    kept = [item for item in items if isinstance(item, Event) or (item.source, item.template) not in concerned]
    for pair in concerned:
        places = [i for i, item in enumerate(kept) if (item.source, item.template) == pair]
        for place, item in zip(places, sorted((kept[i] for i in places), key=lambda e: e.timestamp), strict=True):
            kept[place] = item
    return tuple(kept)
