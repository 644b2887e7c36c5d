"""The tree of a program (specification: etalis-text; E §3). Spans do not count when trees are compared."""

from __future__ import annotations

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


class Variable(Spanned):
    """A variable of a rule."""

    name: str


class Constant(Spanned):
    """A value."""

    value: Value


class Calculation(Spanned):
    """`left operator right` of numbers; a quotient of two whole numbers that are written is a constant."""

    left: Term
    operator: Arithmetic
    right: Term


class Comparison(Spanned):
    """`left relation right`, a Boolean."""

    left: Term
    relation: Relation
    right: Term


Term = Variable | Constant | Calculation | Comparison

# --- Patterns ---------------------------------------------------------------------------------------------------------


class EventPattern(Spanned):
    """`name(arguments)`: each event of that name whose arguments these are."""

    name: str
    arguments: tuple[Term, ...]


class Moment(Spanned):
    """A point in time, which happens by itself."""

    time: Number


class Lasting(Spanned):
    """`(operand).length`: what lasts no longer."""

    operand: Pattern
    length: Number


class Where(Spanned):
    """`operand WHERE condition`."""

    operand: Pattern
    condition: Term


class Joined(Spanned):
    """`left OPERATOR right`."""

    left: Pattern
    operator: Operator
    right: Pattern


class Negation(Spanned):
    """`NOT(absent).[first, last]`."""

    absent: Pattern
    first: Pattern
    last: Pattern


Pattern = EventPattern | Moment | Lasting | Where | Joined | Negation

# --- Programs ---------------------------------------------------------------------------------------------------------


class Rule(Spanned):
    """`head <- body.`: whenever the body happens, so does the head, over the same interval."""

    head: EventPattern
    body: Pattern


class Program(Spanned):
    """A program. A number that is not whole is a string such as "3/2"."""

    rules: tuple[Rule, ...]


TERMS: Tree[Term] = Tree(Term)
PATTERNS: Tree[Pattern] = Tree(Pattern)
Node = Term | Pattern
TREE: Tree[Node] = Tree(Node)
"""What patterns are made of, terms included."""

within = TREE.within


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
