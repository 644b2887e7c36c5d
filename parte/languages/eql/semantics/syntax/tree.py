"""The tree of a query (specification: eql-text). Trees are compared without their spans."""

from __future__ import annotations

from enum import Enum

from parte.semantics.source.spans import Spanned
from parte.semantics.source.trees import Literal as Literal
from parte.semantics.source.trees import Tree


class Relation(Enum):
    """The operators of comparisons."""

    EQUAL = "=="
    UNEQUAL = "!="
    LESS = "<"
    LESS_OR_EQUAL = "<="
    GREATER = ">"
    GREATER_OR_EQUAL = ">="


class Sign(Enum):
    """The operators of arithmetic."""

    PLUS = "+"
    MINUS = "-"
    TIMES = "*"
    OVER = "/"
    MODULO = "%"


class Matching(Enum):
    """The operators that compare a string with patterns; those with `~`, and `:`, fold case."""

    COLON = ":"
    LIKE = "like"
    LIKE_FOLDED = "like~"
    REGEX = "regex"
    REGEX_FOLDED = "regex~"


class Unit(Enum):
    """Units of maxspan, in milliseconds."""

    MS = 1
    S = 1_000
    M = 60_000
    H = 3_600_000
    D = 86_400_000


class End(Enum):
    """The end of the list of results that a pipe keeps."""

    HEAD = "head"
    TAIL = "tail"


# --- Expressions ------------------------------------------------------------------------------------------------------


class Null(Spanned):
    """The value of what is missing."""


class Field(Spanned):
    """The value of an attribute, or null; `optional` is the mark `?`."""

    name: str
    optional: bool


class Call(Spanned):
    """A function of some values; `folded` is the mark `~`."""

    function: str
    folded: bool
    arguments: tuple[Expression, ...]


class Negative(Spanned):
    """`-operand`."""

    operand: Expression


class Arithmetic(Spanned):
    """`left sign right`."""

    left: Expression
    sign: Sign
    right: Expression


class Comparison(Spanned):
    """`left relation right`."""

    left: Expression
    relation: Relation
    right: Expression


class Presence(Spanned):
    """`operand != null`, or `operand == null` if not `present`."""

    operand: Expression
    present: bool


class Matches(Spanned):
    """The operand matches one of the patterns."""

    operand: Expression
    matching: Matching
    patterns: tuple[str, ...]


class InList(Spanned):
    """The operand is one of the values; `folded` is the mark `~`."""

    operand: Expression
    negated: bool
    folded: bool
    values: tuple[Literal, ...]


class Not(Spanned):
    """The operand is false."""

    operand: Expression


class And(Spanned):
    """Conditions that are all true, two or more."""

    parts: tuple[Expression, ...]


class Or(Spanned):
    """Conditions of which one is true, two or more."""

    parts: tuple[Expression, ...]


Expression = (
    Literal | Null | Field | Call | Negative | Arithmetic | Comparison | Presence | Matches | InList | Not | And | Or
)

# --- Queries ----------------------------------------------------------------------------------------------------------


class Event(Spanned):
    """The events of a category, or of any, that fulfil a condition."""

    category: str | None
    condition: Expression


class Span(Spanned):
    """The greatest time from the first event of a result to the last."""

    amount: int
    unit: Unit

    @property
    def milliseconds(self) -> int:
        """The length in milliseconds."""
        return self.amount * self.unit.value


class Stage(Spanned):
    """A step of a sequence, the events that end one, or an item of a sample.

    `missing` is the mark `!`; `by` are its own keys; `runs` is how often a step of a sequence is repeated.
    """

    event: Event
    missing: bool = False
    by: tuple[Field, ...] = ()
    runs: int = 1


class Pipe(Spanned):
    """The first or the last results."""

    end: End
    count: int


class Single(Spanned):
    """Every event that fits."""

    event: Event
    pipes: tuple[Pipe, ...]


class Sequence(Spanned):
    """Events one after the other."""

    by: tuple[Field, ...]
    maxspan: Span | None
    stages: tuple[Stage, ...]
    until: Stage | None
    pipes: tuple[Pipe, ...]


class Sample(Spanned):
    """Events with the same key, in any order."""

    by: tuple[Field, ...]
    items: tuple[Stage, ...]


Query = Single | Sequence | Sample
Node = Expression | Event | Stage | Span | Pipe | Query
TREE: Tree[Node] = Tree(Node)
"""The kinds of nodes of queries."""

within = TREE.within


def positive(query: Sequence) -> tuple[Stage, ...]:
    """Return the positive stages, each as often as its runs say."""
    return tuple(stage for stage in query.stages if not stage.missing for _ in range(stage.runs))


def between(query: Sequence) -> tuple[tuple[Stage, ...], ...]:
    """Return the missing stages before the first positive one, after the first, and so on, after the last (runs
    unfolded)."""
    groups: list[tuple[Stage, ...]] = [()]
    for stage in query.stages:
        if stage.missing:
            groups[-1] = (*groups[-1], stage)
        else:
            groups += [()] * stage.runs
    return tuple(groups)


def keys_of(query: Sequence | Sample, stage: Stage) -> tuple[Field, ...]:
    """Return the keys of a stage: the common ones, then its own."""
    return (*query.by, *stage.by)


def categories(query: Query) -> frozenset[str] | None:
    """Return the categories of the events that a query names; None if it names any."""
    named = {node.category for node in within(query) if isinstance(node, Event)}
    return None if None in named else frozenset(name for name in named if name is not None)
