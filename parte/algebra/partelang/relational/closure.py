"""The consequences of the equalities and windows of a rule, for an order of its variables.

Most rules compare every pattern with the first one: `b.user = a.user, c.user = a.user`. An engine that joins b with c
before a sees nothing that joins the two, or pairs them by user alone. So the equalities are closed: every variable is
compared with one that is joined before it, preferably with the reference of its window. The windows are closed as well:
if b lies within 10 minutes of a and c within 10 minutes of b, then c lies within 20 minutes of a. The matches stay the
same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

from parte.algebra.partelang.relational.expressions import asks
from parte.algebra.partelang.relational.relations import CONSTANTS
from parte.algebra.partelang.relational.windows import tightest
from parte.semantics.events.types import Scalar
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.temporal import closure

_LONGEST: Final = 2**62
"""The bound of derived windows: longer ones exclude nothing, and would not fit 64 bit."""

_Class = tuple[core.Expression, ...]
"""Expressions over one variable each, which are equal in every match."""


@dataclass(frozen=True, slots=True)
class Classes:
    """The classes of equal expressions of a rule, and the conditions that are not such equalities."""

    classes: tuple[_Class, ...]
    others: tuple[core.Expression, ...]

    @staticmethod
    def of(rule: core.Rule) -> Classes:
        """Return the classes of the positive patterns of a rule."""
        classes: list[list[core.Expression]] = []
        others: list[core.Expression] = []
        for condition in (condition for pattern in rule.positive for condition in pattern.conditions):
            sides = _equated(condition)
            if not sides:
                others.append(condition)
                continue
            touched = [known for known in classes if any(side in known for side in sides)]
            joined = [side for known in touched for side in known]
            classes = [known for known in classes if known not in touched]
            classes.append(list(_distinct([*joined, *sides])))
        return Classes(tuple(map(tuple, classes)), tuple(others))

    def pairs(self) -> Iterator[core.Comparison]:
        """Yield all equalities of expressions over two variables that follow."""
        for equal in self.classes:
            for left, right in combinations(equal, 2):
                if _variable(left) != _variable(right):
                    yield core.Comparison("=", left, right)

    def joining(self, order: Sequence[str], nearest: Mapping[str, str]) -> Iterator[core.Comparison]:
        """Yield the equalities needed if variables are joined in an order, each with the later variable on the left.

        An expression is compared with one over `nearest` of its variable if the class has one, else with the first.
        """
        for equal in self.classes:
            sides = sorted(equal, key=lambda side: order.index(_variable(side)))
            by_variable = {_variable(side): side for side in reversed(sides)}
            for position, side in enumerate(sides[1:], 1):
                own = _variable(side)
                partner = by_variable[own]  # the first of this variable
                if partner is side:
                    near = by_variable.get(nearest.get(own, ""), sides[0])
                    partner = near if near in sides[:position] else sides[0]
                yield core.Comparison("=", side, partner)

    def over(self, expression: core.Expression, variable: str) -> core.Expression:
        """Return an expression over a variable that always equals the given one; the given one if there is none."""
        for equal in self.classes:
            if expression in equal:
                return next((side for side in equal if _variable(side) == variable), expression)
        return expression


def closed(rule: core.Rule, order: Sequence[core.Pattern]) -> core.Rule:
    """Return the rule with the equalities that are needed if its positive patterns are joined in an order.

    A negated pattern is compared with the reference of its tightest window, if equalities allow that.
    """
    classes = Classes.of(rule)
    if not classes.classes:
        return rule
    variables = [pattern.variable for pattern in order]
    windows = closed_windows(rule)
    nearest: dict[str, str] = {}
    for position, variable in enumerate(variables):
        if (window := tightest(windows, variable, set(variables[:position]))) is not None:
            nearest[variable] = window.reference
    joins: dict[str, list[core.Expression]] = {variable: [] for variable in variables}
    for comparison in classes.joining(variables, nearest):
        joins[_variable(comparison.left)].append(comparison)

    def again(pattern: core.Pattern) -> core.Pattern:
        if not pattern.positive:
            return _near(rule, pattern, classes)
        rest = [condition for condition in pattern.conditions if condition in classes.others]
        return replace(pattern, conditions=(*joins[pattern.variable], *rest))

    return replace(rule, patterns=tuple(map(again, rule.patterns)))


def _near(rule: core.Rule, pattern: core.Pattern, classes: Classes) -> core.Pattern:
    """Return a pattern that is not positive; its comparisons use, if possible, the reference of its tightest window."""
    own = pattern.variable
    windows = [constraint for constraint in rule.constraints if constraint.negated and constraint.subject == own]
    window = min(windows, key=lambda constraint: constraint.upper - constraint.begins, default=None)
    if window is None or window.reference == own:
        return pattern

    def near(side: core.Expression) -> core.Expression:
        return side if own in core.variables_of(side) else classes.over(side, window.reference)

    def changed(condition: core.Expression) -> core.Expression:
        if not isinstance(condition, core.Comparison) or asks(condition):
            return condition
        return replace(condition, left=near(condition.left), right=near(condition.right))

    return replace(pattern, conditions=tuple(map(changed, pattern.conditions)))


def _equated(condition: core.Expression) -> _Class:
    """Return the sides of an equality of expressions over one variable each, on which an engine can join; else ()."""
    if not (isinstance(condition, core.Comparison) and condition.operator == "=") or asks(condition):
        return ()
    left, right = core.variables_of(condition.left), core.variables_of(condition.right)
    if len(left) != 1 or len(right) != 1 or left == right or CONSTANTS in left | right:
        return ()
    return () if core.type_of(condition.left) is Scalar.BOOLEAN else (condition.left, condition.right)


def _variable(expression: core.Expression) -> str:
    (variable,) = core.variables_of(expression)
    return variable


def _distinct(expressions: Iterable[core.Expression]) -> Iterator[core.Expression]:
    seen: list[core.Expression] = []
    for expression in expressions:
        if expression not in seen:
            seen.append(expression)
            yield expression


# --- Windows ---------------------------------------------------------------------------------------------------------


def closed_windows(rule: core.Rule) -> list[core.Constraint]:
    """Return the windows of the positive patterns, then the derived ones for pairs that have none of their own."""
    windows = [constraint for constraint in rule.constraints if not constraint.negated]
    variables = [pattern.variable for pattern in rule.positive]
    distances = closure(variables, windows)
    if distances.contradictory:
        return windows
    own = {frozenset({constraint.subject, constraint.reference}) for constraint in windows}
    following = []
    for reference, subject in combinations(variables, 2):
        between = distances.between(subject, reference)
        if between is not None and frozenset({subject, reference}) not in own:
            lower, upper = between
            if lower > -_LONGEST and upper < _LONGEST:
                following.append(core.Constraint(subject, reference, lower, upper, negated=False))
    return [*windows, *following]
