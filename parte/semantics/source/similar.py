"""Hints for unknown names: the name that was probably meant, or the known names."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice
from typing import Final

_COMPARED: Final = 1_000
"""Maximum number of names that are compared: there may be a million events."""
_LONGEST: Final = 100


def advice(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """Return `did you mean …?` with the name most similar to `name`, else `otherwise`, else all known names."""
    name, names = name[:_LONGEST], list(known)
    alike = (candidate for candidate in names if abs(len(candidate) - len(name)) <= 1 + len(name) // 3)
    near = get_close_matches(name, list(islice(alike, _COMPARED)), 1)
    return f"did you mean {near[0]}?" if near else otherwise or f"there are: {', '.join(names) or 'none'}"
