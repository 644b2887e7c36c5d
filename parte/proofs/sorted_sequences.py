"""Sorted sequences of unknown length, for lemmas about lists of any length that are searched.

A `SortedSequence` begins with a known element, the head, followed by any number of others, or none, whose keys rise
strictly. It can be searched by bisection (`bisect_left`, as Python documents it) and cut at the resulting place; all
other operations are rejected, so that code which uses its second element cannot run on it.
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
    """The code uses a sequence in a way that is only possible for a known length."""


class Arbitrary(Protocol):
    """The methods of a run that are used here."""

    def truth(self, name: str) -> bool: ...

    def assume(self, *conditions: bool) -> None: ...


class Stretch:
    """Any number of elements in a row, or none; `element` is an arbitrary one of them."""

    def __init__(self, element: Any) -> None:
        self.element = element

    def __getattr__(self, name: str) -> Any:
        raise NotOfAnyLength(f"a stretch of any length has no {name}")


class Place:
    """The place at which a search ended, or `steps` behind it."""

    def __init__(self, steps: int) -> None:
        self.steps = steps

    def __add__(self, steps: object) -> Place:
        if isinstance(steps, int) and self.steps + steps <= 1:
            return Place(self.steps + steps)
        raise NotOfAnyLength("what stands further behind the place of a search is not known")


class SortedSequence:
    """A head, and any number of other elements, which `element` makes by their names."""

    def __init__(self, run: Arbitrary, head: Any, element: Callable[[str], Any]) -> None:
        self.run = run
        self.head = head
        self.element = element
        self._parts: tuple[tuple[Stretch, ...], tuple[Any, ...], tuple[Stretch, ...]] | None = None

    def searched(self, value: Any, first: int, key: Callable[[Any], Any]) -> Place:
        """Return the place of a value behind the head: keys before it are less, no key at or behind it is."""
        if first != 1:
            raise NotOfAnyLength("the head is sorted with the others")
        before, there = self._some("one before the place"), self._some(AT)
        after = self._some("one behind the place") if there else ()
        for item in before:
            self.run.assume(key(item) < value)
        for item in there:
            self.run.assume(value <= key(item), *(key(item) < key(later) for later in after))
        self._parts = tuple(map(Stretch, before)), there, tuple(map(Stretch, after))
        return Place(0)

    def _some(self, name: str) -> tuple[Any, ...]:
        return (self.element(name),) if self.run.truth(f"there is {name}") else ()

    def __getitem__(self, place: object) -> tuple[Any, ...]:
        if self._parts is None:
            raise NotOfAnyLength("it was not searched")
        before, there, after = self._parts
        match place:
            case slice(start=None, stop=Place(steps=0), step=None):
                return self.head, *before
            case slice(start=Place(steps=0), stop=Place(steps=1), step=None):
                return there
            case slice(start=Place(steps=1), stop=None, step=None):
                return after
            case slice(start=Place(steps=0), stop=None, step=None):
                return *there, *after
        raise NotOfAnyLength(f"there is no place {place}")

    def __iter__(self) -> Any:
        raise NotOfAnyLength("a sorted sequence of any length is not run through")

    def __len__(self) -> int:
        raise NotOfAnyLength("a sorted sequence of any length is not counted")


class Fold:
    """One or more elements that are folded from the last on, by induction: the last alone, or else an arbitrary
    `element` before others, whose fold is `rest`. Reversing and folding are all that it supports."""

    def __init__(self, run: Arbitrary, last: Any, element: Any, rest: Any, *, backwards: bool = False) -> None:
        self.run = run
        self.last = last
        self.element = element
        self.rest = rest
        self.backwards = backwards

    def reversed(self) -> Fold:
        """Return the elements from the last on."""
        if self.backwards:
            raise NotOfAnyLength("it is folded from the last element on")
        return Fold(self.run, self.last, self.element, self.rest, backwards=True)

    def folded(self, step: Callable[[Any, Any], Any], *initial: Any) -> Any:
        """Return the result of the next step of a fold that begins with the last element."""
        if initial or not self.backwards:
            raise NotOfAnyLength("it is folded from the last element on")
        return self.last if self.run.truth("there is one element") else step(self.rest, self.element)

    def __iter__(self) -> Any:
        raise NotOfAnyLength("a fold over any number of elements is not run through")

    def __len__(self) -> int:
        raise NotOfAnyLength("elements of any number are not counted")

    def __getitem__(self, place: object) -> Any:
        raise NotOfAnyLength(f"there is no place {place}")


# --- One place of a list ----------------------------------------------------------------------------------------------


class Line:
    """A list of any length, of which only the value at one place is known, and that place is arbitrary.

    It has a length, a value at that place, and if it is sorted it can be searched; all other operations are rejected.
    The result of a search is a `Cut`, and a range between cuts contains the place if it lies there.
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
    """The one arbitrary place of such lists."""


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
    """Do the same as `bisect.bisect_left`, also on such sequences."""
    if isinstance(values, SortedSequence) and key is not None:
        return cast(int, values.searched(value, lo, key))
    if isinstance(values, Line):
        return cast(int, Cut(values, values.value < value))
    return bisect.bisect_left(values, value, lo, hi, key=key)


def bisect_right(values: Any, value: Any, lo: int = 0, hi: int | None = None, *, key: Key | None = None) -> int:
    """Do the same as `bisect.bisect_right`, also on such sequences."""
    if isinstance(values, Line):
        return cast(int, Cut(values, values.value <= value))
    return bisect.bisect_right(values, value, lo, hi, key=key)


def elements(values: Iterable[Any]) -> list[Any]:
    """Return the elements of a result in order, an arbitrary one for each stretch."""
    return [item.element if isinstance(item, Stretch) else item for item in values]
