"""The elaborated program: scoped, typed, every name resolved. All later stages read this tree.

Durations and timestamps are integer milliseconds. Conversions from Integer to Float are explicit (`ToFloat`), so
evaluators never have to decide about them. Spans are positions in the source; comparisons ignore them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Final, assert_never

from parte.semantics.events.bounds import Bounds, Integer64, Name
from parte.semantics.events.types import Attribute as Attribute
from parte.semantics.events.types import ListOf as ListOf
from parte.semantics.events.types import Scalar as Scalar
from parte.semantics.events.types import Type as Type
from parte.semantics.partelang.syntax import functions
from parte.semantics.partelang.syntax.ast import SourceProgram
from parte.semantics.source.spans import Spanned
from parte.semantics.source.trees import Tree

if TYPE_CHECKING:
    from parte.semantics.source.diagnostics import Diagnostic


# --- Declarations ----------------------------------------------------------------------------------------------------


class Template(Spanned):
    """A relation name with its attributes (D def. 5)."""

    name: Name
    attributes: tuple[Attribute, ...]


class Predicate(Spanned):
    """A domain predicate, supplied with the run."""

    name: Name
    parameters: tuple[Scalar, ...]


# --- Expressions -----------------------------------------------------------------------------------------------------


class Constant(Spanned):
    """A literal value; its Python type agrees with `type`."""

    value: int | float | str | bool
    type: Scalar


class AttributeOf(Spanned):
    """`variable.attribute`."""

    variable: Name
    attribute: Name
    type: Type


class TimestampOf(Spanned):
    """`variable.timestamp`: an Integer, in milliseconds."""

    variable: Name


class ToFloat(Spanned):
    """The binary64 value nearest to an Integer."""

    operand: Expression


class Negation(Spanned):
    """`-operand`, of the operand's type."""

    operand: Expression
    type: Scalar


class Arithmetic(Spanned):
    """`left operator right` with `+ - *` on two values of type `type`, or `/` on two Floats."""

    operator: Annotated[str, Bounds(choices=("+", "-", "*", "/"))]
    left: Expression
    right: Expression
    type: Scalar


class Comparison(Spanned):
    """`left operator right` with `= != < <= > >=` on two values of one type; a Boolean."""

    operator: Annotated[str, Bounds(choices=("=", "!=", "<", "<=", ">", ">="))]
    left: Expression
    right: Expression


class Compound(Spanned):
    """The operands joined by `and` or `or`, in three-valued logic; a Boolean."""

    connective: Annotated[str, Bounds(choices=("and", "or"))]
    operands: Annotated[tuple[Expression, ...], Bounds(shortest=2)]


class Not(Spanned):
    """The opposite of the operand, without a value if that has none; a Boolean."""

    operand: Expression


class PredicateCall(Spanned):
    """A domain predicate applied to values; a Boolean."""

    predicate: Name
    arguments: tuple[Expression, ...]


class FunctionCall(Spanned):
    """A registered function applied to values (`parte.semantics.partelang.syntax.functions`)."""

    function: Name
    arguments: tuple[Expression, ...]
    type: Scalar


class PatternTest(Spanned):
    """A function of level 2 that tests a String by a constant pattern (`like`); a Boolean."""

    function: Name
    operand: Expression
    pattern: str


class ListExpression(Spanned):
    """`list(items…)`, in emissions only."""

    items: tuple[Expression, ...]
    type: ListOf


_Value = Constant | AttributeOf | TimestampOf | ToFloat | Negation | Arithmetic
Condition = Comparison | Compound | Not | PredicateCall | PatternTest
"""The expressions that may be conditions of a pattern."""
Expression = _Value | Condition | FunctionCall | ListExpression


def type_of(expression: Expression) -> Type:
    """Return the type of the values of an expression."""
    match expression:
        case TimestampOf():
            return Scalar.INTEGER
        case ToFloat():
            return Scalar.FLOAT
        case Comparison() | Compound() | Not() | PredicateCall() | PatternTest():
            return Scalar.BOOLEAN
        case Constant() | AttributeOf() | Negation() | Arithmetic() | FunctionCall() | ListExpression():
            return expression.type
        case _:
            assert_never(expression)


# --- Timestamp expressions of `at`; all are monotone in every timestamp -----------------------------------------------


class Shift(Spanned):
    """`operand` plus `milliseconds`, which may be negative."""

    operand: TimestampExpression
    milliseconds: Integer64


