"""What is missing and what is spurious among matches, in any order, each as often as it is reported.

Whoever compares what two of them found compares it here: the runner, `parte compare`, the exploration, replay on Spark.
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
"""What two reports of one match have in common, and no two matches."""


def as_written(value: Json) -> str:
    """A key for what is the same if and only if it is written so, but for the order of keys and the layout."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=repr)


def differences(
    expected: Iterable[M], found: Iterable[M], key: Callable[[M], Hashable]
) -> tuple[tuple[M, ...], tuple[M, ...]]:
    """The matches that are missing and those that are spurious, in their order; of one that is reported more often than
    it is expected, what is too much is spurious."""
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
