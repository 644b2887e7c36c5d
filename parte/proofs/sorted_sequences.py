"""Sorted sequences of unknown length, for lemmas about code that searches lists of any length.

A `SortedSequence` begins with a known element, the head. Any number of other elements, or none, follow; their keys
rise strictly. It can be searched by bisection (`bisect_left`, as Python documents it) and cut at the place found;
it refuses everything else, so that code which looks at its second element cannot be run on it.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, cast

from parte.semantics.rulebook.connectives import neg

Key = Callable[[Any], Any]

AT = "the one at the place"
"""The name of the element that a search may find."""


class NotOfAnyLength(Exception):
    """The code uses an operation that only sequences of known length have."""


class Arbitrary(Protocol):
    """A run, as far as sorted sequences use it: a source of arbitrary values."""

    def truth(self, name: str) -> bool: ...

    def assume(self, *conditions: bool) -> None: ...


class Stretch:
    """Any number of elements in a row, or none; `one` is an arbitrary one of them."""

    def __init__(self, one: Any) -> None:
        self.one = one

    def __getattr__(self, name: str) -> Any:
        raise NotOfAnyLength(f"a stretch of any length has no {name}")


class Place:
    """The place at which a search ended, or `steps` behind it."""

    def __init__(self, steps: int) -> None:
        self.steps = steps

    def __add__(self, other: object) -> Place:
        if isinstance(other, int) and self.steps + other <= 1:
            return Place(self.steps + other)
        raise NotOfAnyLength("what stands further behind the place of a search is not known")


class SortedSequence:
    """A head, and any number of other elements, which `element` makes by their names."""

    def __init__(self, run: Arbitrary, head: Any, element: Callable[[str], Any]) -> None:
        self.run = run
        self.head = head
        self.element = element
        self._parts: tuple[tuple[Stretch, ...], tuple[Any, ...], tuple[Stretch, ...]] | None = None

    def searched(self, value: Any, first: int, key: Callable[[Any], Any]) -> Place:
        """The place of a value behind the head: keys before it are less than the value, the others are not."""
        if first != 1:
            raise NotOfAnyLength("the head is sorted with the others")
        before, there = self._some("one before the place"), self._some(AT)
        after = self._some("one behind the place") if there else ()
        for one in before:
            self.run.assume(key(one) < value)
        for one in there:
            self.run.assume(value <= key(one), *(key(one) < key(other) for other in after))
        self._parts = tuple(map(Stretch, before)), there, tuple(map(Stretch, after))
        return Place(0)

    def _some(self, name: str) -> tuple[Any, ...]:
        return (self.element(name),) if self.run.truth(f"there is {name}") else ()

    def __getitem__(self, asked: object) -> tuple[Any, ...]:
        if self._parts is None:
            raise NotOfAnyLength("it was not searched")
        before, there, after = self._parts
        match asked:
            case slice(start=None, stop=Place(steps=0), step=None):
                return self.head, *before
            case slice(start=Place(steps=0), stop=Place(steps=1), step=None):
                return there
            case slice(start=Place(steps=1), stop=None, step=None):
                return after
            case slice(start=Place(steps=0), stop=None, step=None):
                return *there, *after
        raise NotOfAnyLength(f"there is no place {asked}")

    def __iter__(self) -> Any:
        raise NotOfAnyLength("a sorted sequence of any length is not run through")

    def __len__(self) -> int:
        raise NotOfAnyLength("a sorted sequence of any length is not counted")


# --- One place of a list ----------------------------------------------------------------------------------------------


class Line:
    """A list of any length. The value at one place is known, but not which place it is.

    It has a length, a value at that place, and if it is sorted it can be searched; it refuses everything else. What a
    search finds is a `Cut`, and a range between cuts has the place if it lies there.
    """

    def __init__(self, value: Any) -> None:
        self.value = value

    def __getitem__(self, place: object) -> Any:
        if place is not THE_PLACE:
            raise NotOfAnyLength(f"there is no place {place}")
        return self.value

    def __iter__(self) -> Any:
        raise NotOfAnyLength("a list of any length is not run through")

    def __len__(self) -> int:
        raise NotOfAnyLength("a list of any length is not counted")


class _ThePlace:
    """The place of a list whose value is known."""


THE_PLACE = _ThePlace()


class Cut:
    """A point between places, and whether the place lies before it."""

    def __init__(self, line: Line, before: bool) -> None:
        self.line = line
        self.before = before


class Among:
    """The places between two cuts."""

    def __init__(self, *cuts: object) -> None:
        *first, last = cuts
        if not all(isinstance(cut, Cut) for cut in (*first, last)) or len(first) > 1:
            raise NotOfAnyLength("places of a list of any length lie between cuts")
        self.conditions = (*(neg(cast(Cut, cut).before) for cut in first), cast(Cut, last).before)

    def __iter__(self) -> Iterator[object]:
        if all(self.conditions):
            yield THE_PLACE


def bisect_left(values: Any, value: Any, lo: int = 0, hi: int | None = None, *, key: Key | None = None) -> int:
    """Do as `bisect.bisect_left`, also on such sequences."""
    if isinstance(values, SortedSequence) and key is not None:
        return cast(int, values.searched(value, lo, key))
    if isinstance(values, Line):
        return cast(int, Cut(values, values.value < value))
    return bisect.bisect_left(values, value, lo, hi, key=key)


def bisect_right(values: Any, value: Any, lo: int = 0, hi: int | None = None, *, key: Key | None = None) -> int:
    """Do as `bisect.bisect_right`, also on such sequences."""
    if isinstance(values, Line):
        return cast(int, Cut(values, values.value <= value))
    return bisect.bisect_right(values, value, lo, hi, key=key)


def elements(values: Iterable[Any]) -> list[Any]:
    """The elements of a result in order, an arbitrary one for each stretch."""
    return [one.one if isinstance(one, Stretch) else one for one in values]
