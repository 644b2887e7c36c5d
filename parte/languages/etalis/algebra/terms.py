"""The value of a term under an assignment of its variables: μ* (E §4)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.values import Number, Truth, Value, number, truth

Assignment = Mapping[str, Value]


def value(term: tree.Term, assignment: Assignment) -> Value | None:
    """Return the value of a term; None where a function has none. Raise NumberTooLarge if a number grows without
    bound."""
    match term:
        case tree.Variable(name=name):
            return assignment[name]
        case tree.Constant(value=constant):
            return constant
        case tree.Calculation(left=left, operator=operator, right=right):
            return _calculated(value(left, assignment), operator, value(right, assignment))
        case tree.Comparison(left=left, relation=relation, right=right):
            return _compared(value(left, assignment), relation, value(right, assignment))


def holds(condition: tree.Term, assignment: Assignment) -> bool:
    """Return whether a condition is true; a condition without a value is not."""
    return value(condition, assignment) is Truth.TRUE


def _calculated(left: Value | None, operator: tree.Arithmetic, right: Value | None) -> Number | None:
    if not isinstance(left, int | Fraction) or not isinstance(right, int | Fraction):
        return None
    first, second = Fraction(left), Fraction(right)
    match operator:
        case tree.Arithmetic.PLUS:
            return number(first + second)
        case tree.Arithmetic.MINUS:
            return number(first - second)
        case tree.Arithmetic.TIMES:
            return number(first * second)
        case tree.Arithmetic.OVER:
            return number(first / second) if second else None


def _compared(left: Value | None, relation: tree.Relation, right: Value | None) -> Truth | None:
    if left is None or right is None:
        return None
    match relation:
        case tree.Relation.EQUAL:
            return truth(left == right)
        case tree.Relation.NOT_EQUAL:
            return truth(left != right)
        case tree.Relation.LESS:
            return _less(left, right)
        case tree.Relation.GREATER:
            return _less(right, left)
        case tree.Relation.LESS_OR_EQUAL:
            return _not(_less(right, left))
        case tree.Relation.GREATER_OR_EQUAL:
            return _not(_less(left, right))


def _less(left: Value, right: Value) -> Truth | None:
    if isinstance(left, str) and isinstance(right, str):
        return truth(left < right)
    if isinstance(left, int | Fraction) and isinstance(right, int | Fraction):
        return truth(left < right)
    return None


def _not(operand: Truth | None) -> Truth | None:
    return None if operand is None else truth(operand is Truth.FALSE)
