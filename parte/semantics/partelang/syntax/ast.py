"""The source tree of a PARTElang program: the program as written, before scoping and types (D fig. 4.1).

Trees are compared without their spans and comments, so that printing and parsing again gives an equal tree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from parte.semantics.events.duration import Unit as Unit
from parte.semantics.events.event import NEGATIVE_INFINITY, POSITIVE_INFINITY
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


class Ever(Spanned):
    """`-ever` or `ever`, of level 2: the end of a window that has none."""

    negative: bool

    @property
    def milliseconds(self) -> int:
        return NEGATIVE_INFINITY if self.negative else POSITIVE_INFINITY


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


class Timestamp(Spanned):
    """`@2026-11-24T09:00:00Z`, of level 2, in milliseconds since 1970."""

    milliseconds: int


class Reference(Spanned):
    """`attribute` of the event at hand, or `variable.attribute`. The variable of a used pattern is `use.variable`."""

    variable: str | None
    attribute: str

    @property
    def name(self) -> str:
        """All of the reference: the name of a variable where one is expected."""
        return self.attribute if self.variable is None else f"{self.variable}.{self.attribute}"


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


class Presence(Spanned):
    """`operand is present` or `operand is missing`, of level 2."""

    operand: Expression
    present: bool


class Call(Spanned):
    """`name(arguments…)`: a function, a predicate, an aggregate, or `list`; `distinct` stands before its argument."""

    name: str
    arguments: tuple[Expression, ...]
    distinct: bool = False


Expression = (
    Literal | Duration | Timestamp | Reference | Negate | Binary | Compound | Not | Membership | Presence | Call
)


# --- Declarations ----------------------------------------------------------------------------------------------------


class TypeAlias(Spanned):
    """`type name = target`."""

    name: str
    target: TypeExpression
    name_span: Span = _span()


class Slot(Spanned):
    """An attribute of a template and its type; `optional`, of level 2, if events may lack it."""

    name: str
    type: TypeExpression
    optional: bool = False


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


class Selection(Enum):
    """The words of level 2 that choose among the events for a variable; the value is the spelling."""

    FIRST = "first"
    LAST = "last"


class Alternative(Spanned):
    """`template { conditions }` behind `or` in a pattern with `either`, of level 2; the variable is the pattern's."""

    template: str
    conditions: tuple[Expression, ...]
    template_span: Span = _span()


class Pattern(Spanned):
    """`[no | all | first | last] variable : template { conditions }`; `collected`: with `all`.

    With `alternatives`, those behind the first one, it is `either variable : … or variable : …`.
    """

    negated: bool
    variable: str
    template: str
    conditions: tuple[Expression, ...]
    collected: bool = False
    selection: Selection | None = None
    alternatives: tuple[Alternative, ...] = ()
    variable_span: Span = _span()
    template_span: Span = _span()
    first_span: Span = _span()

    @property
    def choices(self) -> tuple[Alternative, ...]:
        """All alternatives, the first one too; a pattern without `either` has one."""
        span = self.first_span if self.alternatives else self.span
        first = Alternative(self.template, self.conditions, span=span, template_span=self.template_span)
        return (first, *self.alternatives)

    @property
    def templates(self) -> tuple[str, ...]:
        """The templates of all alternatives."""
        return (self.template, *(alternative.template for alternative in self.alternatives))


class Constraint(Spanned):
    """`[no] subject in reference [lower, upper]`; a round bracket opens an end; `-ever` is no beginning (level 2)."""

    negated: bool
    subject: str
    reference: str
    lower: Duration | Ever
    upper: Duration | Ever
    open_lower: bool = False
    open_upper: bool = False
    subject_span: Span = _span()
    reference_span: Span = _span()

    @property
    def closed(self) -> tuple[int | None, int]:
        """The ends of the closed window of the same meaning, in milliseconds; None for `-ever`."""
        lower = None if isinstance(self.lower, Ever) else self.lower.milliseconds + self.open_lower
        return lower, self.upper.milliseconds - self.open_upper


class Use(Spanned):
    """`use pattern(arguments) as name`, of level 2. `place`: the number of patterns of the same rule before it."""

    pattern: str
    arguments: tuple[Expression, ...]
    name: str
    place: int = 0
    pattern_span: Span = _span()
    name_span: Span = _span()


class Assignment(Spanned):
    """`attribute = value` in an emission."""

    attribute: str
    value: Expression


class Suppression(Spanned):
    """`once per (keys) in duration`, of level 2. Without keys there is no `per`."""

    keys: tuple[Reference, ...]
    duration: Duration


class Emission(Spanned):
    """`emit template at timestamp with { assignments }`, maybe with a suppression."""

    template: str
    at: Expression
    assignments: tuple[Assignment, ...]
    once: Suppression | None = None
    template_span: Span = _span()
    with_span: Span = _span()


class Rule(Spanned):
    """`rule name where patterns when constraints having conditions then emissions`."""

    name: str
    patterns: tuple[Pattern, ...]
    constraints: tuple[Constraint, ...]
    emissions: tuple[Emission, ...]
    having: tuple[Expression, ...] = ()
    uses: tuple[Use, ...] = ()
    name_span: Span = _span()
    when_span: Span = _span()
    having_span: Span = _span()
    then_span: Span = _span()


class Parameter(Spanned):
    """`name : type` of a named pattern."""

    name: str
    type: TypeExpression


class Export(Spanned):
    """A variable of a named pattern that rules may name."""

    name: str


class NamedPattern(Spanned):
    """`pattern name(parameters) exports variables where … when … having … end`, of level 2; the body emits nothing."""

    name: str
    parameters: tuple[Parameter, ...]
    exports: tuple[Export, ...]
    body: Rule
    name_span: Span = _span()


Declaration = TypeAlias | Template | Predicate | NamedPattern | Rule


class Import(Spanned):
    """`import "path"`, of level 2."""

    path: str
    path_span: Span = _span()


@dataclass(frozen=True, slots=True)
class SourceProgram:
    """All declarations in the order in which they were written, and the level of the language that the text names.

    If the declarations come from several files, the spans name them, `files` has their texts, and `file` is the name of
    the file of `text`.
    """

    declarations: tuple[Declaration, ...]
    level: int = 1
    imports: tuple[Import, ...] = ()
    level_span: Span = _span()
    comments: tuple[Comment, ...] = field(default=(), compare=False, repr=False, kw_only=True)
    text: str = field(default="", compare=False, repr=False, kw_only=True)
    file: str = field(default="", compare=False, repr=False, kw_only=True)
    files: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False, kw_only=True)


Node = (
    Expression
    | Declaration
    | Slot
    | Pattern
    | Alternative
    | Use
    | Constraint
    | Ever
    | Assignment
    | Emission
    | Suppression
    | SourceProgram
)

NODES: Final[Tree[Node]] = Tree(Node)
"""Programs as trees; types are not nodes of them."""
