"""What CLIPS can look up instead of trying: equal attributes, and the rows of domain tables.

CLIPS hashes a join on the variables that two patterns share, and on nothing else: neither on a `test` nor on a variable
that a slot binds and compares, as in `?b.k&?a.k`. So an attribute that equals one of an earlier pattern is written as
that one's variable, wherever the rule mentions it; and a domain table that is asked about attributes is a pattern.

Only for types of which values are equal just when CLIPS's are the same: 0.0 and -0.0 are equal Floats and not the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeGuard

from parte.semantics.events.types import Scalar
from parte.semantics.partelang.syntax import core

EXACT = frozenset({Scalar.INTEGER, Scalar.STRING, Scalar.BOOLEAN})
"""The types of which equal values are the same value in CLIPS."""

Attribute = tuple[str, str]
"""A variable and the name of an attribute."""


@dataclass(frozen=True, slots=True)
class Joined:
    """A rule without the equalities that its patterns share variables for.

    `keys` has the attributes that are written as those of earlier patterns; the rule mentions only the latter.
    """

    rule: core.Rule
    keys: Mapping[Attribute, core.AttributeOf]

    def keys_of(self, variable: str) -> Mapping[str, core.AttributeOf]:
        """The attributes of a variable that are written as those of others."""
        return {name: other for (owner, name), other in self.keys.items() if owner == variable}


def joined(rule: core.Rule) -> Joined:
    """The rule with equal attributes as shared variables, as far as that is the same."""
    keys: dict[Attribute, core.AttributeOf] = {}
    kept = [
        replace(pattern, conditions=tuple(c for c in pattern.conditions if not _taken(pattern.variable, c, keys)))
        for pattern in rule.patterns
    ]
    patterns = tuple(
        replace(pattern, conditions=tuple(_written(condition, keys) for condition in pattern.conditions))
        for pattern in kept
    )
    emissions = tuple(
        replace(
            emission,
            assignments=tuple(replace(given, value=_written(given.value, keys)) for given in emission.assignments),
        )
        for emission in rule.emissions
    )
    return Joined(replace(rule, patterns=patterns, emissions=emissions), keys)


def is_row(call: core.Expression) -> TypeGuard[core.PredicateCall]:
    """Whether an expression asks a domain table about attributes and constants, each of them exact: a row to look up.

    A predicate without parameters has no row to look up.
    """
    return (
        isinstance(call, core.PredicateCall)
        and all(
            isinstance(argument, core.AttributeOf | core.Constant) and argument.type in EXACT
            for argument in call.arguments
        )
        and bool(call.arguments)
    )


def _taken(variable: str, condition: core.Expression, keys: dict[Attribute, core.AttributeOf]) -> bool:
    """Whether a condition of a variable's pattern becomes a key: an attribute of its own equals one of another's.

    Conditions mention no variable of a later pattern, and none of a negated pattern but their own (specification:
    scope-negated), so the
    other one is bound when CLIPS comes to the pattern.
    """
    if not (isinstance(condition, core.Comparison) and condition.operator == "="):
        return False
    sides = _written(condition.left, keys), _written(condition.right, keys)
    for own, other in (sides, sides[::-1]):
        if not (isinstance(own, core.AttributeOf) and isinstance(other, core.AttributeOf)):
            return False
        if own.variable == variable != other.variable and own.type in EXACT:
            keys[variable, own.attribute] = other
            return True
    return False


def _written(expression: core.Expression, keys: Mapping[Attribute, core.AttributeOf]) -> core.Expression:
    """An expression with the attributes that stand for others."""
    return core.EXPRESSIONS.mapped(
        expression,
        lambda part: keys.get((part.variable, part.attribute), part) if isinstance(part, core.AttributeOf) else part,
    )
