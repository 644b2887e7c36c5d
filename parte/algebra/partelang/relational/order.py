"""The order of joins, and which side of each an engine keeps in memory.

An engine estimates how many rows an equality leaves, and knows nothing of windows: its own order pairs all events of a
key before it looks at their times. So the order is the one that is written, on Spark, which keeps that anyway, and on
DuckDB, which is told to.
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
"""By how much a join on keys is taken to multiply the rows. Events of hot keys make more, and are sliced."""


@dataclass(frozen=True, slots=True)
class Joins:
    """How the positive patterns of a rule are joined: in an order.

    At the joins of `into`, the engine is to keep the rows of the patterns before in memory, as there are fewer of them
    than of the events that are joined; at the others, those events.
    """

    order: tuple[core.Pattern, ...]
    into: frozenset[str] = frozenset()


def joins_of(rule: core.Rule, sizes: Mapping[str, int]) -> Joins:
    """How the positive patterns are joined, if so many events may fill the variables.

    The order begins with the pattern that the fewest events may fill. Then always one that an equality joins to those
    before, or if there is none, a window does; among these the one of which the fewest events may lie in the window;
    then as the rule has them. Equalities and windows are those that follow from the rule.
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
    width = 0 if window is None else window.upper - window.lower + 1
    return apart, window is None, size * max(width, 1), width
