"""Suppression by `once`: a fold over the events of one emission with equal keys (specification: suppression)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from parte.algebra.partelang.values import NO_VALUE
from parte.semantics.events.event import Event
from parte.semantics.events.match import Match, production_source
from parte.semantics.events.outcome import SuppressedEmission
from parte.semantics.partelang.syntax import core


def without_suppressed(rule: core.Rule, matches: Sequence[Match]) -> tuple[Sequence[Match], list[SuppressedEmission]]:
    """Return all matches of a rule, those of all its cases, without suppressed events, and the suppressed emissions."""
    suppressed: list[SuppressedEmission] = []
    for position, emission in enumerate(rule.emissions, start=1):
        if emission.once is None:
            continue
        source = production_source(rule.reported, position)
        events = [event for match in matches for event in match.emits if event.source == source]
        by = suppressors(emission.once, events)
        remaining = []
        for match in matches:
            for event in match.emits:
                if event.source == source and event.id in by:
                    lost = SuppressedEmission(rule.reported, position, match.bindings, event.id, by[event.id])
                    suppressed.append(lost)
            emits = tuple(event for event in match.emits if event.source != source or event.id not in by)
            remaining.append(replace(match, emits=emits))
        matches = remaining
    return matches, suppressed


def suppressors(once: core.Suppression, events: Iterable[Event]) -> Mapping[str, str]:
    """Return, for the id of each suppressed event of an emission, the id of the event that passed before it."""
    rows = [(event.timestamp, event.id, [event.attributes.get(key, NO_VALUE) for key in once.keys]) for event in events]
    return dict(folded(once.milliseconds, rows))


def folded(milliseconds: int, rows: Iterable[tuple[int, str, Sequence[Any]]]) -> Iterator[tuple[str, str]]:
    """Yield the id of each suppressed event with that of the event that passed before it, given times, ids and keys."""
    passed: dict[tuple[Any, ...], tuple[int, str]] = {}
    for timestamp, identity, values in sorted(rows, key=lambda row: row[:2]):
        key = tuple(values)
        if key not in passed or timestamp >= passed[key][0] + milliseconds:
            passed[key] = timestamp, identity
        else:
            yield identity, passed[key][1]
