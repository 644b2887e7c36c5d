"""The translation of a rule of PARTElang to a pattern of EA (D §4.4).

The temporal constraints are translated as written. The tighter filters of D §4.4.2's closure exclude nothing more, and
the tests compare the machine, which uses the closure, with this translation, which does not. The rules of a program,
an implicit disjunction (D §4.4.3), are translated one by one, since each emits its own events.
"""

from __future__ import annotations

from collections.abc import Iterable, Set

from parte.algebra.partelang.patterns import (
    All,
    Binding,
    Collection,
    Condition,
    Conjunction,
    Filter,
    FilteredNegation,
    Pattern,
    PatternError,
    Within,
    type_of,
    variables_in,
)
from parte.semantics.partelang.syntax import core


def pattern_of(rule: core.Rule) -> Pattern:
    """Return the pattern of a rule: a left-deep conjunction with each filter as far inside as possible (D §4.4.2).

    Sets come after all other patterns, and the conditions of `having` after them.
    """
    first, *others = (pattern for pattern in rule.patterns if not pattern.collected)
    if first.negated:
        raise PatternError(f"rule {rule.reported} begins with a negated pattern")
    pattern = _single(rule, first)
    for following in others:
        if following.negated:
            pattern = FilteredNegation(
                pattern, Binding(following.template, following.variable), condition_beside(rule, following)
            )
        else:
            joint = Conjunction(pattern, _single(rule, following))
            scope = type_of(joint).keys()
            # A constraint waits for the later of its two variables; Filter rejects a condition that is out of scope.
            demands = (
                d for d in positive_conditions(rule, following) if not isinstance(d, Within) or _confined(d, scope)
            )
            pattern = _filtered(joint, (d for d in demands if not _confined(d, {following.variable})))
    for following in rule.collected:
        elements = Binding(following.template, following.variable)
        pattern = Collection(pattern, elements, following.variable, condition_beside(rule, following))
    return _filtered(pattern, rule.having)


def positive_conditions(rule: core.Rule, pattern: core.Pattern) -> tuple[Condition, ...]:
    """Return the conditions of a positive pattern and all constraints between its variable and positive ones."""
    constraints = (c for c in rule.constraints if not c.negated and pattern.variable in (c.subject, c.reference))
    return (*pattern.conditions, *map(within, constraints))


def condition_beside(rule: core.Rule, pattern: core.Pattern) -> All:
    """Return F of a filtered negation or a set: the conditions of its pattern and the constraints of its variable."""
    constraints = (c for c in rule.constraints if c.negated and c.subject == pattern.variable)
    return All((*pattern.conditions, *map(within, constraints)))


def _single(rule: core.Rule, pattern: core.Pattern) -> Pattern:
    """Return a positive pattern with the conditions on itself alone (D §4.4.1)."""
    demands = positive_conditions(rule, pattern)
    return _filtered(
        Binding(pattern.template, pattern.variable), (d for d in demands if _confined(d, {pattern.variable}))
    )


def _filtered(pattern: Pattern, conditions: Iterable[Condition]) -> Pattern:
    for condition in conditions:
        pattern = Filter(pattern, condition)
    return pattern


def _confined(condition: Condition, only: Set[str]) -> bool:
    return variables_in(condition) <= only


def within(constraint: core.Constraint) -> Within:
    """Return the condition of a constraint of the `when` clause."""
    return Within(constraint.subject, constraint.reference, constraint.begins, constraint.upper)
