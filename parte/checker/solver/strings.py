"""Strings for the solver: languages only compare them, so they are an order, by code point.

Between two strings there are infinitely many, unless the greater is the smaller followed by NUL characters: then the
few strings between are mentioned too.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from parte.checker.solver.orders import Order

_NUL = "\0"
_MOST_BETWEEN = 64
"""With more NUL characters than this, the strings between are treated as infinitely many; a replay catches errors."""


class StringOrder(Order[str]):
    """The order of strings around the mentioned ones."""

    def __init__(self, mentioned: Iterable[str]) -> None:
        known = sorted({"", *mentioned})
        between = {
            low + _NUL * count
            for low, high in pairwise(known)
            if high.startswith(low) and not high[len(low) :].strip(_NUL) and len(high) - len(low) <= _MOST_BETWEEN
            for count in range(1, len(high) - len(low))
        }
        super().__init__(sorted({*known, *between}), lambda low, high: high == low + _NUL, _made_up, ends=False)


def _made_up(low: str, high: str | None, count: int) -> list[str]:
    """Return `count` strings between two others, ascending, readable if there are such."""
    width = 1
    while 26**width < count:
        width += 1
    readable = [low + _letters(number, width) for number in range(count)]
    if not readable or high is None or readable[-1] < high:
        return readable
    return [low + _NUL * number for number in range(1, count + 1)]


def _letters(number: int, width: int) -> str:
    text = ""
    for _ in range(width):
        number, letter = divmod(number, 26)
        text = chr(ord("a") + letter) + text
    return text
