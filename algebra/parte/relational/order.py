"""The order of joins, for engines that keep the order in which they are written."""

from __future__ import annotations

from collections.abc import Mapping, Set

from parte.algebra.parte.relational.keys import keys_of
from parte.algebra.parte.relational.windows import tightest
from parte.semantics.parte.syntax import core


def join_order(rule: core.Rule, counts: Mapping[str, int]) -> tuple[core.Pattern, ...]:
    """The positive patterns in the order in which they are joined.

    It begins with the pattern whose template has the fewest events. Then always the one that an equality joins to those
    before; among these that with the fewest events; then that with the tightest window, so that little is left to
    join; then as the rule has them.
    """
    waiting = list(rule.positive)
    ordered: list[core.Pattern] = []
    while waiting:
        bound = {pattern.variable for pattern in ordered}
        costs = [_cost(rule, pattern, bound, counts.get(pattern.template, 0)) for pattern in waiting]
        ordered.append(waiting.pop(costs.index(min(costs))))
    return tuple(ordered)


def _cost(rule: core.Rule, pattern: core.Pattern, bound: Set[str], count: int) -> tuple[bool, bool, int, int]:
    if not bound:
        return False, False, count, 0
    conditions = [condition for other in rule.positive for condition in other.conditions]
    apart = next(keys_of(conditions, pattern.variable, bound), None) is None
    constraints = (constraint for constraint in rule.constraints if not constraint.negated)
    window = tightest(constraints, pattern.variable, bound)
    return apart, window is None, count, 0 if window is None else window.upper - window.lower
