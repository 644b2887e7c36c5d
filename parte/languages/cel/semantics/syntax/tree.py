"""The tree of a query (specification: cel-text; T §3.2 has the abstract syntax only).

What is associative has all its parts in one tuple, so that a long chain is no deep tree: `A; B; C` is one sequence of
three, `(A; B); C` one of two. Spans do not count when trees are compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from parte.semantics.source.spans import Spanned
from parte.semantics.source.trees import Tree


class Strategy(Enum):
    """Which of the results that compete are kept."""

    ALL = "ALL"
    STRICT = "STRICT"
    NXT = "NXT"
    LAST = "LAST"
    MAX = "MAX"


class Consumption(Enum):
    """Where, after results, only what starts later counts."""

    ANY = "ANY"
    PARTITION = "PARTITION"
    NONE = "NONE"


class Unit(Enum):
    """Units of a window of time, in milliseconds."""

    MS = 1
    SECONDS = 1_000
    MINUTES = 60_000
    HOURS = 3_600_000


class Operator(Enum):
    """How two values are compared."""

    LESS = "<"
    LESS_OR_EQUAL = "<="
    GREATER = ">"
    GREATER_OR_EQUAL = ">="
    EQUAL = "="
    NOT_EQUAL = "!="


Constant = int | float | str | bool

# --- Predicates: sets of events ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Attribute(Spanned):
    """The value of an attribute, or NULL."""

    name: str


@dataclass(frozen=True, slots=True)
class Literal(Spanned):
    """A value. `1`, `1.0` and `true` are three literals."""

    value: Constant

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Literal) and (type(self.value), self.value) == (type(other.value), other.value)

    def __hash__(self) -> int:
        return hash((type(self.value), self.value))


Operand = Attribute | Literal


@dataclass(frozen=True, slots=True)
class Comparison(Spanned):
    """`left operator right`; false when a side is NULL or the sides are of different kinds."""

    left: Operand
    operator: Operator
    right: Operand


@dataclass(frozen=True, slots=True)
class Not(Spanned):
    """The events that a predicate does not hold of."""

    operand: Predicate


@dataclass(frozen=True, slots=True)
class Every(Spanned):
    """Predicates joined by AND, two or more."""

    parts: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class Some(Spanned):
    """Predicates joined by OR, two or more."""

    parts: tuple[Predicate, ...]


Predicate = Comparison | Not | Every | Some

# --- Conditions of FILTER: sets of valuations -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Holds(Spanned):
    """`variable[predicate]`: every event of the variable satisfies the predicate."""

    variable: str
    predicate: Predicate


@dataclass(frozen=True, slots=True)
class Link(Spanned):
    """`left[a] operator right[b]`: the comparison holds for every pair of events of two variables."""

    left: str
    left_attribute: str
    operator: Operator
    right: str
    right_attribute: str


@dataclass(frozen=True, slots=True)
class Both(Spanned):
    """Conditions joined by AND, two or more."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Either(Spanned):
    """Conditions joined by OR, two or more."""

    parts: tuple[Condition, ...]


Condition = Holds | Link | Both | Either

# --- Formulas ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EventType(Spanned):
    """Each event of a type; the type is a variable too."""

    name: str


@dataclass(frozen=True, slots=True)
class Named(Spanned):
    """`operand AS variable`."""

    operand: Formula
    variable: str


@dataclass(frozen=True, slots=True)
class Filtered(Spanned):
    """`operand FILTER condition`."""

    operand: Formula
    condition: Condition


@dataclass(frozen=True, slots=True)
class Or(Spanned):
    """Formulas joined by OR, two or more."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Sequence(Spanned):
    """One formula after the other, two or more: joined by `;`, or by `:` if each begins right after the one before."""

    parts: tuple[Formula, ...]
    contiguous: bool


@dataclass(frozen=True, slots=True)
class Iteration(Spanned):
    """`operand+`: once or more, one after the other; `operand:+` if each begins right after the one before."""

    operand: Formula
    contiguous: bool


@dataclass(frozen=True, slots=True)
class Projection(Spanned):
    """`PROJ(variables)(operand)`: the other variables become empty."""

    variables: tuple[str, ...]
    operand: Formula


Formula = EventType | Named | Filtered | Or | Sequence | Iteration | Projection

# --- Queries ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EventWindow(Spanned):
    """The end is at most so many positions after the start."""

    events: int


@dataclass(frozen=True, slots=True)
class TimeWindow(Spanned):
    """The end is at most so long after the start; the terms add up."""

    terms: tuple[tuple[int, Unit], ...]

    @property
    def milliseconds(self) -> int:
        """How long."""
        return sum(amount * unit.value for amount, unit in self.terms)


Window = EventWindow | TimeWindow


@dataclass(frozen=True, slots=True)
class Query(Spanned):
    """A query. `selected` is None for `*` and empty for NONE; `streams` and `attributes` are empty without their
    clauses."""

    strategy: Strategy
    selected: tuple[str, ...] | None
    streams: tuple[str, ...]
    formula: Formula
    attributes: tuple[str, ...]
    window: Window | None
    consumption: Consumption


Node = Formula | Condition | Predicate | Operand
TREE: Tree[Node] = Tree(Node)
"""What formulas are made of, conditions and predicates included."""


def within(node: Node) -> Iterator[Node]:
    """A formula and all that is in it, each before its parts, however deep."""
    left = [node]
    while left:
        node = left.pop()
        yield node
        left.extend(reversed(TREE.parts(node)))


def bound_in(formula: Formula) -> frozenset[str]:
    """The variables that a formula can give events to: its types and the names after AS."""
    found: set[str] = set()
    for node in within(formula):
        match node:
            case EventType(name=name) | Named(variable=name):
                found.add(name)
    return frozenset(found)
