"""Strings for the solver: PARTElang only compares them, so all there is to know of one is its place in their order.

A string is a real number, those that the program mentions being whole. Between two of these lie as many strings as
real numbers, for all that finitely many comparisons can tell, unless the greater is the smaller followed by NUL
characters: then the few strings between are mentioned too, and nothing else lies there. So the order is exact.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise

from parte.checker.solver import terms
from parte.checker.solver.terms import Formula, Number

_NUL = "\0"
_MOST_BETWEEN = 64
"""More NUL characters than this between two strings are taken for infinitely many; a replay catches what is wrong."""


class StringOrder:
    """The order of strings around those that are mentioned."""

    def __init__(self, mentioned: Iterable[str]) -> None:
        known = sorted({"", *mentioned})
        between = {
            low + _NUL * count
            for low, high in pairwise(known)
            if high.startswith(low) and not high[len(low) :].strip(_NUL) and len(high) - len(low) <= _MOST_BETWEEN
            for count in range(1, len(high) - len(low))
        }
        self._known = sorted({*known, *between})
        self._places = {text: place for place, text in enumerate(self._known)}

    def constant(self, text: str) -> Number:
        """The place of a string that is mentioned."""
        return terms.rational(self._places[text])

    def is_place(self, number: Number) -> Formula:
        """The number is the place of some string."""
        parts = [terms.at_most(terms.rational(0), number)]
        for place, (low, high) in enumerate(pairwise(self._known)):
            if high == low + _NUL:
                low_place, high_place = terms.rational(place), terms.rational(place + 1)
                parts.append(terms.either(terms.at_most(number, low_place), terms.at_most(high_place, number)))
        return terms.both(*parts)

    def texts(self, places: Iterable[Fraction]) -> dict[Fraction, str]:
        """Strings for places, in the same order; those between mentioned ones are made up."""
        wanted = sorted(set(places))
        found: dict[Fraction, str] = {}
        last = len(self._known) - 1
        for place in wanted:
            if place.denominator == 1 and 0 <= place <= last:
                found[place] = self._known[int(place)]
        for index, low in enumerate(self._known):
            inside = wanted[bisect_right(wanted, Fraction(index)) : bisect_left(wanted, Fraction(index + 1))]
            if index == last:
                inside = wanted[bisect_right(wanted, Fraction(index)) :]
            made = _made_up(low, None if index == last else self._known[index + 1], len(inside))
            found.update(zip(inside, made, strict=True))
        return found


def _made_up(low: str, high: str | None, count: int) -> list[str]:
    """`count` strings between two others, ascending, readable if there are such."""
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