class Combination(Spanned):
    """`min`, `max` or `avg` of timestamps; `avg` is the mean rounded towards minus infinity."""

    function: Annotated[str, Bounds(choices=functions.of_timestamps())]
    operands: Annotated[tuple[TimestampExpression, ...], Bounds(shortest=1)]


TimestampExpression = TimestampOf | Shift | Combination

EXPRESSIONS: Final[Tree[Expression]] = Tree(Expression)
TIMESTAMP_EXPRESSIONS: Final[Tree[TimestampExpression]] = Tree(TimestampExpression)
"""Both kinds of expressions as trees."""


# --- Rules -----------------------------------------------------------------------------------------------------------


class Pattern(Spanned):
    """An event pattern. Its conditions hold together; each is a `Condition`."""

    variable: Name
    template: Name
    negated: bool
    conditions: tuple[Expression, ...]


class Constraint(Spanned):
    """`reference.timestamp + lower <= subject.timestamp <= reference.timestamp + upper`.

    `negated` when the subject is the variable of a negated pattern; the reference is always positive.
    """

    subject: Name
    reference: Name
    lower: Integer64
    upper: Integer64
    negated: bool


@dataclass(frozen=True, slots=True)
class Assignment:
    """The value of one attribute of an emitted event."""

    attribute: Name
    value: Expression


class Emission(Spanned):
    """An event that a match emits; assignments stand in the order of the template's attributes."""

    template: Name
    at: TimestampExpression
    assignments: tuple[Assignment, ...]


class Rule(Spanned):
    """A named rule; `patterns` starts with a positive one."""

    name: Name
    patterns: tuple[Pattern, ...]
    constraints: tuple[Constraint, ...]
    emissions: tuple[Emission, ...]

    @property
    def positive(self) -> tuple[Pattern, ...]:
        """The positive patterns, in order: those that a match binds."""
        return tuple(pattern for pattern in self.patterns if not pattern.negated)


@dataclass(frozen=True, slots=True)
class Program:
    """A valid program. `strata` maps each template to its stratum (D def. 3), lowest 0; `level` is that of its text."""

    templates: tuple[Template, ...]
    predicates: tuple[Predicate, ...]
    rules: tuple[Rule, ...]
    strata: tuple[tuple[str, int], ...]
    level: int = 1
    warnings: tuple[Diagnostic, ...] = field(default=(), compare=False, repr=False, kw_only=True)
    source: SourceProgram = field(default=SourceProgram(()), compare=False, repr=False, kw_only=True)

    def template(self, name: str) -> Template:
        """Return the template called `name`; raise KeyError if there is none."""
        for template in self.templates:
            if template.name == name:
                return template
        raise KeyError(name)

    def rule(self, name: str) -> Rule:
        """Return the rule called `name`; raise KeyError if there is none."""
        for rule in self.rules:
            if rule.name == name:
                return rule
        raise KeyError(name)

    def stratum(self, rule: Rule) -> int:
        """Return the stratum in which a rule is evaluated: the highest among the templates of its patterns."""
        strata = dict(self.strata)
        return max(strata[pattern.template] for pattern in rule.patterns)

    def rules_by_stratum(self) -> Iterator[tuple[Rule, ...]]:
        """Return the rules grouped by stratum, lowest first, in program order within a stratum."""
        strata = dict(self.strata)
        groups: dict[int, list[Rule]] = {}
        for rule in self.rules:
            groups.setdefault(max(strata[pattern.template] for pattern in rule.patterns), []).append(rule)
        for stratum in sorted(groups):
            yield tuple(groups[stratum])


def variables_of(expression: Expression | TimestampExpression) -> frozenset[str]:
    """Return the variables that an expression mentions."""
    parts: Iterator[Expression | TimestampExpression] = (
        TIMESTAMP_EXPRESSIONS.within(expression)
        if isinstance(expression, Shift | Combination)
        else EXPRESSIONS.within(expression)
    )
    return frozenset(part.variable for part in parts if isinstance(part, AttributeOf | TimestampOf))


def renamed(expression: Expression, names: Mapping[str, str]) -> Expression:
    """Return the expression with variables renamed where `names` has them; its spans stay."""

    def change(part: Expression) -> Expression:
        if isinstance(part, AttributeOf | TimestampOf):
            return replace(part, variable=names.get(part.variable, part.variable))
        return part

    return EXPRESSIONS.mapped(expression, change)
