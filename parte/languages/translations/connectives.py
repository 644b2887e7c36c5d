"""Conditions of PARTElang without `not`: comparisons, tests of presence, and calls, joined by `and` and `or`.

A comparison without a value is not true, and neither is its contrary. So in this form a condition is true in PARTElang
exactly if it is true in a language in which such a comparison is false.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import product

from parte.semantics.events.types import Scalar
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.constructs import Construct

CONDITIONS = frozenset({Construct.CONNECTIVES, Construct.PRESENCE, Construct.OPTIONAL})
"""The constructs that a language has which compares missing values with the result false."""

CONTRARY: Mapping[str, str] = {"=": "!=", "!=": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
"""The operator that is true of two values exactly if the other one is false."""

_DUAL = {"and": "or", "or": "and"}


class TooManyAlternatives(Exception):
    """Error: conditions have more alternatives than a translation takes."""


def without_not(condition: core.Expression, *, holds: bool = True) -> core.Expression:
    """Return a condition without `not` that is true exactly where the condition is true; without `holds`, false.

    No compound in it has an operand with the same connective. `not` remains before what is no comparison, no compound
    and no test of presence.
    """
    match condition:
        case core.Not(operand=operand):
            return without_not(operand, holds=not holds)
        case core.Compound(connective=connective, operands=operands):
            joining = connective if holds else _DUAL[connective]
            parts: list[core.Expression] = []
            for operand in operands:
                part = without_not(operand, holds=holds)
                parts += _operands(part, joining)
            return core.Compound(joining, tuple(parts), span=condition.span)
        case core.Comparison(operator=operator):
            return condition if holds else replace(condition, operator=CONTRARY[operator])
        case core.Presence(present=present):
            return condition if holds else replace(condition, present=not present)
        case _:
            return condition if holds else core.Not(condition, span=condition.span)


def conjuncts(conditions: Iterable[core.Expression]) -> tuple[core.Expression, ...]:
    """Return conditions without `not` and without `and` at the top that together mean what the given ones do."""
    return tuple(part for condition in conditions for part in _operands(without_not(condition), "and"))


def alternatives(conditions: Iterable[core.Expression], most: int) -> list[tuple[core.Expression, ...]]:
    """Return the alternatives under which conditions hold together, each of parts without `and` and `or`.

    Raise TooManyAlternatives if there are more than `most`.
    """
    combinations: list[tuple[core.Expression, ...]] = [()]
    for condition in conjuncts(conditions):
        if isinstance(condition, core.Compound):
            choices = [choice for operand in condition.operands for choice in alternatives((operand,), most)]
        else:
            choices = [(condition,)]
        if len(combinations) * len(choices) > most:
            raise TooManyAlternatives
        combinations = [left + right for left, right in product(combinations, choices)]
    return combinations


def present(condition: core.Expression) -> core.AttributeOf | None:
    """Return the attribute whose presence a condition tests; None for another condition."""
    match condition:
        case core.Presence(operand=core.AttributeOf(type=Scalar()) as attribute):
            return attribute
        case _:
            return None


def of_times(condition: core.Expression) -> core.Comparison | None:
    """Return a condition that compares times and always has a value; None for another condition.

    It compares two timestamps, or the difference of two, which windows bound, with a duration.
    """
    match condition:
        case core.Comparison(left=left, right=right) if _plain(left) and _plain(right):
            return condition
        case core.Comparison(left=left, right=right) if _difference(left) or _difference(right):
            duration = right if _difference(left) else left
            return condition if isinstance(duration, core.TimeConstant) else None
        case _:
            return None


def _operands(condition: core.Expression, connective: str) -> tuple[core.Expression, ...]:
    match condition:
        case core.Compound(connective=own, operands=operands) if own == connective:
            return operands
        case _:
            return (condition,)


def _plain(side: core.Expression) -> bool:
    return isinstance(side, core.TimestampOf) or (isinstance(side, core.TimeConstant) and side.quantity == "timestamp")


def _difference(side: core.Expression) -> bool:
    match side:
        case core.Arithmetic(operator="-", left=core.TimestampOf(), right=core.TimestampOf()):
            return True
        case _:
            return False
