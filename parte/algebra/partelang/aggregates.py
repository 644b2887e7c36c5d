"""Aggregates of sets (specification: aggregates): functions of a finite set of events, in exact arithmetic.

A valuation binds the variable of a set to the set in the place of an event; nothing but an aggregate reads it.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import cast

from parte.algebra.partelang.values import NO_VALUE, integer
from parte.semantics.events.event import Event, Value
from parte.semantics.events.types import Scalar
from parte.semantics.partelang.syntax import core

Elements = frozenset[Event]
"""The events of a set."""


def in_place_of_event(elements: Elements) -> Event:
    """Return a set as a valuation binds it."""
    return cast(Event, elements)


def set_of(valuation: Mapping[str, Event], variable: str) -> Elements:
    """Return the set that a valuation binds a variable to."""
    return cast(Elements, valuation[variable])


def aggregate_of(aggregate: core.Aggregate, valuation: Mapping[str, Event]) -> Value | None:
    """Return the value of an aggregate under a valuation, or `NO_VALUE`. Elements that lack the attribute count not."""
    elements = set_of(valuation, aggregate.variable)
    if aggregate.attribute is None:
        return len(elements) if aggregate.function == "count" else bool(elements)
    if aggregate.attribute == "timestamp":
        pairs = [(element.timestamp, cast(Value, element.timestamp)) for element in elements]
    else:
        pairs = [
            (element.timestamp, element.attributes[aggregate.attribute])
            for element in elements
            if aggregate.attribute in element.attributes
        ]
    value = _folded(aggregate, pairs)
    return value + 0.0 if isinstance(value, float) else value  # a zero has no sign


def _folded(aggregate: core.Aggregate, pairs: list[tuple[int, Value]]) -> Value | None:
    values = [value for _, value in pairs]
    if aggregate.function == "count":
        return len(set(values)) if aggregate.distinct else len(values)
    if aggregate.function == "sum":
        total = _total(values)
        return integer(int(total)) if aggregate.type is Scalar.INTEGER else rounded(total)
    if not values:
        return NO_VALUE
    match aggregate.function:
        case "avg":
            return rounded(_total(values) / len(values))
        case "min":
            return min(cast(list[int], values))
        case "max":
            return max(cast(list[int], values))
        case "first":
            return min(cast(list[tuple[int, int]], pairs))[1]
        case "last":
            return max(cast(list[tuple[int, int]], pairs))[1]
    raise AssertionError(f"there is no aggregate {aggregate.function}")


def _total(values: list[Value]) -> Fraction:
    return sum((Fraction(cast(float, value)) for value in values), Fraction())


def rounded(exact: Fraction) -> float | None:
    """Return the nearest Float; no value beyond the greatest."""
    try:
        return float(exact)
    except OverflowError:
        return NO_VALUE
