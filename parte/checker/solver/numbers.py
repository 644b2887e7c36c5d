"""Numbers that are only compared, for the solver: integers of 64 bit and finite binary64 numbers, by value.

Between two mentioned numbers there are only finitely many integers and binary64 numbers: if they are few, they are
mentioned too.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from math import ceil, floor, inf, nextafter

from parte.checker.solver.orders import Order
from parte.semantics.events.values import GREATEST_INTEGER, LEAST_INTEGER

_GREATEST = 1.7976931348623157e308
_FEW = 64
"""If fewer numbers than this lie between two, they are mentioned."""


def successor(number: int | float) -> int | float:
    """Return the least number above one that is not the greatest. Python compares integers with fractions exactly."""
    above = nextafter(float(number), inf)
    below = nextafter(above, -inf)
    candidates: list[int | float] = [below, above, nextafter(above, inf)]  # float() may have rounded up or down
    if LEAST_INTEGER <= number < GREATEST_INTEGER:
        candidates.append(floor(number) + 1)
    return min(candidate for candidate in candidates if candidate > number)


class NumberOrder(Order[int | float]):
    """The order of numbers around the mentioned ones."""

    def __init__(self, mentioned: Iterable[int | float]) -> None:
        known = sorted({-_GREATEST, _GREATEST, *mentioned})
        between: list[int | float] = []
        for low, high in pairwise(known):
            few = _first(low, high, _FEW)
            between += few if len(few) < _FEW else []
        super().__init__(sorted({*known, *between}), lambda low, high: successor(low) == high, _made_up, ends=True)


def _first(low: int | float, high: int | float | None, most: int) -> list[int | float]:
    """Return the first numbers between two, at most `most`, ascending."""
    numbers: list[int | float] = []
    number = low
    while len(numbers) < most and number < _GREATEST:
        number = successor(number)
        if high is not None and number >= high:
            break
        numbers.append(number)
    return numbers


def _made_up(low: int | float, high: int | float | None, count: int) -> list[int | float]:
    """Return `count` numbers between two others, ascending, plain ones if there are such."""
    if high is None or not count:
        return []
    for first in (0, floor(low) + 1, ceil(high) - count):
        if low < first and first + count - 1 < high and LEAST_INTEGER <= first <= GREATEST_INTEGER - count:
            return list(range(first, first + count))
    halves = [low + (high - low) * part / (count + 1) for part in range(1, count + 1)]
    if low < halves[0] and halves[-1] < high and all(left < right for left, right in pairwise(halves)):
        return list(halves)
    return _first(low, high, count)
