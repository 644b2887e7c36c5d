"""The tree of a query (specification: cel-text; T §3.2 has the abstract syntax only).

A node of an associative operator has all parts in one tuple, so that a long chain is not a deep tree: `A; B; C` is one
sequence of three, `(A; B); C` one of two. The comparison of trees ignores spans.
"""

from __future__ import annotations

from enum import Enum

from parte.semantics.source.spans import Spanned
from parte.semantics.source.trees import Literal as Literal
from parte.semantics.source.trees import Tree


class Strategy(Enum):
    """The strategy that selects among competing results."""

    ALL = "ALL"
    STRICT = "STRICT"
    NXT = "NXT"
    LAST = "LAST"
    MAX = "MAX"


class Consumption(Enum):
    """The substreams in which, after results, only what starts later counts."""

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
    """The operators of comparisons of two values."""

    LESS = "<"
    LESS_OR_EQUAL = "<="
    GREATER = ">"
    GREATER_OR_EQUAL = ">="
    EQUAL = "="
    NOT_EQUAL = "!="


Constant = int | float | str | bool

# --- Predicates: sets of events ---------------------------------------------------------------------------------------


class Attribute(Spanned):
    """The value of an attribute, or NULL."""

    name: str


Operand = Attribute | Literal


class Comparison(Spanned):
    """`left operator right`; false when a side is NULL or the sides are of different kinds."""

    left: Operand
    operator: Operator
    right: Operand


class Not(Spanned):
    """The events that do not satisfy a predicate."""

    operand: Predicate


class Every(Spanned):
    """Predicates joined by AND, two or more."""

    parts: tuple[Predicate, ...]


class Some(Spanned):
    """Predicates joined by OR, two or more."""

    parts: tuple[Predicate, ...]


Predicate = Comparison | Not | Every | Some

# --- Conditions of FILTER: sets of valuations -------------------------------------------------------------------------


class Holds(Spanned):
    """`variable[predicate]`: every event of the variable satisfies the predicate."""

    variable: str
    predicate: Predicate


class Link(Spanned):
    """`left[a] operator right[b]`: the comparison is true for every pair of events of two variables."""

    left: str
    left_attribute: str
    operator: Operator
    right: str
    right_attribute: str


class Both(Spanned):
    """Conditions joined by AND, two or more."""

    parts: tuple[Condition, ...]


class Either(Spanned):
    """Conditions joined by OR, two or more."""

    parts: tuple[Condition, ...]


Condition = Holds | Link | Both | Either

# --- Formulas ---------------------------------------------------------------------------------------------------------


class EventType(Spanned):
    """Each event of a type; the type is a variable too."""

    name: str


class Named(Spanned):
    """`operand AS variable`."""

    operand: Formula
    variable: str


class Filtered(Spanned):
    """`operand FILTER condition`."""

    operand: Formula
    condition: Condition


class Or(Spanned):
    """Formulas joined by OR, two or more."""

    parts: tuple[Formula, ...]


class Sequence(Spanned):
    """One formula after the other, two or more: joined by `;`, or by `:` if each begins right after the one before."""

    parts: tuple[Formula, ...]
    contiguous: bool


class Iteration(Spanned):
    """`operand+`: once or more, one after the other; `operand:+` if each begins right after the one before."""

    operand: Formula
    contiguous: bool


class Projection(Spanned):
    """`PROJ(variables)(operand)`: the other variables become empty."""

    variables: tuple[str, ...]
    operand: Formula


Formula = EventType | Named | Filtered | Or | Sequence | Iteration | Projection

# --- Queries ----------------------------------------------------------------------------------------------------------


class EventWindow(Spanned):
    """The end is at most `events` positions after the start."""

    events: int


class TimeWindow(Spanned):
    """The end is at most the sum of the terms after the start."""

    terms: tuple[tuple[int, Unit], ...]

    @property
    def milliseconds(self) -> int:
        """The length in milliseconds."""
        return sum(amount * unit.value for amount, unit in self.terms)


Window = EventWindow | TimeWindow


class Query(Spanned):
    """A query. `selected` is null for `*`; `streams` and `attributes` are empty without their clauses."""

    strategy: Strategy
    selected: tuple[str, ...] | None
    streams: tuple[str, ...]
    formula: Formula
    attributes: tuple[str, ...]
    window: Window | None
    consumption: Consumption


Node = Formula | Condition | Predicate | Operand
TREE: Tree[Node] = Tree(Node)
"""The kinds of nodes of formulas, conditions and predicates included."""

within = TREE.within


def bound_in(formula: Formula) -> frozenset[str]:
    """Return the variables that a formula can bind: its types and the names after AS."""
    names: set[str] = set()
    for node in within(formula):
        match node:
            case EventType(name=name) | Named(variable=name):
                names.add(name)
    return frozenset(names)
