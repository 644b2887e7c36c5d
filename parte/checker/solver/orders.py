"""Values that are only ever compared, for the solver: all there is to know of one is its place in their order.

A value is a real number, those that are mentioned being whole. Between two of these lie as many values as real numbers,
for all that finitely many comparisons can tell, unless the two are neighbours: then nothing lies there. Where only a
few lie between, the order mentions these too. So it is exact.
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
    """The order of values around those that are `known`, which rise; the first of them is the least of all.

    `made_up` gives so many values between two, ascending, or above one; `neighbours` says that nothing lies between
    two. `ends`: the last known one is the greatest of all.
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
        """The place of a value that is mentioned."""
        return terms.rational(self._places[value])

    def is_place(self, number: Number) -> Formula:
        """The number is the place of some value."""
        parts = [terms.at_most(terms.rational(0), number)]
        if self._ends:
            parts.append(terms.at_most(number, terms.rational(len(self.known) - 1)))
        for place, (low, high) in enumerate(pairwise(self.known)):
            if self._neighbours(low, high):
                low_place, high_place = terms.rational(place), terms.rational(place + 1)
                parts.append(terms.either(terms.at_most(number, low_place), terms.at_most(high_place, number)))
        return terms.both(*parts)

    def values(self, places: Iterable[Fraction]) -> dict[Fraction, T]:
        """Values for places, in the same order; those between mentioned ones are made up."""
        wanted = sorted(set(places))
        found: dict[Fraction, T] = {}
        last = len(self.known) - 1
        for place in wanted:
            if place.denominator == 1 and 0 <= place <= last:
                found[place] = self.known[int(place)]
        for index, low in enumerate(self.known):
            inside = wanted[bisect_right(wanted, Fraction(index)) : bisect_left(wanted, Fraction(index + 1))]
            if index == last:
                inside = wanted[bisect_right(wanted, Fraction(index)) :]
            made = self._made_up(low, None if index == last else self.known[index + 1], len(inside))
            found.update(zip(inside, made, strict=True))
        return found
