"""The vocabulary of lemmas: connectives, the order of numbers, and counting. For terms and for plain values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import reduce
from itertools import repeat

from parte.semantics.rulebook.connectives import conj, disj, neg

Number = int | Fraction

# --- Connectives ----------------------------------------------------------------------------------------------------


def every(conditions: Iterable[bool]) -> bool:
    """Return whether all hold."""
    return reduce(conj, conditions, True)


def some(conditions: Iterable[bool]) -> bool:
    """Return whether at least one holds."""
    return reduce(disj, conditions, False)


def both(first: bool, second: bool) -> bool:
    """Return whether both hold."""
    return conj(first, second)


def implies(premise: bool, conclusion: bool) -> bool:
    """Return whether the premise implies the conclusion."""
    return disj(neg(premise), conclusion)


def same(first: bool, second: bool) -> bool:
    """Return whether both hold or neither does."""
    return conj(implies(first, second), implies(second, first))


# --- The order of times ---------------------------------------------------------------------------------------------


def at_most(low: Number, high: Number) -> bool:
    """Return `low <= high`."""
    return low <= high


def before(low: Number, high: Number) -> bool:
    """Return `low < high`."""
    return low < high


def equal(first: Number, second: Number) -> bool:
    """Return `first = second`."""
    return first == second


def moved(time: int, distance: int) -> int:
    """Return `time + distance`."""
    return time + distance


def pointwise(lows: Sequence[int], highs: Sequence[int]) -> bool:
    """Return whether each of `lows` is at most its partner."""
    return every(map(_ordered, zip(lows, highs, strict=True)))


def _ordered(pair: tuple[int, int]) -> bool:
    return at_most(*pair)


def below_all(low: int, highs: Sequence[int]) -> bool:
    """Return whether `low` is at most each of `highs`."""
    return every(map(at_most, repeat(low), highs))


def later_than(lows: Sequence[int], highs: Sequence[int]) -> Sequence[bool]:
    """Return for each of `lows` whether it is at most its partner."""
    return tuple(map(at_most, lows, highs))


# --- Counting the results of a run ----------------------------------------------------------------------------------


def count_of(occurrences: Iterable[object]) -> int:
    """Return the number of occurrences."""
    return len(list(occurrences))


def none_of(occurrences: Iterable[object]) -> bool:
    """Return whether there is none."""
    return count_of(occurrences) == 0


def once(occurrences: Iterable[object]) -> bool:
    """Return whether there is exactly one."""
    return count_of(occurrences) == 1


def at_most_once(occurrences: Iterable[object]) -> bool:
    """Return whether there is none, or exactly one."""
    return count_of(occurrences) <= 1
