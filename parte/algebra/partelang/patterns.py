"""The patterns of the event algebra EA and their types (D def. 11).

`PatternError` is raised if a pattern that D's definition does not admit is constructed.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass

from parte.semantics.partelang.syntax import core


class PatternError(ValueError):
    """Not a pattern of EA: variables overlap, differ or are out of scope."""


# --- Conditions ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Within:
    """`reference.timestamp + lower <= subject.timestamp <= reference.timestamp + upper`, in ms, closed at both ends.

    It expresses both filters of D §4.4.2, whose inequalities are the other way round there
    (specification: windows-closed). The sums are exact.
    """

    subject: str
    reference: str
    lower: int
    upper: int


@dataclass(frozen=True, slots=True)
class All:
    """A conjunction of conditions; an empty one always holds."""

    conditions: tuple[Condition, ...]


Condition = core.Expression | Within | All
"""A condition of a filter. An expression must be Boolean; an expression without value does not hold."""


def variables_in(condition: Condition) -> frozenset[str]:
    """Return the variables that a condition mentions."""
    match condition:
        case Within(subject=subject, reference=reference):
            return frozenset({subject, reference})
        case All(conditions=conditions):
            return frozenset().union(*map(variables_in, conditions))
        case _:
            return core.variables_of(condition)


# --- Patterns --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Binding:
    """`(relation as variable)`."""

    relation: str
    variable: str


@dataclass(frozen=True, slots=True)
class Conjunction:
    """`left ∧ right`, which bind disjoint sets of variables."""

    left: Pattern
    right: Pattern

    def __post_init__(self) -> None:
        _demand_disjoint(self.left, self.right)


@dataclass(frozen=True, slots=True)
class Disjunction:
    """`left ∨ right`, which bind the same set of variables."""

    left: Pattern
    right: Pattern

    def __post_init__(self) -> None:
        if type_of(self.left).keys() != type_of(self.right).keys():
            raise PatternError("the two sides of a disjunction must bind the same variables")


@dataclass(frozen=True, slots=True)
class Filter:
    """`pattern WHERE condition`."""

    pattern: Pattern
    condition: Condition

    def __post_init__(self) -> None:
        _demand_scope(self.condition, type_of(self.pattern).keys())


@dataclass(frozen=True, slots=True)
class FilteredNegation:
    r"""`positive \ negative WHERE condition`: no value of `negative` satisfies the condition beside the positive value.

    D leaves implicit that the two bind disjoint sets of variables; the union in definition 12 requires it.
    """

    positive: Pattern
    negative: Pattern
    condition: Condition

    def __post_init__(self) -> None:
        _demand_disjoint(self.positive, self.negative)
        _demand_scope(self.condition, type_of(self.positive).keys() | type_of(self.negative).keys())


@dataclass(frozen=True, slots=True)
class Collection:
    """`positive` with `variable` bound to the set of the events of `elements` that satisfy the condition beside it.

    It is ours (level 2). `elements` binds `variable` alone. `FilteredNegation` is the case that the set is empty.
    """

    positive: Pattern
    elements: Pattern
    variable: str
    condition: Condition

    def __post_init__(self) -> None:
        _demand_disjoint(self.positive, self.elements)
        if type_of(self.elements).keys() != {self.variable}:
            raise PatternError(f"the elements of a set bind {self.variable} alone")
        _demand_scope(self.condition, type_of(self.positive).keys() | {self.variable})


Pattern = Binding | Conjunction | Disjunction | Filter | FilteredNegation | Collection


def type_of(pattern: Pattern) -> Mapping[str, str]:
    """Return the mapping type of a pattern: the relation of each variable that it binds (D def. 11).

    For a disjunction it is the type of the left side, as in D, which only requires equal variables of both sides.
    """
    match pattern:
        case Binding(relation=relation, variable=variable):
            return {variable: relation}
        case Conjunction(left=left, right=right):
            return {**type_of(left), **type_of(right)}
        case Disjunction(left=left):
            return type_of(left)
        case Filter(pattern=filtered):
            return type_of(filtered)
        case FilteredNegation(positive=positive):
            return type_of(positive)
        case Collection(positive=positive, elements=elements):
            return {**type_of(positive), **type_of(elements)}


def _demand_disjoint(left: Pattern, right: Pattern) -> None:
    if both := type_of(left).keys() & type_of(right).keys():
        raise PatternError(f"bound twice: {', '.join(sorted(both))}")


def _demand_scope(condition: Condition, variables: Set[str]) -> None:
    if unbound := variables_in(condition) - variables:
        raise PatternError(f"not in scope: {', '.join(sorted(unbound))}")
