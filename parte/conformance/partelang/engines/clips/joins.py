"""Joins that CLIPS finds by hashing instead of trying: equal attributes, and the rows of domain tables.

CLIPS hashes a join on the variables that two patterns share, and on nothing else: neither on a `test` nor on a variable
that a slot binds and compares, as in `?b.k&?a.k`. So an attribute that equals one of an earlier pattern is written as
that one's variable, wherever the rule mentions it; and a lookup of attributes in a domain table is a pattern.

This is limited to types whose equal values are the same in CLIPS: 0.0 and -0.0 are equal Floats and not the same. And
it is limited to attributes that no event lacks: missing ones are the same in CLIPS, and not equal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeGuard

from parte.conformance.partelang.engines.adapters import has_value
from parte.semantics.events.types import Scalar
from parte.semantics.partelang.syntax import core

EXACT = frozenset({Scalar.INTEGER, Scalar.STRING, Scalar.BOOLEAN})
"""The types whose equal values are the same value in CLIPS."""

Attribute = tuple[str, str]
"""A variable and the name of an attribute."""


@dataclass(frozen=True, slots=True)
class Joined:
    """A rule without the equalities that shared variables of its patterns express.

    `keys` maps attributes to those of earlier patterns that replace them; the rule mentions only the latter.
    """

    rule: core.Rule
    keys: Mapping[Attribute, core.AttributeOf]

    def keys_of(self, variable: str) -> Mapping[str, core.AttributeOf]:
        """Return the attributes of a variable that are replaced by those of other variables."""
        return {name: replacement for (owner, name), replacement in self.keys.items() if owner == variable}


def joined(rule: core.Rule) -> Joined:
    """Return the rule with equal attributes as shared variables, where that has the same meaning."""
    keys: dict[Attribute, core.AttributeOf] = {}
    remaining = [
        pattern
        if pattern.collected
        else replace(pattern, conditions=tuple(c for c in pattern.conditions if not _taken(pattern.variable, c, keys)))
        for pattern in rule.patterns
    ]
    patterns = tuple(
        replace(pattern, conditions=tuple(_written(condition, keys) for condition in pattern.conditions))
        for pattern in remaining
    )
    emissions = tuple(
        replace(
            emission,
            assignments=tuple(
                replace(assignment, value=_written(assignment.value, keys)) for assignment in emission.assignments
            ),
        )
        for emission in rule.emissions
    )
    having = tuple(_written(condition, keys) for condition in rule.having)
    return Joined(replace(rule, patterns=patterns, emissions=emissions, having=having), keys)


def is_row(call: core.Expression) -> TypeGuard[core.PredicateCall]:
    """Return whether an expression looks up attributes and constants of exact types in a domain table: a row to join.

    A predicate without parameters has no row to look up.
    """
    return (
        isinstance(call, core.PredicateCall)
        and all(
            isinstance(argument, core.AttributeOf | core.Constant) and argument.type in EXACT and has_value(argument)
            for argument in call.arguments
        )
        and bool(call.arguments)
    )


def _taken(variable: str, condition: core.Expression, keys: dict[Attribute, core.AttributeOf]) -> bool:
    """Return whether a condition of a variable's pattern becomes a key: an attribute of its own equals one of
    another's.

    Conditions mention no variable of a later pattern, and none of a negated pattern but their own (specification:
    scope-negated), so the other variable is bound when CLIPS reaches the pattern.
    """
    if not (isinstance(condition, core.Comparison) and condition.operator == "="):
        return False
    sides = _written(condition.left, keys), _written(condition.right, keys)
    for own, partner in (sides, sides[::-1]):
        if not (isinstance(own, core.AttributeOf) and isinstance(partner, core.AttributeOf)):
            return False
        if own.variable == variable != partner.variable and own.type in EXACT and has_value(own) and has_value(partner):
            keys[variable, own.attribute] = partner
            return True
    return False


def _written(expression: core.Expression, keys: Mapping[Attribute, core.AttributeOf]) -> core.Expression:
    """Return an expression in which equal attributes of earlier patterns replace attributes."""
    return core.EXPRESSIONS.mapped(
        expression,
        lambda part: keys.get((part.variable, part.attribute), part) if isinstance(part, core.AttributeOf) else part,
    )
