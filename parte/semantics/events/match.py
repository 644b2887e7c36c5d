"""Matches and their canonical form (specification: match-contents, canonical-output, emitted-ids)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from json.encoder import encode_basestring as encode
from typing import Final

from parte.semantics.events.event import Event, Value

_DELIMITERS = frozenset('(),="\\')
LONGEST_ID: Final = 200
"""Maximum length, in characters (code points), of an id of an emitted event that lists its bindings."""
DIGEST: Final = "sha256:"
"""Prefix of the digest in an id that does not list them; no variable has a colon."""


_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


@dataclass(frozen=True, slots=True)
class Match:
    """A match of a rule: the ids bound to its positive variables, in pattern order, and the events it emits."""

    rule: str
    bindings: tuple[tuple[str, str], ...]
    emits: tuple[Event, ...] = ()

    def to_json(self) -> str:
        """Return one line of canonical JSON: `rule`, `bindings`, `emits`, in this order."""
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
    """Return the matches in canonical order: by their lines of JSON, compared by code point."""
    several = list(matches)
    beginnings = {_beginning(match): match for match in several}
    if len(beginnings) < len(several):  # the emissions decide
        return sorted(several, key=Match.to_json)
    return [beginnings[line] for line in sorted(beginnings)]


def _beginning(match: Match) -> str:
    """Return the line of JSON of a match up to its emissions. No such text is the beginning of another one."""
    bindings = ",".join([f"{encode(variable)}:{encode(event)}" for variable, event in dict(match.bindings).items()])
    return f'{{"rule":{encode(match.rule)},"bindings":{{{bindings}}},"emits":'


def emitted_id(rule: str, position: int | None, bindings: Iterable[tuple[str, Event]]) -> str:
    """Return the id of an emitted event: `Rule(a=t1,b=t2)`, or `Rule#2(…)` if the rule emits several (from 1).

    The id of an external event that contains a delimiter is quoted as a JSON string, so that different bindings never
    give the same id; ids of emitted events are not quoted, because their parentheses are balanced.
    """
    parts = ",".join(f"{variable}={component(event)}" for variable, event in bindings)
    return shortened(f"{rule}({parts})" if position is None else f"{rule}#{position}({parts})")


def shortened(identity: str) -> str:
    """Return an id of an emitted event; in a long one a digest of the id replaces the bindings: `Rule(sha256:…)`.

    The ids of emitted events in it are short already, so lengths do not double with every stratum. Two ids are equal
    only if they were equal in full, or if SHA-256 collides (specification: emitted-ids-bounded).
    """
    if len(identity) <= LONGEST_ID:
        return identity
    digest = sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{identity[: identity.index('(')]}({DIGEST}{digest})"


def component(event: Event) -> str:
    """Return the id of an event as it is written in the ids of events that are emitted because of it."""
    if event.source.startswith(PRODUCTION_SOURCE) or _DELIMITERS.isdisjoint(event.id):
        return event.id
    return json.dumps(event.id, ensure_ascii=False)


def derivation(matches: Iterable[Match], identity: str) -> list[Match]:
    """Return the matches from which an emitted event follows, each after those that it uses; its own match is last.

    Each occurs once, so the result is no longer than the matches. Empty if no match emitted the event.
    """
    emitting = {event.id: match for match in matches for event in match.emits}
    deriving: dict[str, Match] = {}
    waiting = [identity] if identity in emitting else []
    while waiting:
        match = emitting[waiting[-1]]
        needed = [bound for _, bound in match.bindings if bound in emitting and bound not in deriving]
        if needed:
            waiting.extend(needed)
        else:
            deriving.setdefault(waiting.pop(), match)
    return list(dict.fromkeys(deriving.values()))


PRODUCTION_SOURCE = "rule:"
"""Prefix of the source of an emitted event; a source in a trace must not begin with it."""


def production_source(rule: str, position: int) -> str:
    """Return the source of the events that a rule emits by its emission at `position` (from 1)."""
    return f"{PRODUCTION_SOURCE}{rule}#{position}"
