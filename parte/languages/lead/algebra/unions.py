"""Matches as values: their order ≺, unions, and shared events (specification: lead-denotation; L §3.3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from parte.languages.lead.semantics.syntax.matches import Bound, Match, Occurrence

Matches = Sequence[Match]
Positions = frozenset[tuple[int, int]]


def precedes(match: Match) -> tuple[object, ...]:
    """≺ as a key: by end, then by positions in the order of the pattern, then by names."""
    return match.end, tuple(_positions(match)), _names(match)


def _positions(match: Match) -> Iterable[tuple[int, int]]:
    for _, bound in match.bindings:
        if isinstance(bound, Occurrence):
            yield bound.position
        else:
            for item in bound:
                yield from _positions(item)


def _names(match: Match) -> tuple[tuple[str, object], ...]:
    return tuple(
        (name, () if isinstance(bound, Occurrence) else tuple(map(_names, bound))) for name, bound in match.bindings
    )


def new_match(bindings: tuple[tuple[str, Bound], ...], end: int, enabled: int, events: Positions) -> Match:
    """Return a match of these events."""
    return Match(bindings, end, min((time for time, _ in events), default=enabled), events)


def united(left: Match, right: Match, end: int, enabled: int) -> Match:
    """Return m ∪ n, with m first in the order of the text."""
    whole = new_match((*left.bindings, *right.bindings), end, enabled, left.events | right.events)
    return replace(whole, emits=(*left.emits, *right.emits))


def disjoint(left: Match, right: Match) -> bool:
    """Return whether two matches share no event."""
    return left.events.isdisjoint(right.events)
