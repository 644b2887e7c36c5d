"""The tree of a program (specification: etalis-text; E §3). The comparison of trees ignores spans."""

from __future__ import annotations

from enum import Enum

from parte.languages.etalis.semantics.syntax.values import Number, Value
from parte.semantics.source.spans import Spanned
from parte.semantics.source.trees import Tree


class Arithmetic(Enum):
    """The operators of calculations with two numbers."""

    PLUS = "+"
    MINUS = "-"
    TIMES = "*"
    OVER = "/"


class Relation(Enum):
    """The operators of comparisons of two values."""

    LESS = "<"
    LESS_OR_EQUAL = "<="
    GREATER = ">"
    GREATER_OR_EQUAL = ">="
    EQUAL = "="
    NOT_EQUAL = "!="


class Operator(Enum):
    """The operators that join two patterns."""

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
    """`left operator right` of numbers; a quotient of two whole numbers in the text is a constant."""

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
    """`name(arguments)`: each event of that name with matching arguments."""

    name: str
    arguments: tuple[Term, ...]


class Moment(Spanned):
    """A point in time, which happens by itself."""

    time: Number


class Lasting(Spanned):
    """`(operand).length`: events of the operand that last no longer."""

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


PATTERNS: Tree[Pattern] = Tree(Pattern)
Node = Term | Pattern
TREE: Tree[Node] = Tree(Node)
"""The kinds of nodes of patterns, terms included."""

within = TREE.within


def variables(node: Node) -> frozenset[str]:
    """Return the variables that occur in a node."""
    return frozenset(part.name for part in within(node) if isinstance(part, Variable))


def bound(pattern: Pattern) -> frozenset[str]:
    """Return the variables that have a value in every match of a pattern."""
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
