"""Conditions of level 2 for drawn rules of PARTElang."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable

from parte.semantics.events.event import Event

LEVEL = "level 2\n"
OPTIONAL = "l"
"""The attribute that events of programs of level 2 may lack."""


def of_event(source: random.Random, condition: Callable[[], str]) -> str:
    """Return a condition of a pattern: comparisons, membership and presence, joined by `and`, `or` and `not`."""

    def atom() -> str:
        chance = source.random()
        if chance < 0.15:
            return f"{OPTIONAL} is {source.choice(('present', 'missing'))}"
        if chance < 0.3:
            return f"k in ({', '.join(str(source.choice((0, 1, 2, -1))) for _ in range(source.randint(1, 3)))})"
        return condition()

    return compound(source, atom)


def compound(source: random.Random, condition: Callable[[], str], depth: int = 2) -> str:
    """Return conditions joined by `and`, `or` and `not`."""
    chance = source.random()
    if depth == 0 or chance < 0.5:
        return condition()
    if chance < 0.7:
        return f"not ({compound(source, condition, depth - 1)})"
    left, right = (compound(source, condition, depth - 1) for _ in range(2))
    return f"({left} {source.choice(('and', 'or'))} {right})"


def of_times(source: random.Random, variable: str) -> str:
    """Return a condition on the time between an event and that of another variable."""
    operator = source.choice(("=", "!=", "<", "<=", ">", ">="))
    return source.choice(
        (
            f"timestamp - {variable}.timestamp {operator} {source.randint(-3, 3)} ms",
            f"timestamp {operator} {variable}.timestamp",
            f"timestamp {operator} @{source.randint(0, 6)}",
        )
    )


def lacking(source: random.Random, events: Iterable[Event]) -> tuple[Event, ...]:
    """Return events some of which lack the optional attribute."""
    return tuple(
        Event(
            event.id,
            event.template,
            event.timestamp,
            {name: value for name, value in event.attributes.items() if name != OPTIONAL or source.random() < 0.6},
            event.source,
        )
        for event in events
    )
