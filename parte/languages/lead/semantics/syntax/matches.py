"""Occurrences and matches, in the form that definition and machine share (specification: lead-data)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from parte.semantics.events.event import Event, Value

Json = Any
Keys = tuple[Value, ...]
"""The identity of a partition: the value of each key of PARTITION BY; the value of a window is its number."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """An event in a trace; its position is its time and its number among the arrivals."""

    position: tuple[int, int]
    event: Event = field(compare=False)

    @property
    def time(self) -> int:
        """The time at which it occurred."""
        return self.position[0]


@dataclass(frozen=True, slots=True)
class Match:
    """A match of a pattern: events and lists by their names, in the order of the text.

    It ends at `end`. `start` is the time of its earliest event, or, without events, the instant at which the pattern
    was enabled. `events` are the positions of the events that it uses: all but those of branches. `emits` are the
    events that it emits. `partition` has the values of the keys of PARTITION BY for the partition in which the whole
    pattern matched.
    """

    bindings: tuple[tuple[str, Bound], ...]
    end: int
    start: int
    events: frozenset[tuple[int, int]]
    emits: tuple[Emitted, ...] = ()
    partition: Keys = ()


Bound = Occurrence | tuple[Match, ...]


@dataclass(frozen=True, slots=True)
class Emitted:
    """An event that a rule emits; attributes in order."""

    template: str
    timestamp: int
    attributes: tuple[tuple[str, int | float | str | bool | None], ...]

    def __repr__(self) -> str:
        return f"{self.template}@{self.timestamp}{dict(self.attributes)}"


def bindings_to_json(match: Match) -> dict[str, Json]:
    """Return the bindings: ids of events, and lists of such objects."""
    return {
        name: bound.event.id if isinstance(bound, Occurrence) else [bindings_to_json(item) for item in bound]
        for name, bound in match.bindings
    }


def match_to_json(name: str, match: Match) -> dict[str, Json]:
    """Return a match of a rule with a name. A rule with one partition only has no `partition`."""
    emits = [
        {"template": emission.template, "timestamp": emission.timestamp, "attributes": dict(emission.attributes)}
        for emission in match.emits
    ]
    partition = {"partition": list(match.partition)} if match.partition else {}
    return {"rule": name, **partition, "bindings": bindings_to_json(match), "end": match.end, "emits": emits}
