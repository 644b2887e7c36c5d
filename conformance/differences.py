"""What is missing and what is spurious among matches, in any order, each as often as it is reported."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

Json = Any
Key = Callable[[Json], str]
"""What two reports of one match have in common, and no two matches."""


def as_written(value: Json) -> str:
    """A key for what is the same if and only if it is written so, but for the order of keys and the layout."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=repr)


def differences(expected: Iterable[Json], found: Iterable[Json], key: Key) -> tuple[tuple[Json, ...], tuple[Json, ...]]:
    """The matches that are missing and those that are spurious; one that is reported twice is spurious once."""
    wanted, given = list(expected), list(found)
    wanted_keys, given_keys = list(map(key, wanted)), list(map(key, given))
    return _less(wanted, wanted_keys, given_keys), _less(given, given_keys, wanted_keys)


def _less(matches: list[Json], keys: list[str], others: list[str]) -> tuple[Json, ...]:
    left = Counter(others)
    kept = []
    for match, key in zip(matches, keys, strict=True):
        if left[key] > 0:
            left[key] -= 1
        else:
            kept.append(match)
    return tuple(kept)
