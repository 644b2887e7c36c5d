"""Windows as bounds of interval joins: the closure of a `when` clause, and durations as SQL.

An interval join takes one lower and one upper bound on the rowtimes of two rows. A variable and an earlier one may be
related only through other variables, so the bounds are those that the closure of all constraints implies.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from parte.conformance.engines.foreign import Inexpressible
from parte.semantics.partelang.syntax import core

_DAY = 86_400_000
# Year 0 has 366 days; Python's calendar begins with year 1.
EARLIEST = round(datetime(1, 1, 1, tzinfo=UTC).timestamp() * 1000) - 366 * _DAY
LATEST = round(datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC).timestamp() * 1000) + 999
"""The first and the last millisecond of Flink's time, which covers the years 0 to 9999."""

LONGEST_PAST = -EARLIEST
"""The longest in ms that a window of a join may begin before its event: the planner subtracts it from 1970."""

LONGEST_LITERAL = 1_000 * _DAY
"""The duration in milliseconds from which on a literal is too long."""

_LONGEST = 10_000 * 366 * _DAY


@dataclass(frozen=True, slots=True)
class Bounds:
    """`reference + lower <= subject <= reference + upper`, in milliseconds."""

    reference: str
    lower: int
    upper: int

    @classmethod
    def of(cls, constraint: core.Constraint) -> Bounds:
        """Return the bounds of a constraint. A window without a beginning is `LONGEST_PAST`."""
        lower = -LONGEST_PAST if constraint.lower is None else constraint.lower
        return cls(constraint.reference, lower, constraint.upper)


def interval(milliseconds: int) -> str:
    """Return a duration that is not negative. Literals have at most three digits of days; a longer one is a product.

    Inexpressible if it exceeds Flink's time.
    """
    if milliseconds > _LONGEST:
        raise Inexpressible("a window over more than the 10,000 years that TIMESTAMP_LTZ(3) covers")
    if milliseconds >= LONGEST_LITERAL:
        return f"(INTERVAL '0.001' SECOND * {milliseconds})"
    days, rest = divmod(milliseconds, _DAY)
    seconds, fraction = divmod(rest, 1000)
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{fraction:03}"
    return f"INTERVAL '{days} {clock}' DAY(3) TO SECOND(3)"


def closure(variables: Iterable[str], constraints: Iterable[core.Constraint]) -> Mapping[tuple[str, str], int]:
    """Return the greatest distance `ts(second) - ts(first)` that the constraints admit, for each pair that they
    bound."""
    names = list(variables)
    most: dict[tuple[str, str], int] = {(name, name): 0 for name in names}

    def admit(first: str, second: str, distance: int) -> None:
        most[first, second] = min(distance, most.get((first, second), distance))

    for constraint in constraints:
        admit(constraint.reference, constraint.subject, constraint.upper)
        admit(constraint.subject, constraint.reference, -constraint.begins)
    for middle in names:
        for first in names:
            for second in names:
                if (first, middle) in most and (middle, second) in most:
                    admit(first, second, most[first, middle] + most[middle, second])
    return most


def tightest(variable: str, earlier: Iterable[str], most: Mapping[tuple[str, str], int]) -> Bounds:
    """Return the narrowest window of a variable around an earlier one; between positive variables there is one."""
    windows = [
        Bounds(reference, -most[variable, reference], most[reference, variable])
        for reference in earlier
        if (variable, reference) in most and (reference, variable) in most
    ]
    return min(windows, key=lambda window: window.upper - window.lower)
