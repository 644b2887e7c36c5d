"""Missing and spurious matches, in any order; each match counts as often as it is reported.

All comparisons of matches use this module: the runner, `parte compare`, the exploration, replay on Spark.
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
"""Returns a value that is equal for two reports if and only if they report the same match."""


def as_written(value: Json) -> str:
    """Return a key that is equal for equal JSON, whatever the order of its keys and the layout."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=repr)


def differences(
    expected: Iterable[M], matches: Iterable[M], key: Callable[[M], Hashable]
) -> tuple[tuple[M, ...], tuple[M, ...]]:
    """Return the missing and the spurious matches, in their order.

    Reports of a match beyond the expected number are spurious.
    """
    wanted, actual = list(expected), list(matches)
    wanted_keys, actual_keys = list(map(key, wanted)), list(map(key, actual))
    return _less(wanted, wanted_keys, actual_keys), _less(actual, actual_keys, wanted_keys)


def _less(matches: Sequence[M], keys: Sequence[Hashable], others: Sequence[Hashable]) -> tuple[M, ...]:
    left = Counter(others)
    remaining = []
    for match, key in zip(matches, keys, strict=True):
        if left[key] > 0:
            left[key] -= 1
        else:
            remaining.append(match)
    return tuple(remaining)
