"""The sizes that D prints for its driver scenarios, as functions of the transfers in five minutes (fig. 5.8 and 5.9).

The window is 14 days of five-minute slots. Numbers are entries of the largest history; D prints them in units of 2**30,
or 2**10 for the aggregation, rounded down.
"""

from __future__ import annotations

from math import isqrt

SLOTS = 14 * 24 * 12
"""Slots of five minutes in 14 days."""

GIGA = 2**30
KILO = 2**10


def refund_scam(transfers: int) -> int:
    """Fig. 5.8, "PARTE size": the left history of the third two-input node of driver scenario C."""
    kept = transfers * SLOTS + 1
    return _third_left(transfers, 2 * transfers * kept)


def diffusion(transfers: int) -> int:
    """Fig. 5.9, "PARTE size": the same for driver scenario B, whose first node produces half as much."""
    kept = transfers * SLOTS + 1
    return _third_left(transfers, transfers * kept)


def _third_left(transfers: int, first_production: int) -> int:
    kept = transfers * SLOTS + 1
    second_left = first_production * SLOTS + 1
    second_production = first_production * kept + transfers * second_left
    return second_production * SLOTS + 1


def cartesian(transfers: int) -> int:
    """Fig. 5.8, "Cartesian size": three transfers and a claim in each slot, every combination of them."""
    return (transfers * SLOTS) ** 3 * SLOTS


def triangle(transfers: int) -> int:
    """Fig. 5.8, "triangle query": as many combinations of three transfers as a triangle query can have, and a claim."""
    return isqrt((transfers * SLOTS) ** 3 * SLOTS**2)


def aggregation(transfers: int) -> int:
    """Fig. 5.9, "with aggregation": the transfers themselves."""
    return transfers * SLOTS
