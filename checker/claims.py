"""What the solver is asked about: claims over the events that a rule's variables are bound to.

Claims are data. `checker.encoding` turns them into formulas, and `checker.witness` decides them for given events, by
the code that the machine runs: so every model is held against the arithmetic that it is a model of.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from semantics.syntax import core


@dataclass(frozen=True, slots=True)
class Holds:
    """The condition has a value, and it is true."""

    condition: core.Expression


@dataclass(frozen=True, slots=True)
class HasValue:
    """The expression has a value: nothing in it overflows or divides by zero."""

    expression: core.Expression


@dataclass(frozen=True, slots=True)
class Window:
    """`lower <= subject.timestamp - reference.timestamp <= upper`; the variables may be the same."""

    subject: str
    reference: str
    lower: int
    upper: int


@dataclass(frozen=True, slots=True)
class Not:
    """The claim does not hold. Of a condition without value this is true."""

    claim: Claim


@dataclass(frozen=True, slots=True)
class Every:
    """All the claims hold."""

    claims: tuple[Claim, ...]


Claim = Holds | HasValue | Window | Not | Every


def renamed(expression: core.Expression, names: Mapping[str, str]) -> core.Expression:
    """The expression with other variables; its spans stay."""
    match expression:
        case core.AttributeOf() | core.TimestampOf():
            return replace(expression, variable=names.get(expression.variable, expression.variable))
        case core.ToFloat() | core.Negation():
            return replace(expression, operand=renamed(expression.operand, names))
        case core.Arithmetic() | core.Comparison():
            return replace(expression, left=renamed(expression.left, names), right=renamed(expression.right, names))
        case core.PredicateCall() | core.FunctionCall():
            return replace(expression, arguments=tuple(renamed(part, names) for part in expression.arguments))
        case core.ListExpression():
            return replace(expression, items=tuple(renamed(part, names) for part in expression.items))
        case core.Constant():
            return expression


def parts_of(expression: core.Expression) -> Iterator[core.Expression]:
    """The expression and everything in it."""
    yield expression
    match expression:
        case core.ToFloat(operand=operand) | core.Negation(operand=operand):
            yield from parts_of(operand)
        case core.Arithmetic(left=left, right=right) | core.Comparison(left=left, right=right):
            yield from parts_of(left)
            yield from parts_of(right)
        case core.PredicateCall(arguments=parts) | core.FunctionCall(arguments=parts):
            for part in parts:
                yield from parts_of(part)
        case core.ListExpression(items=parts):
            for part in parts:
                yield from parts_of(part)
        case _:
            return


def expressions_in(claim: Claim) -> Iterator[core.Expression]:
    """The expressions that a claim is about."""
    match claim:
        case Holds(condition=expression) | HasValue(expression=expression):
            yield expression
        case Not(claim=inner):
            yield from expressions_in(inner)
        case Every(claims=claims):
            for each in claims:
                yield from expressions_in(each)
        case Window():
            return
