"""The order of joins, and the side of each that an engine keeps in memory.

An engine estimates how many rows an equality leaves, and ignores windows: its own order pairs all events of a key
before it looks at their times. So the order is the one that is written: Spark keeps it anyway, and DuckDB is set to
keep it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Final

from parte.algebra.partelang.relational.closure import Classes, closed_windows
from parte.algebra.partelang.relational.keys import keys_of
from parte.algebra.partelang.relational.windows import tightest
from parte.semantics.partelang.syntax import core

_GROWTH: Final = 2
"""The assumed factor by which a join on keys multiplies the rows. Events of hot keys make more, and are sliced."""


@dataclass(frozen=True, slots=True)
class Joins:
    """The order in which the positive patterns of a rule are joined.

    At the joins of `into`, the engine keeps the rows of the patterns before in memory, because there are fewer of them
    than of the joined events; at the others, it keeps those events.
    """

    order: tuple[core.Pattern, ...]
    into: frozenset[str] = frozenset()


def joins_of(rule: core.Rule, sizes: Mapping[str, int]) -> Joins:
    """Return the joins of the positive patterns, where `sizes` are the numbers of events that may fill the variables.

    The order begins with the pattern that the fewest events may fill. Next is always a pattern that an equality joins
    to those before, or if there is none, one that a window does; among these, the one with the fewest events in the
    window; then in the order of the rule. Equalities and windows include those that follow from the rule.
    """
    waiting = list(rule.positive)
    classes = Classes.of(rule)
    conditions = [*classes.others, *classes.pairs()]
    windows = closed_windows(rule)
    ordered: list[core.Pattern] = []
    into: set[str] = set()
    rows = 0
    while waiting:
        bound = {pattern.variable for pattern in ordered}
        costs = [_cost(conditions, windows, pattern.variable, bound, sizes) for pattern in waiting]
        least = min(costs)
        pattern = waiting.pop(costs.index(least))
        size = sizes.get(pattern.variable, 0)
        # Without a key, each event stands for two slices of time.
        if ordered and rows < (2 * size if least[0] else size):
            into.add(pattern.variable)
        rows = size if not ordered else rows * (size if least[0] else _GROWTH)
        ordered.append(pattern)
    return Joins(tuple(ordered), frozenset(into))


def _cost(
    conditions: Sequence[core.Expression],
    windows: Sequence[core.Constraint],
    variable: str,
    bound: Set[str],
    sizes: Mapping[str, int],
) -> tuple[bool, bool, int, int]:
    size = sizes.get(variable, 0)
    if not bound:
        return False, False, size, 0
    apart = next(keys_of(conditions, variable, bound), None) is None
    window = tightest(windows, variable, bound)
    width = 0 if window is None else window.upper - window.begins + 1
    return apart, window is None, size * max(width, 1), width
