"""Matches and their canonical form (specification: match-contents, canonical-output, emitted-ids)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from parte.semantics.events.event import Event, Value

_DELIMITERS = frozenset('(),="\\')


@dataclass(frozen=True, slots=True)
class Match:
    """A rule matched: the ids bound to its positive variables, in pattern order, and the events it emits."""

    rule: str
    bindings: tuple[tuple[str, str], ...]
    emits: tuple[Event, ...] = ()

    def to_json(self) -> str:
        """One line of canonical JSON: `rule`, `bindings`, `emits`, in this order."""
        emits = [
            {
                "id": event.id,
                "template": event.template,
                "timestamp": event.timestamp,
                "attributes": {name: _plain(value) for name, value in event.attributes.items()},
            }
            for event in self.emits
        ]
        record = {"rule": self.rule, "bindings": dict(self.bindings), "emits": emits}
        return json.dumps(record, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _plain(value: Value) -> object:
    return list(value) if isinstance(value, tuple) else value


def canonical(matches: Iterable[Match]) -> list[Match]:
    """The matches in canonical order: by their lines of JSON, compared by code point."""
    return sorted(matches, key=Match.to_json)


def emitted_id(rule: str, position: int | None, bindings: Iterable[tuple[str, Event]]) -> str:
    """The id of an emitted event: `Rule(a=t1,b=t2)`, or `Rule#2(…)` when the rule emits several (positions from 1).

    The id of an external event that holds a delimiter is quoted as a JSON string, so that different bindings never
    give one id; ids of emitted events stand as they are, their parentheses being balanced.
    """
    parts = ",".join(f"{variable}={component(event)}" for variable, event in bindings)
    return f"{rule}({parts})" if position is None else f"{rule}#{position}({parts})"


def component(event: Event) -> str:
    """The id of an event as it stands in the ids of events that are emitted because of it."""
    if event.source.startswith(PRODUCTION_SOURCE) or _DELIMITERS.isdisjoint(event.id):
        return event.id
    return json.dumps(event.id, ensure_ascii=False)


PRODUCTION_SOURCE = "rule:"
"""What the source of an emitted event begins with; a source in a trace must not."""


def production_source(rule: str, position: int) -> str:
    """The source of the events that a rule emits by its emission at `position` (from 1)."""
    return f"{PRODUCTION_SOURCE}{rule}#{position}"
