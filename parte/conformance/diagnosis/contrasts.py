"""The difference between a reported match and an expected one: the ids and the values that differ."""

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
    """Yield a line for each missing match of which most equals the nearest spurious match: the differences."""
    left = [dict(_leaves(match)) for match in spurious[:_MOST_PAIRS]]
    for wanted in [dict(_leaves(match)) for match in missing[:_MOST_PAIRS]]:
        if not left:
            return
        nearest = min(left, key=lambda leaves: len(_differing(wanted, leaves)))
        differing = _differing(wanted, nearest)
        if 2 * len(differing) <= len(wanted):
            left.remove(nearest)
            yield _line(differing, wanted, nearest)


def _line(differing: Sequence[str], wanted: Mapping[str, Json], reported: Mapping[str, Json]) -> str:
    differences = [
        f"{path}: expected {_leaf_text(wanted, path)}, got {_leaf_text(reported, path)}" for path in differing
    ]
    more = [f"and {len(differences) - _MOST_DIFFERENCES} more"] if len(differences) > _MOST_DIFFERENCES else []
    return "; ".join(differences[:_MOST_DIFFERENCES] + more)


def _leaves(value: Json, path: str = "") -> Iterator[tuple[str, Json]]:
    """Yield every leaf with its path: values that are no object and no list, and empty objects and lists."""
    if isinstance(value, Mapping) and value:
        for name, part in value.items():
            yield from _leaves(part, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list) and value:
        for number, part in enumerate(value):
            yield from _leaves(part, f"{path}[{number}]")
    else:
        yield path, value


def _differing(left: Mapping[str, Json], right: Mapping[str, Json]) -> list[str]:
    """Return the paths at which two matches differ; `true` is not 1, but 1 is 1.0."""
    paths = dict.fromkeys((*left, *right))
    return [path for path in paths if not _same(left.get(path, _ABSENT), right.get(path, _ABSENT))]


def _same(left: Json, right: Json) -> bool:
    return bool(left == right and isinstance(left, bool) == isinstance(right, bool))


def _leaf_text(leaves: Mapping[str, Json], path: str) -> str:
    value = leaves.get(path, _ABSENT)
    text = "nothing" if value is _ABSENT else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
