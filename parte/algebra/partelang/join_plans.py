"""The plan by which the indexed evaluator finds the valuations of a rule: an order of its variables, a step for each.

A plan changes no result. The conditions of D def. 12's filters are applied one by one in another order, each as soon
as its variables are bound; a filtered negation is a filter on the positive variables that it mentions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass, replace

from parte.algebra.partelang.mapping import condition_beside, within
from parte.algebra.partelang.patterns import Condition, Within, variables_in
from parte.semantics.partelang.syntax import core


@dataclass(frozen=True, slots=True)
class Key:
    """A condition `own = bound`: an expression over the variable of the step, and one over those bound before."""

    own: core.Expression
    bound: core.Expression


@dataclass(frozen=True, slots=True)
class Window:
    """A window: the step's event lies in `[reference.timestamp + lower, reference.timestamp + upper]` (ms)."""

    reference: str
    lower: int
    upper: int


@dataclass(frozen=True, slots=True)
class Step:
    """An event for one more variable, and all conditions that can be tested by then.

    `alone`: conditions on this event alone; `others`: conditions that are neither keys nor windows; `absent`: the
    negated patterns whose positive variables are all bound by then.
    """

    variable: str
    template: str
    alone: tuple[Condition, ...]
    keys: tuple[Key, ...]
    windows: tuple[Window, ...]
    others: tuple[Condition, ...]
    absent: tuple[Step, ...] = ()


def plan(rule: core.Rule, size: Callable[[Step], int]) -> tuple[Step, ...]:
    """Return a step for each positive variable, chosen greedily: by equality, else time, else the fewest events.

    `size` returns how many events pass the conditions of a step on themselves alone.
    """
    negations = [(pattern.variable, pattern.template, condition_beside(rule, pattern)) for pattern in _negated(rule)]
    waiting = list(rule.positive)
    bound: frozenset[str] = frozenset()
    steps: list[Step] = []
    while waiting:
        choices = [_step(pattern.variable, pattern.template, _due(rule, pattern, bound), bound) for pattern in waiting]
        costs = [(not choice.keys, not choice.windows, size(choice)) for choice in choices]
        chosen = costs.index(min(costs))
        before, bound = bound, bound | {waiting.pop(chosen).variable}
        absent = tuple(
            _step(variable, template, condition.conditions, needed)
            for variable, template, condition in negations
            if (needed := variables_in(condition) - {variable}) <= bound and not (steps and needed <= before)
        )
        steps.append(replace(choices[chosen], absent=absent))
    return tuple(steps)


def set_steps(rule: core.Rule) -> tuple[Step, ...]:
    """Return a step for each set of a rule, whose events are sought when all positive variables are bound."""
    bound = frozenset(pattern.variable for pattern in rule.positive)
    return tuple(
        _step(pattern.variable, pattern.template, condition_beside(rule, pattern).conditions, bound)
        for pattern in rule.collected
    )


def _negated(rule: core.Rule) -> Iterable[core.Pattern]:
    return (pattern for pattern in rule.patterns if pattern.negated)


def _due(rule: core.Rule, pattern: core.Pattern, bound: Set[str]) -> list[Condition]:
    """Return the conditions on positive variables that binding the pattern's variable makes decidable."""
    conditions: list[Condition] = [condition for positive in rule.positive for condition in positive.conditions]
    conditions.extend(within(constraint) for constraint in rule.constraints if not constraint.negated)
    now = bound | {pattern.variable}
    return [c for c in conditions if variables_in(c) <= now and not (bound and variables_in(c) <= bound)]


def _step(variable: str, template: str, conditions: Iterable[Condition], bound: Set[str]) -> Step:
    """Return the step that binds a variable, with each condition where it is cheapest."""
    alone: list[Condition] = []
    keys: list[Key] = []
    windows: list[Window] = []
    others: list[Condition] = []
    for condition in conditions:
        if variables_in(condition) <= {variable}:
            alone.append(condition)
        elif isinstance(condition, Within) and condition.subject == variable:
            windows.append(Window(condition.reference, condition.lower, condition.upper))
        elif isinstance(condition, Within) and condition.reference == variable:
            windows.append(Window(condition.subject, -condition.upper, -condition.lower))
        elif key := _key(condition, variable, bound):
            keys.append(key)
        else:
            others.append(condition)
    return Step(variable, template, tuple(alone), tuple(keys), tuple(windows), tuple(others))


def _key(condition: Condition, variable: str, bound: Set[str]) -> Key | None:
    """Return the condition as a key, if it equates a scalar over the variable with one over those bound before."""
    if not (isinstance(condition, core.Comparison) and condition.operator == "="):
        return None
    for own, side in ((condition.left, condition.right), (condition.right, condition.left)):
        if core.variables_of(own) == {variable} and core.variables_of(side) <= bound and _is_scalar(own):
            return Key(own, side)
    return None


def _is_scalar(expression: core.Expression) -> bool:
    match expression:
        case core.ListExpression() | core.AttributeOf(type=core.ListOf()):
            return False
        case _:
            return True
