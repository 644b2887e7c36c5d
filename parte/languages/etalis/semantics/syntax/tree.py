"""The tree of a program (specification: etalis-text; E §3). Spans do not count when trees are compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from parte.languages.etalis.semantics.syntax.values import Number, Value
from parte.semantics.source.spans import Spanned
from parte.semantics.source.trees import Tree


class Arithmetic(Enum):
    """How two numbers are reckoned with."""

    PLUS = "+"
    MINUS = "-"
    TIMES = "*"
    OVER = "/"


class Relation(Enum):
    """How two values are compared."""

    LESS = "<"
    LESS_OR_EQUAL = "<="
    GREATER = ">"
    GREATER_OR_EQUAL = ">="
    EQUAL = "="
    NOT_EQUAL = "!="


class Operator(Enum):
    """How two patterns are joined."""

    SEQ = "SEQ"
    AND = "AND"
    PAR = "PAR"
    OR = "OR"
    EQUALS = "EQUALS"
    MEETS = "MEETS"
    DURING = "DURING"
    STARTS = "STARTS"
    FINISHES = "FINISHES"


# --- Terms ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Variable(Spanned):
    """A variable of a rule."""

    name: str


@dataclass(frozen=True, slots=True)
class Constant(Spanned):
    """A value."""

    value: Value


@dataclass(frozen=True, slots=True)
class Calculation(Spanned):
    """`left operator right` of numbers; a quotient of two whole numbers that are written is a constant."""

    left: Term
    operator: Arithmetic
    right: Term


@dataclass(frozen=True, slots=True)
class Comparison(Spanned):
    """`left relation right`, a Boolean."""

    left: Term
    relation: Relation
    right: Term


Term = Variable | Constant | Calculation | Comparison

# --- Patterns ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EventPattern(Spanned):
    """`name(arguments)`: each event of that name whose arguments these are."""

    name: str
    arguments: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Moment(Spanned):
    """A point in time, which happens by itself."""

    time: Number


@dataclass(frozen=True, slots=True)
class Lasting(Spanned):
    """`(operand).length`: what lasts no longer."""

    operand: Pattern
    length: Number


@dataclass(frozen=True, slots=True)
class Where(Spanned):
    """`operand WHERE condition`."""

    operand: Pattern
    condition: Term


@dataclass(frozen=True, slots=True)
class Joined(Spanned):
    """`left OPERATOR right`."""

    left: Pattern
    operator: Operator
    right: Pattern


@dataclass(frozen=True, slots=True)
class Negation(Spanned):
    """`NOT(absent).[first, last]`."""

    absent: Pattern
    first: Pattern
    last: Pattern


Pattern = EventPattern | Moment | Lasting | Where | Joined | Negation

# --- Programs ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Rule(Spanned):
    """`head <- body.`: whenever the body happens, so does the head, over the same interval."""

    head: EventPattern
    body: Pattern


@dataclass(frozen=True, slots=True)
class Program(Spanned):
    """Rules in the order of the text."""

    rules: tuple[Rule, ...]


TERMS: Tree[Term] = Tree(Term)
PATTERNS: Tree[Pattern] = Tree(Pattern)
Node = Term | Pattern
TREE: Tree[Node] = Tree(Node)
"""What patterns are made of, terms included."""


def within(node: Node) -> Iterator[Node]:
    """A pattern or term and all that is in it, each before its parts, however deep."""
    left = [node]
    while left:
        node = left.pop()
        yield node
        left.extend(reversed(TREE.parts(node)))


def variables(node: Node) -> frozenset[str]:
    """The variables that occur."""
    return frozenset(part.name for part in within(node) if isinstance(part, Variable))


def bound(pattern: Pattern) -> frozenset[str]:
    """The variables that have a value in whatever a pattern finds."""
    match pattern:
        case EventPattern(arguments=arguments):
            return frozenset(term.name for term in arguments if isinstance(term, Variable))
        case Moment():
            return frozenset()
        case Lasting(operand=operand) | Where(operand=operand):
            return bound(operand)
        case Joined(left=left, operator=Operator.OR, right=right):
            return bound(left) & bound(right)
        case Joined(left=left, right=right):
            return bound(left) | bound(right)
        case Negation(first=first, last=last):
            return bound(first) | bound(last)
