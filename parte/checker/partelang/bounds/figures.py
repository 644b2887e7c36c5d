"""The sizes that D prints for its driver scenarios, as functions of the transfers in five minutes (fig. 5.8 and 5.9).

The window is 14 days of five-minute slots. Numbers are entries of the largest history; D prints them rounded down, in
units of 2**30, or 2**10 for the aggregation.
"""

from __future__ import annotations

from math import isqrt

SLOTS = 14 * 24 * 12
"""Slots of five minutes in 14 days."""

GIGA = 2**30
KILO = 2**10


def refund_scam(transfers: int) -> int:
    """Return "PARTE size" of fig. 5.8: the left history of the third two-input node of driver scenario C."""
    stored = transfers * SLOTS + 1
    return _third_left(transfers, 2 * transfers * stored)


def diffusion(transfers: int) -> int:
    """Return "PARTE size" of fig. 5.9: the same for driver scenario B, whose first node produces half as much."""
    stored = transfers * SLOTS + 1
    return _third_left(transfers, transfers * stored)


def _third_left(transfers: int, first_production: int) -> int:
    stored = transfers * SLOTS + 1
    second_left = first_production * SLOTS + 1
    second_production = first_production * stored + transfers * second_left
    return second_production * SLOTS + 1


def cartesian(transfers: int) -> int:
    """Return "Cartesian size" of fig. 5.8: every combination of three transfers and a claim in each slot."""
    return (transfers * SLOTS) ** 3 * SLOTS


def triangle(transfers: int) -> int:
    """Return "triangle query" of fig. 5.8: the most combinations of three transfers of such a query, and a claim."""
    return isqrt((transfers * SLOTS) ** 3 * SLOTS**2)


def aggregation(transfers: int) -> int:
    """Return "with aggregation" of fig. 5.9: the transfers themselves."""
    return transfers * SLOTS
