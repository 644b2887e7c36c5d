"""A second definition of sequences (EQL/GREEDY), for tests: from each first event always the first event that comes
next; of the chains that until has not ended and that end in one event, the one that starts last. Conditions are those
of the first definition."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from parte.languages.eql.algebra.conditions import fits
from parte.languages.eql.algebra.keys import Key, key_of, written
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.readings import Readings
from parte.semantics.events.event import Event

Json = Any


def results(query: tree.Sequence, events: Sequence[Event], readings: Readings) -> list[Json]:
    """Return the results of a sequence, in order, before its pipes. The reading `pending` is another definition."""
    positive, gaps = tree.positive(query), tree.between(query)
    span = 0 if query.maxspan is None else query.maxspan.milliseconds

    def is_in(position: int, stage: tree.Stage, key: Key) -> bool:
        event = events[position]
        return fits(event, stage.event, readings) and key_of(event, tree.keys_of(query, stage), readings) == key

    def accepted(chain: Sequence[int], key: Key) -> bool:
        first, last = events[chain[0]].timestamp, events[chain[-1]].timestamp
        if query.maxspan is not None and last - first > span:
            return False
        missing: list[tuple[int, int]] = []  # the place of a missing event: the number of its gap, its position
        for position, event in enumerate(events):
            now = event.timestamp
            for number, stages in enumerate(gaps):
                behind = chain[number - 1] if number else None
                ahead = chain[number] if number < len(chain) else None
                by_order = readings.border == "order"
                if behind is not None and not (position > behind if by_order else now > events[behind].timestamp):
                    continue
                if ahead is not None and not (position < ahead if by_order else now < events[ahead].timestamp):
                    continue
                if any(is_in(position, stage, key) for stage in stages):
                    missing.append((number, position))
        if any(0 < number < len(chain) for number, _ in missing):
            return False
        early = [events[position].timestamp for number, position in missing if number == 0]
        late = [events[position].timestamp for number, position in missing if number == len(chain)]
        if readings.absence == "together" and gaps[0] and gaps[-1]:
            return all(end - start > span for start in early for end in late)
        return all(time < last - span for time in early) and all(time > first + span for time in late)

    def ended(chain: Sequence[int], key: Key) -> bool:
        low, high = readings.until == "inclusive", readings.until == "before"
        gaps = [range(left + 1 - low, right + high) for left, right in pairwise(chain)]
        return query.until is not None and any(is_in(place, query.until, key) for gap in gaps for place in gap)

    best: dict[tuple[Key, int], list[int]] = {}
    for start, event in enumerate(events):
        key = key_of(event, tree.keys_of(query, positive[0]), readings)
        if key is None or not is_in(start, positive[0], key):
            continue
        chain: list[int] = [start]
        for stage in positive[1:]:
            later = next((p for p in range(chain[-1] + 1, len(events)) if is_in(p, stage, key)), None)
            if later is None:
                break
            chain.append(later)
        if len(chain) == len(positive) and not ended(chain, key):
            best[key, chain[-1]] = chain  # a later start replaces an earlier one
    chosen = sorted(((chain[-1], chain[0]), chain) for (key, _), chain in best.items() if accepted(chain, key))
    return [
        {
            "keys": written(events[chain[0]], tree.keys_of(query, positive[0])),
            "events": [events[position].id for position in chain],
        }
        for _, chain in chosen
    ]
