"""Matches and their canonical form (specification: match-contents, canonical-output, emitted-ids)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from parte.semantics.events.event import Event, Value

_DELIMITERS = frozenset('(),="\\')
LONGEST_ID: Final = 200
"""Characters (code points) of the longest id of an emitted event that contains its bindings."""
DIGEST: Final = "sha256:"
"""The prefix of an id that is a digest of the bindings; no variable has a colon."""


_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


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
        return _ENCODER.encode(record)


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
    return shortened(f"{rule}({parts})" if position is None else f"{rule}#{position}({parts})")


def shortened(identity: str) -> str:
    """An id of an emitted event, with the digest of itself for its bindings if it is long: `Rule(sha256:…)`.

    The ids of emitted events in it are short already, so nothing doubles with every stratum, and two ids are equal only
    if they were equal in full, or if SHA-256 collides (specification: emitted-ids-bounded).
    """
    if len(identity) <= LONGEST_ID:
        return identity
    digest = sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{identity[: identity.index('(')]}({DIGEST}{digest})"


def component(event: Event) -> str:
    """The id of an event as it stands in the ids of events that are emitted because of it."""
    if event.source.startswith(PRODUCTION_SOURCE) or _DELIMITERS.isdisjoint(event.id):
        return event.id
    return json.dumps(event.id, ensure_ascii=False)


def derivation(matches: Iterable[Match], identity: str) -> list[Match]:
    """Return the matches that led to an emitted event, its own last, each after the matches of the events that it
    binds.

    Each match is listed once, so the list is no longer than the matches. Empty if no match emitted the event.
    """
    emitting = {event.id: match for match in matches for event in match.emits}
    found: dict[str, Match] = {}
    waiting = [identity] if identity in emitting else []
    while waiting:
        match = emitting[waiting[-1]]
        needed = [bound for _, bound in match.bindings if bound in emitting and bound not in found]
        if needed:
            waiting.extend(needed)
        else:
            found.setdefault(waiting.pop(), match)
    return list(dict.fromkeys(found.values()))


PRODUCTION_SOURCE = "rule:"
"""The prefix of the source of an emitted event; a source in a trace must not begin with it."""


def production_source(rule: str, position: int) -> str:
    """The source of the events that a rule emits by its emission at `position` (from 1)."""
    return f"{PRODUCTION_SOURCE}{rule}#{position}"
