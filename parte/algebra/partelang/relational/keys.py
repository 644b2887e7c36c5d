"""The equalities that join a variable of a rule to others, and the keys that too many events share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass

from sqlglot import exp

from parte.semantics.events.types import Scalar
from parte.semantics.events.values import ScalarValue
from parte.semantics.partelang.syntax import core


@dataclass(frozen=True, slots=True)
class Key:
    """A condition `own = other`: an expression over one variable, and one over others."""

    own: core.Expression
    other: core.Expression

    @property
    def type(self) -> Scalar:
        """What both sides are. Lists are never compared."""
        of = core.type_of(self.own)
        assert isinstance(of, Scalar)
        return of


@dataclass(frozen=True, slots=True)
class HotKeys:
    """Values of some keys that so many events share that they are joined by slices of time as well."""

    keys: tuple[Key, ...]
    values: tuple[tuple[ScalarValue, ...], ...]


@dataclass(frozen=True, slots=True)
class Probe:
    """How to look for hot keys of a variable that equalities join to another: both as queries for the keys' values."""

    position: int
    """Of the variable's pattern in the rule; a negated one may be called like a positive one."""
    variable: str
    reference: str
    keys: tuple[Key, ...]
    own: exp.Select
    other: exp.Select


def joining(
    conditions: Sequence[core.Expression], variable: str, others: Set[str]
) -> tuple[str, tuple[Key, ...]] | None:
    """The other variable that the first equality joins a variable to alone, and all keys that join these two."""
    found = [
        (mentioned, key)
        for key in keys_of(conditions, variable, others)
        if len(mentioned := core.variables_of(key.other)) == 1
    ]
    if not found:
        return None
    (reference,) = found[0][0]
    return reference, tuple(key for mentioned, key in found if mentioned == {reference})


def keys_of(conditions: Iterable[core.Expression], variable: str, others: Set[str]) -> Iterator[Key]:
    """The conditions that equate something of the variable with something of others. Booleans hardly divide them."""
    for condition in conditions:
        if isinstance(condition, core.Comparison) and condition.operator == "=":
            for own, other in ((condition.left, condition.right), (condition.right, condition.left)):
                mentioned = core.variables_of(other)
                if core.variables_of(own) == {variable} and mentioned and mentioned <= others:
                    if core.type_of(own) is not Scalar.BOOLEAN:
                        yield Key(own, other)
                    break
