"""Connectives that work on Python values and on solver terms alike.

The kernel is written with these instead of `and`, `or`, `not`, `if`, `min` and `max`, which a solver term refuses or
silently misreads. The solver is imported only when one of the operands is a term of it.

Conditions on a whole sequence use `map`, `reduce`, `all` and `len`, so that they also work on sequences of unknown
length.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from importlib import import_module
from operator import add
from typing import Protocol, cast


class _Terms(Protocol):
    """The few solver functions used here, as `z3` spells them."""

    def And(self, left: bool, right: bool) -> bool: ...
    def Or(self, left: bool, right: bool) -> bool: ...
    def Not(self, operand: bool) -> bool: ...
    def If(self, condition: bool, then: int, otherwise: int) -> int: ...


def _terms() -> _Terms:
    return cast(_Terms, import_module("z3"))


def conj(left: bool, right: bool) -> bool:
    """The conjunction of two conditions."""
    if left is True:
        return right
    return False if left is False else _terms().And(left, right)


def disj(left: bool, right: bool) -> bool:
    """The disjunction of two conditions."""
    if left is False:
        return right
    return True if left is True else _terms().Or(left, right)


def neg(operand: bool) -> bool:
    """The negation of a condition."""
    return not operand if isinstance(operand, bool) else _terms().Not(operand)


def ite(condition: bool, then: int, otherwise: int) -> int:
    """`then` if the condition holds, else `otherwise`."""
    if condition is True:
        return then
    return otherwise if condition is False else _terms().If(condition, then, otherwise)


def lesser(first: int, second: int) -> int:
    """The lesser of two values."""
    less = second < first
    # Comparing integers gives one of the two Booleans; only a term needs `ite`.
    if less is False:
        return first
    return second if less is True else ite(less, second, first)


def greater(first: int, second: int) -> int:
    """The greater of two values."""
    more = second > first
    if more is False:
        return first
    return second if more is True else ite(more, second, first)


def lowest(values: Iterable[int]) -> int:
    """The least of one or more values."""
    return reduce(lesser, values)


def highest(values: Iterable[int]) -> int:
    """The greatest of one or more values."""
    return reduce(greater, values)


def mean(values: Sequence[int]) -> int:
    """The mean of one or more values, rounded towards minus infinity."""
    total, count = reduce(add, values), len(values)
    # On integer terms the solver's `/` by a positive number is this floor division.
    return total // count if isinstance(total, int) else cast(int, total / count)
