"""Missing and spurious matches between two lists, in any order; duplicates count.

The runner, `parte compare`, the exploration and replay on Spark compare matches with this module.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, TypeVar

M = TypeVar("M")
"""Matches: as values of the project, as JSON, or as lines."""

Json = Any
Key = Callable[[Json], str]
"""A key of a reported match: two reports have equal keys if and only if they report the same match."""


def as_written(value: Json) -> str:
    """Return a key that is equal for equal JSON texts, whatever the order of keys and the layout."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=repr)


def differences(
    expected: Iterable[M], found: Iterable[M], key: Callable[[M], Hashable]
) -> tuple[tuple[M, ...], tuple[M, ...]]:
    """Return the missing and the spurious matches, in order. If a match is reported more often than expected, the
    surplus is spurious."""
    wanted, given = list(expected), list(found)
    wanted_keys, given_keys = list(map(key, wanted)), list(map(key, given))
    return _less(wanted, wanted_keys, given_keys), _less(given, given_keys, wanted_keys)


def _less(matches: Sequence[M], keys: Sequence[Hashable], others: Sequence[Hashable]) -> tuple[M, ...]:
    left = Counter(others)
    kept = []
    for match, key in zip(matches, keys, strict=True):
        if left[key] > 0:
            left[key] -= 1
        else:
            kept.append(match)
    return tuple(kept)
