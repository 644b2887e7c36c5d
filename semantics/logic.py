"""Connectives that work on Python values and on solver terms alike.

The kernel is written with these instead of `and`, `or`, `not`, `if`, `min` and `max`, which a solver term refuses or
silently misreads. The solver is imported only when one of the operands is a term of it.
"""

from __future__ import annotations

from importlib import import_module
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
    """Both hold."""
    if left is True:
        return right
    return False if left is False else _terms().And(left, right)


def disj(left: bool, right: bool) -> bool:
    """One of them holds."""
    if left is False:
        return right
    return True if left is True else _terms().Or(left, right)


def neg(operand: bool) -> bool:
    """It does not hold."""
    return not operand if isinstance(operand, bool) else _terms().Not(operand)


def ite(condition: bool, then: int, otherwise: int) -> int:
    """`then` if the condition holds, else `otherwise`."""
    if condition is True:
        return then
    return otherwise if condition is False else _terms().If(condition, then, otherwise)


def _all_integers(values: tuple[int, ...]) -> bool:
    # A sum with a solver term in it is a term; this asks once, not of each value.
    return type(sum(values)) is int


def lowest(*values: int) -> int:
    """The least of one or more values."""
    if _all_integers(values):
        return min(values)
    result = values[0]
    for value in values[1:]:
        result = ite(value < result, value, result)
    return result


def highest(*values: int) -> int:
    """The greatest of one or more values."""
    if _all_integers(values):
        return max(values)
    result = values[0]
    for value in values[1:]:
        result = ite(value > result, value, result)
    return result


def mean(*values: int) -> int:
    """The mean of one or more values, rounded towards minus infinity."""
    total = values[0]
    for value in values[1:]:
        total = total + value
    count = len(values)
    # On integer terms the solver's `/` by a positive constant is this floor division.
    return total // count if isinstance(total, int) else cast(int, total / count)
