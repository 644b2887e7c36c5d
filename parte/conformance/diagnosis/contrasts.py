"""Where a match that was reported parts from one that was expected: the ids and the values that differ."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Json = Any
_MOST_PAIRS = 20
_MOST_DIFFERENCES = 3
_LONGEST = 120
_ABSENT = object()


def contrasts(missing: Sequence[Json], spurious: Sequence[Json]) -> Iterator[str]:
    """For each missing match the reported one that is nearest, if most of it is the same: a line with what differs."""
    left = [dict(_leaves(match)) for match in spurious[:_MOST_PAIRS]]
    for wanted in [dict(_leaves(match)) for match in missing[:_MOST_PAIRS]]:
        if not left:
            return
        nearest = min(left, key=lambda given: len(_differing(wanted, given)))
        differing = _differing(wanted, nearest)
        if 2 * len(differing) <= len(wanted):
            left.remove(nearest)
            yield _line(differing, wanted, nearest)


def _line(differing: Sequence[str], wanted: Mapping[str, Json], given: Mapping[str, Json]) -> str:
    told = [f"{path}: expected {_shown(wanted, path)}, got {_shown(given, path)}" for path in differing]
    more = [f"and {len(told) - _MOST_DIFFERENCES} more"] if len(told) > _MOST_DIFFERENCES else []
    return "; ".join(told[:_MOST_DIFFERENCES] + more)


def _leaves(value: Json, path: str = "") -> Iterator[tuple[str, Json]]:
    """Every value that is no object and no list, with its path; those are leaves too if nothing is in them."""
    if isinstance(value, Mapping) and value:
        for name, part in value.items():
            yield from _leaves(part, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list) and value:
        for number, part in enumerate(value):
            yield from _leaves(part, f"{path}[{number}]")
    else:
        yield path, value


def _differing(one: Mapping[str, Json], other: Mapping[str, Json]) -> list[str]:
    """The paths at which two matches differ; `true` is not 1, but 1 is 1.0."""
    paths = dict.fromkeys((*one, *other))
    return [path for path in paths if not _same(one.get(path, _ABSENT), other.get(path, _ABSENT))]


def _same(one: Json, other: Json) -> bool:
    return bool(one == other and isinstance(one, bool) == isinstance(other, bool))


def _shown(leaves: Mapping[str, Json], path: str) -> str:
    value = leaves.get(path, _ABSENT)
    text = "nothing" if value is _ABSENT else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
