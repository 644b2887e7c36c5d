"""Tokens of the nets (specification: lead-nets; L §5).

The colour of a token is an occurrence, a match, or lists of matches; its global birth is the start of its match, its
local one the instant at which it was put where it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from parte.languages.lead.semantics.syntax.matches import Bound, Match, Occurrence

Positions = frozenset[tuple[int, int]]


@dataclass(slots=True, eq=False)
class Activation:
    """That a pattern is looked for from an instant on (L's predicate In).

    `names` are the events that are bound to its left, `used` those that it must not bind, `spent` those that matches
    before it in `every` bind. What a closed activation enables is disabled.
    """

    number: int
    enabled: int
    names: Mapping[str, Occurrence]
    used: Positions
    spent: Positions
    parent: Activation | None
    closed: bool = False

    @property
    def alive(self) -> bool:
        """Whether neither it nor what enabled it is closed."""
        each: Activation | None = self
        while each is not None:
            if each.closed:
                return False
            each = each.parent
        return True


@dataclass(slots=True, eq=False)
class Token:
    """A token: what it belongs to, its colour, and its local birth."""

    activation: Activation
    colour: object
    birth: int = field(default=0)


def match_of(token: Token) -> Match:
    """The match that is the colour of a token."""
    assert isinstance(token.colour, Match)
    return token.colour


def order(match: Match) -> tuple[object, ...]:
    """≺: the end, the positions in the order of the pattern, the names."""
    positions: list[tuple[int, int]] = []

    def walk(bindings: tuple[tuple[str, Bound], ...]) -> tuple[object, ...]:
        names: list[object] = []
        for name, bound in bindings:
            if isinstance(bound, Occurrence):
                positions.append(bound.position)
                names.append((name, ()))
            else:
                names.append((name, tuple(walk(item.bindings) for item in bound)))
        return tuple(names)

    shape = walk(match.bindings)
    return match.end, tuple(positions), shape


def joined(left: Match, right: Match, enabled: int) -> Match:
    """A match of both, which ends with the later."""
    events = left.events | right.events
    return Match(
        left.bindings + right.bindings,
        max(left.end, right.end),
        min(time for time, _ in events) if events else enabled,
        events,
        left.emits + right.emits,
    )


def ending(match: Match, end: int) -> Match:
    """The match with another end."""
    return replace(match, end=end)


def nothing(end: int, enabled: int) -> Match:
    """A match without events."""
    return Match((), end, enabled, frozenset())


def listed(name: str, items: tuple[Match, ...], end: int, enabled: int) -> Match:
    """A match that is a list."""
    events = frozenset[tuple[int, int]]().union(*(item.events for item in items))
    emits = tuple(emitted for item in items for emitted in item.emits)
    return Match(((name, items),), end, min((time for time, _ in events), default=enabled), events, emits)
