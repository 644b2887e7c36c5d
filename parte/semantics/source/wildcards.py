"""The patterns of `like` (specification: function-like): `*` is any text, `?` any code point, `\\` escapes these."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

ONE: Final = None
"""Any code point."""

Segment = tuple[str | None, ...]
"""Code points, or `ONE`."""


class InvalidPattern(ValueError):
    """A pattern with a `\\` that escapes nothing."""


@lru_cache(256)
def segments(pattern: str) -> tuple[Segment, ...]:
    """Return the segments of a pattern: any text lies between two of them, none before the first or after the last.

    Raise InvalidPattern if the pattern is invalid.
    """
    done: list[Segment] = []
    current: list[str | None] = []
    characters = iter(pattern)
    for character in characters:
        match character:
            case "*":
                done.append(tuple(current))
                current = []
            case "?":
                current.append(ONE)
            case "\\":
                escaped = next(characters, "")
                if escaped not in ("*", "?", "\\"):
                    raise InvalidPattern(f"`\\{escaped}` is no escape: `\\` stands before `*`, `?` and `\\` only")
                current.append(escaped)
            case _:
                current.append(character)
    return (*done, tuple(current))
