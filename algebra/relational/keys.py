"""The equalities that join a variable of a rule to others, and the keys that too many events share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass

from semantics.events.values import ScalarValue
from semantics.syntax import core
from semantics.syntax.core import Scalar


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
    """Values of a key that so many events have that they are joined by slices of time as well."""

    key: Key
    values: tuple[ScalarValue, ...]


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
