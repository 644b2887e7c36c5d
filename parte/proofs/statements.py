"""Functions to state lemmas with: connectives, the order of numbers, and counting. For terms and for plain values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import reduce
from itertools import repeat

from parte.semantics.rulebook.connectives import conj, disj, neg

Number = int | Fraction

# --- Connectives ----------------------------------------------------------------------------------------------------


def every(conditions: Iterable[bool]) -> bool:
    """All hold."""
    return reduce(conj, conditions, True)


def some(conditions: Iterable[bool]) -> bool:
    """One of them holds."""
    return reduce(disj, conditions, False)


def both(first: bool, second: bool) -> bool:
    """The one and the other."""
    return conj(first, second)


def implies(premise: bool, conclusion: bool) -> bool:
    """If the one, then the other."""
    return disj(neg(premise), conclusion)


def same(first: bool, second: bool) -> bool:
    """Both hold or neither does."""
    return conj(implies(first, second), implies(second, first))


# --- The order of times ---------------------------------------------------------------------------------------------


def at_most(low: Number, high: Number) -> bool:
    """`low <= high`."""
    return low <= high


def before(low: Number, high: Number) -> bool:
    """`low < high`."""
    return low < high


def equal(first: Number, second: Number) -> bool:
    """`first = second`."""
    return first == second


def pointwise(lows: Sequence[int], highs: Sequence[int]) -> bool:
    """Each of `lows` is at most its partner."""
    return every(map(_ordered, zip(lows, highs, strict=True)))


def _ordered(pair: tuple[int, int]) -> bool:
    return at_most(*pair)


def below_all(low: int, highs: Sequence[int]) -> bool:
    """It is at most each of `highs`."""
    return every(map(at_most, repeat(low), highs))


def later_than(lows: Sequence[int], highs: Sequence[int]) -> Sequence[bool]:
    """Of each of `lows`, whether it is at most its partner."""
    return tuple(map(at_most, lows, highs))


# --- Counting what a run gave ---------------------------------------------------------------------------------------


def count_of(occurrences: Iterable[object]) -> int:
    """The number of occurrences."""
    return len(list(occurrences))


def none_of(occurrences: Iterable[object]) -> bool:
    """There is none."""
    return count_of(occurrences) == 0


def once(occurrences: Iterable[object]) -> bool:
    """There is exactly one."""
    return count_of(occurrences) == 1


def at_most_once(occurrences: Iterable[object]) -> bool:
    """There is none, or exactly one."""
    return count_of(occurrences) <= 1
