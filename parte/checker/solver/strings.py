"""Strings for the solver: where they are only compared, they are an order, by code point.

Between two strings there are infinitely many, unless the greater is the smaller followed by NUL characters: then the
few strings between are mentioned too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Protocol, cast

from parte.checker.solver import terms
from parte.checker.solver.orders import Order
from parte.checker.solver.queries import Model
from parte.checker.solver.terms import Formula, Number

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


class Strings(Protocol):
    """Strings as terms, which `=` and `<` of the solver compare as Strings are compared."""

    def variable(self, name: str) -> tuple[object, Formula]:
        """Return a variable, and the formula that it is a String."""

    def constant(self, value: str) -> object: ...

    def function(self, name: str, arguments: Sequence[object]) -> tuple[object, Formula]:
        """Return any function, applied to terms, and the formula that its value is a String."""

    def values(self, model: Model, of: Sequence[object]) -> list[str]:
        """Return Strings for terms, as the model compares them."""


class Places:
    """Strings as their places in an order."""

    def __init__(self, order: StringOrder) -> None:
        self._order = order

    def variable(self, name: str) -> tuple[object, Formula]:
        place = terms.real(f"{name} place")
        return place, self._order.is_place(place)

    def constant(self, value: str) -> object:
        return self._order.constant(value)

    def function(self, name: str, arguments: Sequence[object]) -> tuple[object, Formula]:
        place = terms.unknown_number(name, arguments, terms.real("0 place"))
        return place, self._order.is_place(place)

    def values(self, model: Model, of: Sequence[object]) -> list[str]:
        places = [model.number(cast(Number, term)) for term in of]
        texts = self._order.values(places)
        return [texts[place] for place in places]


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
