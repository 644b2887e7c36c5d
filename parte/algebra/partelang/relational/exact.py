"""Sums and averages of sets that no engine computes exactly: functions of ours, from all numbers of a set to a Float.

An engine passes the numbers as a list, with NULL for elements without the attribute (specification: aggregate-values).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Final

from sqlglot import exp

from parte.algebra.partelang.aggregates import rounded
from parte.semantics.events.types import Scalar

Numbers = Sequence[float | None]


def _sum(numbers: Numbers) -> float | None:
    return rounded(sum(map(Fraction, _present(numbers)), Fraction()))


def _mean(numbers: Numbers) -> float | None:
    summands = _present(numbers)
    return rounded(sum(map(Fraction, summands), Fraction()) / len(summands)) if summands else None


def _present(numbers: Numbers) -> list[float]:
    return [number for number in numbers if number is not None]


NAMES: Final = {
    ("sum", Scalar.FLOAT): "EXACT_SUM",
    ("avg", Scalar.FLOAT): "EXACT_MEAN",
    ("avg", Scalar.INTEGER): "EXACT_MEAN_OF_INTEGERS",
}
"""The names of the functions in queries, by the aggregate and the type of the numbers."""

FUNCTIONS: Final[dict[str, tuple[Callable[[Numbers], float | None], Scalar]]] = {
    name: (_sum if aggregate == "sum" else _mean, of) for (aggregate, of), name in NAMES.items()
}
"""The functions by their names, with the type of the numbers."""


def called(queries: Iterable[exp.Query]) -> tuple[str, ...]:
    """Return the names of the functions that queries call."""
    names = {call.name for query in queries for call in query.find_all(exp.Anonymous)}
    return tuple(name for name in FUNCTIONS if name in names)
