"""The elaborated program: scoped, typed, every name resolved (SPEC §2). Everything downstream reads this tree.

Durations and timestamps are integer milliseconds. Conversions from Integer to Float are explicit (`ToFloat`), so an
evaluator never has to decide one. Spans point into the source and do not take part in comparisons.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from semantics.syntax.ast import SourceProgram
from semantics.syntax.spans import NOWHERE, Span

if TYPE_CHECKING:
    from semantics.syntax.diagnostics import Diagnostic


def _span() -> Span:
    return field(default=NOWHERE, compare=False, repr=False, kw_only=True)


# --- Types (SPEC §2) -------------------------------------------------------------------------------------------------


class Scalar(Enum):
    """The scalar types; the value is the name in PARTElang."""

    INTEGER = "Integer"
    FLOAT = "Float"
    STRING = "String"
    BOOLEAN = "Boolean"


@dataclass(frozen=True, slots=True)
class ListOf:
    """`[element; capacity]`: at most `capacity` values."""

    element: Scalar
    capacity: int


Type = Scalar | ListOf


@dataclass(frozen=True, slots=True)
class Attribute:
    """A named, typed slot of a template."""

    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class Template:
    """A relation name with its attributes (D def. 5)."""

    name: str
    attributes: tuple[Attribute, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Predicate:
    """A domain predicate, supplied with the run."""

    name: str
    parameters: tuple[Scalar, ...]
    span: Span = _span()


# --- Expressions -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Constant:
    """A literal value; its Python type agrees with `type`."""

    value: int | float | str | bool
    type: Scalar
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class AttributeOf:
    """`variable.attribute`."""

    variable: str
    attribute: str
    type: Type
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class TimestampOf:
    """`variable.timestamp`: an Integer, in milliseconds."""

    variable: str
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class ToFloat:
    """The binary64 value nearest to an Integer."""

    operand: Expression
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Negation:
    """`-operand`, of the operand's type."""

    operand: Expression
    type: Scalar
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """`left operator right` with `+ - *` on two values of type `type`, or `/` on two Floats."""

    operator: str
    left: Expression
    right: Expression
    type: Scalar
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Comparison:
    """`left operator right` with `= != < <= > >=` on two values of one type; a Boolean."""

    operator: str
    left: Expression
    right: Expression
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class PredicateCall:
    """A domain predicate applied to values; a Boolean."""

    predicate: str
    arguments: tuple[Expression, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """A registered function applied to values (`semantics.syntax.functions`)."""

    function: str
    arguments: tuple[Expression, ...]
    type: Scalar
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class ListExpression:
    """`list(items…)`, in emissions only."""

    items: tuple[Expression, ...]
    type: ListOf
    span: Span = _span()


Expression = (
    Constant
    | AttributeOf
    | TimestampOf
    | ToFloat
    | Negation
    | Arithmetic
    | Comparison
    | PredicateCall
    | FunctionCall
    | ListExpression
)


def type_of(expression: Expression) -> Type:
    """The type of the values of an expression."""
    match expression:
        case TimestampOf():
            return Scalar.INTEGER
        case ToFloat():
            return Scalar.FLOAT
        case Comparison() | PredicateCall():
            return Scalar.BOOLEAN
        case _:
            return expression.type


# --- Timestamp expressions: what `at` may hold; all are monotone in every timestamp ----------------------------------


@dataclass(frozen=True, slots=True)
class Shift:
    """`operand` plus `milliseconds`, which may be negative."""

    operand: TimestampExpression
    milliseconds: int
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Combination:
    """`min`, `max` or `avg` of timestamps; `avg` is the mean rounded towards minus infinity."""

    function: str
    operands: tuple[TimestampExpression, ...]
    span: Span = _span()


TimestampExpression = TimestampOf | Shift | Combination


# --- Rules -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Pattern:
    """An event pattern. Its conditions hold together; each is a `Comparison` or a `PredicateCall`."""

    variable: str
    template: str
    negated: bool
    conditions: tuple[Expression, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Constraint:
    """`reference.timestamp + lower <= subject.timestamp <= reference.timestamp + upper`.

    `negated` when the subject is the variable of a negated pattern; the reference is always positive.
    """

    subject: str
    reference: str
    lower: int
    upper: int
    negated: bool
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Assignment:
    """The value of one attribute of an emitted event."""

    attribute: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Emission:
    """An event that a match emits; assignments stand in the order of the template's attributes."""

    template: str
    at: TimestampExpression
    assignments: tuple[Assignment, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Rule:
    """A named rule; `patterns` starts with a positive one."""

    name: str
    patterns: tuple[Pattern, ...]
    constraints: tuple[Constraint, ...]
    emissions: tuple[Emission, ...]
    span: Span = _span()

    @property
    def positive(self) -> tuple[Pattern, ...]:
        """The positive patterns, in order: those that a match binds."""
        return tuple(pattern for pattern in self.patterns if not pattern.negated)


@dataclass(frozen=True, slots=True)
class Program:
    """A valid program. `strata` maps each template to its stratum (D def. 3), lowest 0."""

    templates: tuple[Template, ...]
    predicates: tuple[Predicate, ...]
    rules: tuple[Rule, ...]
    strata: tuple[tuple[str, int], ...]
    warnings: tuple[Diagnostic, ...] = field(default=(), compare=False, repr=False, kw_only=True)
    source: SourceProgram = field(default=SourceProgram(()), compare=False, repr=False, kw_only=True)

    def template(self, name: str) -> Template:
        """The template called `name`; KeyError if there is none."""
        for template in self.templates:
            if template.name == name:
                return template
        raise KeyError(name)

    def rule(self, name: str) -> Rule:
        """The rule called `name`; KeyError if there is none."""
        for rule in self.rules:
            if rule.name == name:
                return rule
        raise KeyError(name)

    def stratum(self, rule: Rule) -> int:
        """The stratum in which a rule is evaluated: the highest among the templates of its patterns."""
        strata = dict(self.strata)
        return max(strata[pattern.template] for pattern in rule.patterns)

    def rules_by_stratum(self) -> Iterator[tuple[Rule, ...]]:
        """The rules grouped by stratum, lowest first, in program order within a stratum."""
        strata = dict(self.strata)
        groups: dict[int, list[Rule]] = {}
        for rule in self.rules:
            groups.setdefault(max(strata[pattern.template] for pattern in rule.patterns), []).append(rule)
        for stratum in sorted(groups):
            yield tuple(groups[stratum])


def variables_of(expression: Expression | TimestampExpression) -> frozenset[str]:
    """The variables that an expression mentions."""
    match expression:
        case Constant():
            return frozenset()
        case AttributeOf(variable=variable) | TimestampOf(variable=variable):
            return frozenset({variable})
        case ToFloat(operand=operand) | Negation(operand=operand) | Shift(operand=operand):
            return variables_of(operand)
        case Arithmetic(left=left, right=right) | Comparison(left=left, right=right):
            return variables_of(left) | variables_of(right)
        case PredicateCall(arguments=parts) | FunctionCall(arguments=parts) | ListExpression(items=parts):
            return frozenset().union(*(variables_of(part) for part in parts))
        case Combination(operands=operands):
            return frozenset().union(*(variables_of(operand) for operand in operands))
