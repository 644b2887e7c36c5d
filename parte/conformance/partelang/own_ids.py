"""Matches of engines that name emitted events in a way of their own (specification: protocol-own-ids).

An emitted event is known by the match that emits it and by its place there. The bindings of that match may be emitted
events too, of a lower stratum, so that what an id stands for is found from below.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

from parte.conformance.kit import Renaming

Json = Any
_Emission = tuple[Json, int]
"""A match, and the place of an event among those that it emits."""


def renaming(matches: Sequence[Json], trace: Sequence[Json]) -> Renaming:
    """What the ids of emitted events in matches stand for."""
    emitted: dict[str, list[_Emission]] = {}
    for match in matches:
        for place, identity in enumerate(_emitted(match)):
            emitted.setdefault(identity, []).append((match, place))
    meant = _meant({identity: emissions[0] for identity, emissions in emitted.items()})

    def rename(record: Json) -> Json:
        if type(record) is not dict:
            return record
        emits = record.get("emits")
        if type(emits) is list:
            record = record | {"emits": [_renamed(event, meant) for event in emits]}
        bindings = record.get("bindings")
        return record | {"bindings": _bound(bindings, meant)} if type(bindings) is dict else record

    given = {item.get("id", f"e{line}") for line, item in enumerate(trace, 1)}
    for identity, emissions in emitted.items():
        if identity in given:
            return Renaming(rename, f"{json.dumps(identity)} is the id of an event of the trace, and of an emitted one")
        if len({_name(match, place, meant) for match, place in emissions}) > 1:
            return Renaming(rename, f"{json.dumps(identity)} is the id of several emitted events")
    return Renaming(rename)


def _emitted(match: Json) -> Iterator[str]:
    events = match.get("emits") if type(match) is dict else None
    for event in events if type(events) is list else ():
        yield str(event.get("id")) if type(event) is dict else ""


def _meant(emitted: Mapping[str, _Emission]) -> dict[str, str]:
    """A name for each id that tells the emission alone. What binds an id that stands on itself keeps that as it is."""
    meant: dict[str, str] = {}
    waiting = list(emitted)
    begun: set[str] = set()
    while waiting:
        identity = waiting[-1]
        match, place = emitted[identity]
        below = [
            each for each in _bindings(match).values() if each in emitted and each not in meant and each not in begun
        ]
        if identity not in meant and below:
            begun.add(identity)
            waiting += below
            continue
        waiting.pop()
        meant.setdefault(identity, _name(match, place, meant))
    return meant


def _name(match: Json, place: int, meant: Mapping[str, str]) -> str:
    """The same for the same emission, however its events are called; a digest, lest names double with each stratum."""
    said = [match.get("rule"), place, sorted(_bound(_bindings(match), meant).items())]
    return f"emitted:{sha256(json.dumps(said, default=repr).encode()).hexdigest()}"


def _bindings(match: Json) -> dict[str, str]:
    bindings = match.get("bindings")
    return {name: str(bound) for name, bound in bindings.items()} if type(bindings) is dict else {}


def _bound(bindings: Mapping[str, Json], meant: Mapping[str, str]) -> dict[str, Json]:
    return {name: meant.get(bound, bound) if type(bound) is str else bound for name, bound in bindings.items()}


def _renamed(event: Json, meant: Mapping[str, str]) -> Json:
    return event | {"id": meant.get(str(event.get("id")), event.get("id"))} if type(event) is dict else event
