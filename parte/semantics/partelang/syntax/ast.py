"""The source tree of a PARTElang program: the program as written, before scoping and types (D fig. 4.1).

Trees are compared without their spans and comments, so that printing and parsing again gives an equal tree.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from parte.semantics.events.duration import Unit as Unit
from parte.semantics.source.comments import Comment as Comment
from parte.semantics.source.spans import NOWHERE, Span, Spanned
from parte.semantics.source.trees import Literal as Literal
from parte.semantics.source.trees import Tree


def _span() -> Span:
    return field(default=NOWHERE, compare=False, repr=False, kw_only=True)


class Duration(Spanned):
    """A literal length of time such as `-14 days`."""

    amount: int
    unit: Unit

    @property
    def milliseconds(self) -> int:
        return self.amount * self.unit.value


# --- Types -----------------------------------------------------------------------------------------------------------


class NamedType(Spanned):
    """A base type or an alias, by its name."""

    name: str


class ListTypeExpression(Spanned):
    """`[T; n]`: a list of at most `capacity` values."""

    element: NamedType
    capacity: int


TypeExpression = NamedType | ListTypeExpression


# --- Expressions -----------------------------------------------------------------------------------------------------


class BinaryOperator(Enum):
    """The infix operators; the value is the spelling that the printer uses."""

    EQUAL = "="
    NOT_EQUAL = "!="
    LESS = "<"
    LESS_OR_EQUAL = "<="
    GREATER = ">"
    GREATER_OR_EQUAL = ">="
    ADD = "+"
    SUBTRACT = "-"
    MULTIPLY = "*"
    DIVIDE = "/"

    @property
    def relational(self) -> bool:
        return self.value[0] in "=!<>"


class Reference(Spanned):
    """`attribute` of the event at hand, or `variable.attribute`."""

    variable: str | None
    attribute: str


class Negate(Spanned):
    """`-operand`."""

    operand: Expression


class Binary(Spanned):
    """`left operator right`."""

    operator: BinaryOperator
    left: Expression
    right: Expression


class Connective(Enum):
    """The words that join conditions of level 2; the value is the spelling."""

    AND = "and"
    OR = "or"


class Compound(Spanned):
    """`operand connective operand …`, of level 2."""

    connective: Connective
    operands: tuple[Expression, ...]


class Not(Spanned):
    """`not operand`, of level 2."""

    operand: Expression


class Membership(Spanned):
    """`member in (candidates…)`, of level 2."""

    member: Expression
    candidates: tuple[Expression, ...]


class Call(Spanned):
    """`name(arguments…)`: a function, a predicate, or `list`."""

    name: str
    arguments: tuple[Expression, ...]


Expression = Literal | Duration | Reference | Negate | Binary | Compound | Not | Membership | Call


# --- Declarations ----------------------------------------------------------------------------------------------------


class TypeAlias(Spanned):
    """`type name = target`."""

    name: str
    target: TypeExpression
    name_span: Span = _span()


class Slot(Spanned):
    """An attribute of a template and its type."""

    name: str
    type: TypeExpression


class Template(Spanned):
    """`template name { slots }` (D def. 5)."""

    name: str
    slots: tuple[Slot, ...]
    name_span: Span = _span()


class Predicate(Spanned):
    """`predicate name(types…)`: a relation that the run supplies."""

    name: str
    parameters: tuple[TypeExpression, ...]
    name_span: Span = _span()


class Pattern(Spanned):
    """`[no] variable : template { conditions }`."""

    negated: bool
    variable: str
    template: str
    conditions: tuple[Expression, ...]
    variable_span: Span = _span()
    template_span: Span = _span()


class Constraint(Spanned):
    """`[no] subject in reference [lower, upper]`, closed at both ends."""

    negated: bool
    subject: str
    reference: str
    lower: Duration
    upper: Duration
    subject_span: Span = _span()
    reference_span: Span = _span()


class Assignment(Spanned):
    """`attribute = value` in an emission."""

    attribute: str
    value: Expression


class Emission(Spanned):
    """`emit template at timestamp with { assignments }`."""

    template: str
    at: Expression
    assignments: tuple[Assignment, ...]
    template_span: Span = _span()
    with_span: Span = _span()


class Rule(Spanned):
    """`rule name where patterns when constraints then emissions`."""

    name: str
    patterns: tuple[Pattern, ...]
    constraints: tuple[Constraint, ...]
    emissions: tuple[Emission, ...]
    name_span: Span = _span()
    when_span: Span = _span()
    then_span: Span = _span()


Declaration = TypeAlias | Template | Predicate | Rule


@dataclass(frozen=True, slots=True)
class SourceProgram:
    """All declarations in the order in which they were written, and the level of the language that the text names."""

    declarations: tuple[Declaration, ...]
    level: int = 1
    level_span: Span = _span()
    comments: tuple[Comment, ...] = field(default=(), compare=False, repr=False, kw_only=True)
    text: str = field(default="", compare=False, repr=False, kw_only=True)


Node = Expression | Declaration | Slot | Pattern | Constraint | Assignment | Emission | SourceProgram

NODES: Final[Tree[Node]] = Tree(Node)
"""Programs as trees; types are not nodes of them."""
