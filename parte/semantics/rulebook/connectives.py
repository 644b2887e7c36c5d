"""Connectives that work on Python values and on solver terms alike.

The kernel is written with these instead of `and`, `or`, `not`, `if`, `min` and `max`, which a solver term refuses or
silently misreads. The solver is imported only when one of the operands is a term of it.

Code that treats whole sequences uses `map`, `reduce`, `all` and `len`, so that it also works on sequences of unknown
length.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from importlib import import_module
from operator import add
from typing import Protocol, cast


class _Terms(Protocol):
    """The solver functions used here, with their names in `z3`."""

    def And(self, left: bool, right: bool) -> bool: ...
    def Or(self, left: bool, right: bool) -> bool: ...
    def Not(self, operand: bool) -> bool: ...
    def If(self, condition: bool, then: int, otherwise: int) -> int: ...


def _terms() -> _Terms:
    return cast(_Terms, import_module("z3"))


def conj(left: bool, right: bool) -> bool:
    """Return the conjunction."""
    if left is True:
        return right
    return False if left is False else _terms().And(left, right)


def disj(left: bool, right: bool) -> bool:
    """Return the disjunction."""
    if left is False:
        return right
    return True if left is True else _terms().Or(left, right)


def neg(operand: bool) -> bool:
    """Return the negation."""
    return not operand if isinstance(operand, bool) else _terms().Not(operand)


def ite(condition: bool, then: int, otherwise: int) -> int:
    """Return `then` if the condition holds, else `otherwise`."""
    if condition is True:
        return then
    return otherwise if condition is False else _terms().If(condition, then, otherwise)


def lesser(first: int, second: int) -> int:
    """Return the lesser of two values."""
    less = second < first
    # Comparing integers gives one of the two Booleans; only a term needs `ite`.
    if less is False:
        return first
    return second if less is True else ite(less, second, first)


def greater(first: int, second: int) -> int:
    """Return the greater of two values."""
    more = second > first
    if more is False:
        return first
    return second if more is True else ite(more, second, first)


def lowest(values: Iterable[int]) -> int:
    """Return the least of one or more values."""
    return reduce(lesser, values)


def highest(values: Iterable[int]) -> int:
    """Return the greatest of one or more values."""
    return reduce(greater, values)


def mean(values: Sequence[int]) -> int:
    """Return the mean of one or more values, rounded towards minus infinity."""
    total, count = reduce(add, values), len(values)
    # On integer terms the solver's `/` by a positive number is this floor division.
    return total // count if isinstance(total, int) else cast(int, total / count)
