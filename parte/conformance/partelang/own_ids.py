"""Matches of engines that name emitted events in their own way (specification: protocol-own-ids).

An emitted event is identified by the match that emits it and by its place there. That match may bind emitted events of
a lower stratum, so that the meaning of ids is resolved from the lowest stratum up.
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
    """Return the meaning of the ids of emitted events in matches."""
    emitted: dict[str, list[_Emission]] = {}
    for match in matches:
        for place, identity in enumerate(_emitted(match)):
            emitted.setdefault(identity, []).append((match, place))
    names = _meant({identity: emissions[0] for identity, emissions in emitted.items()})

    def rename(record: Json) -> Json:
        if type(record) is not dict:
            return record
        emits = record.get("emits")
        if type(emits) is list:
            record = record | {"emits": [_renamed(event, names) for event in emits]}
        if type(passed := record.get("passed")) is str:
            record = record | {"passed": names.get(passed, passed)}
        bindings = record.get("bindings")
        return record | {"bindings": _bound(bindings, names)} if type(bindings) is dict else record

    arriving = {item.get("id", f"e{line}") for line, item in enumerate(trace, 1)}
    for identity, emissions in emitted.items():
        if identity in arriving:
            return Renaming(rename, f"{json.dumps(identity)} is the id of an event of the trace, and of an emitted one")
        if len({_name(match, place, names) for match, place in emissions}) > 1:
            return Renaming(rename, f"{json.dumps(identity)} is the id of several emitted events")
    return Renaming(rename)


def _emitted(match: Json) -> Iterator[str]:
    events = match.get("emits") if type(match) is dict else None
    for event in events if type(events) is list else ():
        yield str(event.get("id")) if type(event) is dict else ""


def _meant(emitted: Mapping[str, _Emission]) -> dict[str, str]:
    """Return a name for each id that identifies its emission. If an id depends on itself, bindings keep it
    unchanged."""
    names: dict[str, str] = {}
    waiting = list(emitted)
    started: set[str] = set()
    while waiting:
        identity = waiting[-1]
        match, place = emitted[identity]
        below = [
            bound
            for bound in _bindings(match).values()
            if bound in emitted and bound not in names and bound not in started
        ]
        if identity not in names and below:
            started.add(identity)
            waiting += below
            continue
        waiting.pop()
        names.setdefault(identity, _name(match, place, names))
    return names


def _name(match: Json, place: int, names: Mapping[str, str]) -> str:
    """Return the same name for the same emission, for any ids of its events; a digest, as full names would double in
    size with each stratum."""
    identity = [match.get("rule"), place, sorted(_bound(_bindings(match), names).items())]
    return f"emitted:{sha256(json.dumps(identity, default=repr).encode()).hexdigest()}"


def _bindings(match: Json) -> dict[str, str]:
    bindings = match.get("bindings")
    return {name: str(bound) for name, bound in bindings.items()} if type(bindings) is dict else {}


def _bound(bindings: Mapping[str, Json], names: Mapping[str, str]) -> dict[str, Json]:
    return {name: names.get(bound, bound) if type(bound) is str else bound for name, bound in bindings.items()}


def _renamed(event: Json, names: Mapping[str, str]) -> Json:
    return event | {"id": names.get(str(event.get("id")), event.get("id"))} if type(event) is dict else event
