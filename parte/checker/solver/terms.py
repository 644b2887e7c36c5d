"""The solver's terms, typed: the one module of the checker that builds them (`queries` and `sequences` use z3 as well).

z3 has no types, so all its values are `Any`. This module is the border: a formula is a `Formula`, a number a `Number`,
and the functions below are the only ones that build them.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NewType, TypeVar, cast

from parte.checker.solver.backend import z3
from parte.semantics.events.values import GREATEST_INTEGER, LEAST_INTEGER

Formula = NewType("Formula", object)
"""A Boolean term."""

Number = NewType("Number", object)
"""A term that is an integer or a real number."""

Condition = TypeVar("Condition", Formula, bool)
"""A Boolean term, or one with the type that it has in code of the kernel."""

TRUE = Formula(z3.BoolVal(True))
FALSE = Formula(z3.BoolVal(False))


def _formula(term: Any) -> Formula:
    return cast(Formula, term)


def _number(term: Any) -> Number:
    return cast(Number, term)


# --- Variables and constants ---------------------------------------------------------------------------------------


def boolean(name: str) -> Formula:
    """Return a Boolean variable."""
    return _formula(z3.Bool(name))


def integer(name: str) -> Number:
    """Return a mathematical integer variable."""
    return _number(z3.Int(name))


def real(name: str) -> Number:
    """Return a real variable."""
    return _number(z3.Real(name))


def truth(value: bool) -> Formula:
    """Return a Boolean constant."""
    return TRUE if value else FALSE


def whole(value: int) -> Number:
    """Return an integer constant."""
    return _number(z3.IntVal(value))


def rational(value: Fraction | int) -> Number:
    """Return a constant real number, exactly."""
    fraction = Fraction(value)
    return _number(z3.RealVal(f"{fraction.numerator}/{fraction.denominator}"))


def to_real(number: Number) -> Number:
    """Return an integer as a real number."""
    return _number(z3.ToReal(number))


# --- Connectives ---------------------------------------------------------------------------------------------------


def conjunction(formulas: Sequence[Condition]) -> Condition:
    """Return the formula that all hold; nothing is simplified, so that a problem is written as it was stated."""
    return cast(Condition, _joined(z3.And, formulas, True))


def disjunction(formulas: Sequence[Condition]) -> Condition:
    """Return the formula that one holds; nothing is simplified."""
    return cast(Condition, _joined(z3.Or, formulas, False))


def _joined(connective: Any, formulas: Sequence[Any], empty: bool) -> Any:
    # For one formula or none, z3 builds terms that cannot be written in SMT-LIB.
    terms = [z3.BoolVal(formula) if isinstance(formula, bool) else formula for formula in formulas]
    if not terms:
        return z3.BoolVal(empty)
    return terms[0] if len(terms) == 1 else connective(*terms)


def both(*formulas: Formula) -> Formula:
    """Return the formula that all hold."""
    nontrivial = [formula for formula in formulas if formula is not TRUE]
    if any(formula is FALSE for formula in nontrivial):
        return FALSE
    return conjunction(nontrivial) if nontrivial else TRUE


def either(*formulas: Formula) -> Formula:
    """Return the formula that one holds."""
    nontrivial = [formula for formula in formulas if formula is not FALSE]
    if any(formula is TRUE for formula in nontrivial):
        return TRUE
    return disjunction(nontrivial) if nontrivial else FALSE


def negated(formula: Condition) -> Condition:
    """Return the formula that it does not hold."""
    opposite: Any = FALSE if formula is TRUE else TRUE if formula is FALSE else z3.Not(formula)
    return cast(Condition, opposite)


def implies(premise: Formula, conclusion: Formula) -> Formula:
    """Return the formula that the premise implies the conclusion."""
    return either(negated(premise), conclusion)


def same(left: Formula, right: Formula) -> Formula:
    """Return the formula that both hold or neither does."""
    return _formula(cast(Any, left) == right)


def choose(condition: Formula, then: Number, otherwise: Number) -> Number:
    """Return `then` if the condition holds, else `otherwise`."""
    if condition is TRUE:
        return then
    return otherwise if condition is FALSE else _number(z3.If(condition, then, otherwise))


# --- Numbers -------------------------------------------------------------------------------------------------------


def plus(left: Number, right: Number) -> Number:
    """Return the sum."""
    return _number(cast(Any, left) + right)


def minus(left: Number, right: Number) -> Number:
    """Return the difference."""
    return _number(cast(Any, left) - right)


def times(left: Number, right: Number) -> Number:
    """Return the product."""
    return _number(cast(Any, left) * right)


def over(left: Number, right: Number) -> Number:
    """Return the quotient of two reals."""
    return _number(cast(Any, left) / right)


def quotient(operand: Number, divisor: int) -> Number:
    """Return an integer divided by a positive one, rounded towards minus infinity."""
    return _number(cast(Any, operand) / z3.IntVal(divisor))


def remainder(operand: Number, divisor: int) -> Number:
    """Return the remainder of that division, which is not negative."""
    return _number(cast(Any, operand) % z3.IntVal(divisor))


def opposite(operand: Number) -> Number:
    """Return the number with the other sign."""
    return _number(-cast(Any, operand))


def equal(left: Number, right: Number) -> Formula:
    """Return `left = right`."""
    return _formula(cast(Any, left) == right)


def at_most(left: Number, right: Number) -> Formula:
    """Return `left <= right`."""
    return _formula(cast(Any, left) <= right)


def below(left: Number, right: Number) -> Formula:
    """Return `left < right`."""
    return _formula(cast(Any, left) < right)


def between(low: Number, middle: Number, high: Number) -> Formula:
    """Return `low <= middle <= high`."""
    return both(at_most(low, middle), at_most(middle, high))


def as_kernel(number: Number) -> int:
    """Return a term for the functions of `parte.semantics.partelang.kernel`, which treat terms as integers."""
    return cast(int, number)


def of_kernel(number: int) -> Number:
    """Return the result of a function of `parte.semantics.partelang.kernel` on terms, or on integers, as a term."""
    return whole(number) if isinstance(number, int) else _number(number)


# --- Uninterpreted relations and functions -------------------------------------------------------------------------


def relation(name: str, arguments: Sequence[object]) -> Formula:
    """Return an uninterpreted relation applied to terms; its sorts are those of the terms."""
    sorts = [cast(Any, argument).sort() for argument in arguments]
    return _formula(z3.Function(name, *sorts, z3.BoolSort())(*arguments))


def unknown_number(name: str, arguments: Sequence[object], like: Number) -> Number:
    """Return an uninterpreted function with values of the sort of `like`, applied to terms."""
    sorts = [cast(Any, argument).sort() for argument in arguments]
    return _number(z3.Function(name, *sorts, cast(Any, like).sort())(*arguments))


def relate_differences(name: str, subject: str, reference: str, lower: int | None, upper: int) -> Formula:
    """Return `lower <= subject - reference <= upper`, or without `lower` the upper bound alone.

    The timestamps are variables with the prefix `name`.
    """
    difference = minus(integer(f"{name}{subject}"), integer(f"{name}{reference}"))
    bounded = at_most(difference, whole(upper))
    return bounded if lower is None else both(at_most(whole(lower), difference), bounded)


def timestamp_in_range(name: str) -> Formula:
    """Return the formula that the variable of this name is a timestamp: an integer of 64 bits."""
    return between(whole(LEAST_INTEGER), integer(name), whole(GREATEST_INTEGER))


# --- 64 bits and binary64, exactly -----------------------------------------------------------------------------------

WORD = 64
_DOUBLE = z3.Float64()
_NEAREST = z3.RNE()


def word(name: str) -> Number:
    """Return a variable of 64 bits, signed."""
    return _number(z3.BitVec(name, WORD))


def word_constant(value: int) -> Number:
    """Return a constant of 64 bits."""
    return _number(z3.BitVecVal(value, WORD))


def word_of_integer(number: Number) -> Number:
    """Return a mathematical integer of 64 bits as a word."""
    return _number(z3.Int2BV(number, 64))


def word_operation(operator: str, left: Number, right: Number) -> tuple[Number, Formula]:
    """Return `+ - *` on signed words, and the formula that it does not overflow."""
    a, b = cast(Any, left), cast(Any, right)
    match operator:
        case "+":
            fits = z3.And(z3.BVAddNoOverflow(a, b, True), z3.BVAddNoUnderflow(a, b))
            return _number(a + b), _formula(fits)
        case "-":
            fits = z3.And(z3.BVSubNoOverflow(a, b), z3.BVSubNoUnderflow(a, b, True))
            return _number(a - b), _formula(fits)
        case "*":
            fits = z3.And(z3.BVMulNoOverflow(a, b, True), z3.BVMulNoUnderflow(a, b))
            return _number(a * b), _formula(fits)
        case _:
            raise ValueError(f"{operator} is not an operation on Integers")


def double(name: str) -> Number:
    """Return a binary64 variable, which may be infinite or no number."""
    return _number(z3.FP(name, _DOUBLE))


def double_constant(value: float) -> Number:
    """Return a binary64 constant; the sign of zero counts."""
    return _number(z3.FPVal(value, _DOUBLE))


def is_finite(operand: Number) -> Formula:
    """Return the formula that the operand is neither infinite nor no number."""
    return _formula(z3.Not(z3.Or(z3.fpIsNaN(operand), z3.fpIsInf(operand))))


def is_zero(operand: Number) -> Formula:
    """Return the formula that the operand is a zero of either sign."""
    return _formula(z3.fpIsZero(operand))


def double_operation(operator: str, left: Number, right: Number) -> Number:
    """Return `+ - * /` rounded to nearest, ties to even."""
    match operator:
        case "+":
            return _number(z3.fpAdd(_NEAREST, left, right))
        case "-":
            return _number(z3.fpSub(_NEAREST, left, right))
        case "*":
            return _number(z3.fpMul(_NEAREST, left, right))
        case "/":
            return _number(z3.fpDiv(_NEAREST, left, right))
        case _:
            raise ValueError(f"{operator} is not an operation on Floats")


def double_of_word(operand: Number) -> Number:
    """Return the binary64 number nearest to a signed word."""
    return _number(z3.fpSignedToFP(_NEAREST, operand, _DOUBLE))


def double_negation(operand: Number) -> Number:
    """Return the number with the other sign."""
    return _number(z3.fpNeg(operand))


def double_magnitude(operand: Number) -> Number:
    """Return the number without its sign."""
    return _number(z3.fpAbs(operand))


def double_equal(left: Number, right: Number) -> Formula:
    """Return the equality of numbers, for which the two zeros are equal."""
    return _formula(z3.fpEQ(left, right))


def double_bits(operand: Number) -> object:
    """Return the 64 bits of a number, to be read from a model."""
    return cast(object, z3.fpToIEEEBV(operand))
