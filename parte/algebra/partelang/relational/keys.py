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
    """A condition `own = other`: an expression over one variable, and one over other variables."""

    own: core.Expression
    counterpart: core.Expression

    @property
    def type(self) -> Scalar:
        """Return the type of both sides. Lists are never compared."""
        of = core.type_of(self.own)
        assert isinstance(of, Scalar)
        return of


@dataclass(frozen=True, slots=True)
class HotKeys:
    """Values of some keys that many events share, so that these events are joined by slices of time as well."""

    keys: tuple[Key, ...]
    values: tuple[tuple[ScalarValue, ...], ...]


@dataclass(frozen=True, slots=True)
class Probe:
    """A search for hot keys of a variable that equalities join to another: a query for the values on each side."""

    position: int
    """The position of the variable's pattern in the rule; a negated variable may have the name of a positive one."""
    variable: str
    reference: str
    keys: tuple[Key, ...]
    own: exp.Select
    counterpart: exp.Select


def joining(
    conditions: Sequence[core.Expression], variable: str, others: Set[str]
) -> tuple[str, tuple[Key, ...]] | None:
    """Return the variable that the first equality with one other variable joins to, and all keys that join the two."""
    joined = [
        (mentioned, key)
        for key in keys_of(conditions, variable, others)
        if len(mentioned := core.variables_of(key.counterpart)) == 1
    ]
    if not joined:
        return None
    (reference,) = joined[0][0]
    return reference, tuple(key for mentioned, key in joined if mentioned == {reference})


def keys_of(conditions: Iterable[core.Expression], variable: str, others: Set[str]) -> Iterator[Key]:
    """Yield the equalities between the variable and other variables as keys. Booleans hardly divide the events."""
    for condition in conditions:
        if isinstance(condition, core.Comparison) and condition.operator == "=":
            for own, side in ((condition.left, condition.right), (condition.right, condition.left)):
                mentioned = core.variables_of(side)
                if core.variables_of(own) == {variable} and mentioned and mentioned <= others:
                    if core.type_of(own) is not Scalar.BOOLEAN:
                        yield Key(own, side)
                    break
