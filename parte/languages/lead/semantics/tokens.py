"""Tokens of the nets (specification: lead-nets; L §5).

The colour of a token is an occurrence, a match, or lists of matches. Its global birth is the start of its match; its
local birth is the instant at which it was put into its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from parte.languages.lead.semantics.syntax.matches import Bound, Match, Occurrence

Positions = frozenset[tuple[int, int]]


@dataclass(slots=True, eq=False)
class Activation:
    """The search for a pattern from an instant on (L's predicate In).

    `names` are the events that are bound to its left, `used` the events that it must not bind, `spent` the events that
    earlier matches of `every` bind. Closing an activation disables all that it enables.

    A token can only come to an activation from a token of it that waits for an arrival, from its guards, and from the
    activations below it: `waiting` counts the first two, and `below` has those that are not closed.
    """

    number: int
    enabled: int
    names: Mapping[str, Occurrence]
    used: Positions
    spent: Positions
    parent: Activation | None
    closed: bool = False
    waiting: int = 0
    below: set[Activation] = field(default_factory=set)

    @property
    def over(self) -> bool:
        """True if no token can come to it any more."""
        return not self.waiting and not self.below


@dataclass(slots=True, eq=False)
class Token:
    """A token: its activation, its colour, and its local birth."""

    activation: Activation
    colour: object
    birth: int = field(default=0)


def match_of(token: Token) -> Match:
    """Return the match that is the colour of a token."""
    assert isinstance(token.colour, Match)
    return token.colour


def order(match: Match) -> tuple[object, ...]:
    """Return the key of ≺: the end, the positions in the order of the pattern, the names."""
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
    """Return a match of both, which ends with the later one."""
    events = left.events | right.events
    return Match(
        left.bindings + right.bindings,
        max(left.end, right.end),
        min(time for time, _ in events) if events else enabled,
        events,
        left.emits + right.emits,
    )


def ending(match: Match, end: int) -> Match:
    """Return the match with another end."""
    return replace(match, end=end)


def nothing(end: int, enabled: int) -> Match:
    """Return a match without events."""
    return Match((), end, enabled, frozenset())


def listed(name: str, items: tuple[Match, ...], end: int, enabled: int) -> Match:
    """Return a match that is a list."""
    events = frozenset[tuple[int, int]]().union(*(item.events for item in items))
    emits = tuple(emitted for item in items for emitted in item.emits)
    return Match(((name, items),), end, min((time for time, _ in events), default=enabled), events, emits)
