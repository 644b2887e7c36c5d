"""Values that are only compared, for the solver: all that counts of a value is its place in their order.

The place of a value is a real number, and a whole one for a mentioned value. For finitely many comparisons, there are
as many values between two mentioned ones as real numbers, unless the two are neighbours: then there is nothing between.
If only a few values lie between, the order mentions them too. So it is exact.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Generic, TypeVar

from parte.checker.solver import terms
from parte.checker.solver.terms import Formula, Number

T = TypeVar("T", bound=int | float | str)


class Order(Generic[T]):
    """The order of values around those that are `known`, which are ascending; the first of them is the least of all.

    `made_up` returns so many values between two, ascending, or above one; `neighbours` returns whether nothing lies
    between two. With `ends`, the last known one is the greatest of all.
    """

    def __init__(
        self,
        known: Sequence[T],
        neighbours: Callable[[T, T], bool],
        made_up: Callable[[T, T | None, int], list[T]],
        *,
        ends: bool,
    ) -> None:
        self.known, self._neighbours, self._made_up, self._ends = known, neighbours, made_up, ends
        self._places = {value: place for place, value in enumerate(known)}

    def constant(self, value: T) -> Number:
        """Return the place of a mentioned value."""
        return terms.rational(self._places[value])

    def is_place(self, number: Number) -> Formula:
        """Return the formula that the number is the place of some value."""
        parts = [terms.at_most(terms.rational(0), number)]
        if self._ends:
            parts.append(terms.at_most(number, terms.rational(len(self.known) - 1)))
        for place, (low, high) in enumerate(pairwise(self.known)):
            if self._neighbours(low, high):
                low_place, high_place = terms.rational(place), terms.rational(place + 1)
                parts.append(terms.either(terms.at_most(number, low_place), terms.at_most(high_place, number)))
        return terms.both(*parts)

    def values(self, places: Iterable[Fraction]) -> dict[Fraction, T]:
        """Return values for places, in the same order; values between mentioned ones are generated."""
        wanted = sorted(set(places))
        values: dict[Fraction, T] = {}
        last = len(self.known) - 1
        for place in wanted:
            if place.denominator == 1 and 0 <= place <= last:
                values[place] = self.known[int(place)]
        for index, low in enumerate(self.known):
            inside = wanted[bisect_right(wanted, Fraction(index)) : bisect_left(wanted, Fraction(index + 1))]
            if index == last:
                inside = wanted[bisect_right(wanted, Fraction(index)) :]
            generated = self._made_up(low, None if index == last else self.known[index + 1], len(inside))
            values.update(zip(inside, generated, strict=True))
        return values
