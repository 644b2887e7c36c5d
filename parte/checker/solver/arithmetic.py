"""Two arithmetics for the solver: a relaxed one, in which proofs are cheap, and an exact one, in which they are not.

The exact one has signed words of 64 bits and binary64 as the standard defines them. In the relaxed one an Integer is a
mathematical integer in its range, which is exact too. A Float is a real number, and the result of an operation is any
real number that is no further from the true result than rounding to nearest may move it. Every run of the machine is a
solution of the relaxed arithmetic, so a claim without a solution there never holds; a solution is only a suggestion.
"""

# ruff: noqa: ARG002 - the two classes share a protocol, and not each needs every argument

from __future__ import annotations

import struct
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from parte.checker.solver import terms
from parte.checker.solver.queries import Model
from parte.checker.solver.terms import Formula, Number
from parte.semantics.events.types import Scalar
from parte.semantics.events.values import GREATEST_INTEGER, LEAST_INTEGER

Partial = tuple[Number, Formula]
"""A term, and the formula that it has a value."""


class Arithmetic(Protocol):
    """Integers and Floats as terms. `definitions` are the assumptions about the terms built so far."""

    definitions: list[Formula]

    def variable(self, name: str, type_: Scalar) -> Number: ...

    def constant(self, value: int | float, type_: Scalar) -> Number: ...

    def of_integer(self, integer: Number) -> Number:
        """Return a mathematical integer of 64 bits as an Integer."""

    def operation(self, operator: str, left: Number, right: Number, type_: Scalar) -> Partial: ...

    def negation(self, operand: Number, type_: Scalar) -> Partial: ...

    def magnitude(self, operand: Number, type_: Scalar) -> Partial: ...

    def to_float(self, operand: Number) -> Number: ...

    def equal(self, left: Number, right: Number, type_: Scalar) -> Formula: ...

    def less(self, left: Number, right: Number, type_: Scalar) -> Formula: ...

    def identity(self, operand: Number, type_: Scalar) -> list[object]:
        """Return terms that distinguish a value from all others: for a relation the two zeros differ, though equal."""

    def in_range(self, operand: Number, type_: Scalar) -> Formula: ...

    def value(self, model: Model, operand: Number, type_: Scalar) -> int | float: ...


# --- Relaxed ---------------------------------------------------------------------------------------------------------

_GREATEST_FLOAT = Fraction(1.7976931348623157e308)
_ROUNDS_TO_INFINITY = Fraction(2) ** 1024 - Fraction(2) ** 970
_HALF_STEP = Fraction(1, 2**1075)
"""Half the distance between the Floats next to zero."""
_RELATIVE = Fraction(1, 2**53)
_SAMPLE_INTEGERS = 1000
_SAMPLE_STEPS = 2**20 - 1
_SAMPLE_MARGIN = Fraction(1, 2**8)
"""The least distance of compared samples, in steps."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A set of Floats to search: multiples of `step`."""

    name: str
    step: Fraction


SMALL = Sample("quarters", Fraction(1, 4))
LARGE = Sample("giants", Fraction(2**1004))
"""Numbers up to the greatest Floats, for example to reach an overflow."""


class Relaxed:
    """Real numbers with rounding errors.

    With `grid` every Float is a multiple of 2^-1074, as all finite Floats are: near zero there is nothing in between.
    With a `sample` there are no errors, but Integers are small, Floats are limited multiples of its step, and
    comparisons of computed ones are clear. Solutions then survive rounding; that there is no solution proves nothing.
    """

    def __init__(self, *, grid: bool = False, sample: Sample | None = None) -> None:
        self.definitions: list[Formula] = []
        self._grid, self._sample = grid, sample
        self._scale = 2**1074 if grid else 1
        self._fresh = 0
        self._computed: set[int] = set()
        self._kept: list[object] = []  # terms whose ids are in use
        self._rounded: dict[tuple[str, int, int], Partial] = {}
        self._zero_signs: dict[int, Formula] = {}

    def variable(self, name: str, type_: Scalar) -> Number:
        if type_ is Scalar.INTEGER:
            number = terms.integer(f"{name} integer")
            small = terms.whole(_SAMPLE_INTEGERS)
            within = terms.between(terms.opposite(small), number, small)
            self.definitions.append(within if self._sample else self.in_range(number, type_))
            return number
        if self._sample:
            whole = terms.integer(f"{name} {self._sample.name}")
            limit = terms.whole(_SAMPLE_STEPS)
            self.definitions.append(terms.between(terms.opposite(limit), whole, limit))
            return terms.times(terms.to_real(whole), terms.rational(self._sample.step))
        number = self._real(name)
        self.definitions.append(self.in_range(number, type_))
        return number

    def _real(self, name: str) -> Number:
        return terms.to_real(terms.integer(f"{name} steps")) if self._grid else terms.real(f"{name} real")

    def in_range(self, operand: Number, type_: Scalar) -> Formula:
        if type_ is Scalar.INTEGER:
            return terms.between(terms.whole(LEAST_INTEGER), operand, terms.whole(GREATEST_INTEGER))
        greatest = _GREATEST_FLOAT * self._scale
        return terms.between(terms.rational(-greatest), operand, terms.rational(greatest))

    def of_integer(self, integer: Number) -> Number:
        return integer

    def constant(self, value: int | float, type_: Scalar) -> Number:
        if type_ is Scalar.INTEGER:
            return terms.whole(int(value))
        number = terms.rational(Fraction(value) * self._scale)
        if value == 0:
            self._remember_sign(number, terms.truth(str(float(value)).startswith("-")))
        return number

    def operation(self, operator: str, left: Number, right: Number, type_: Scalar) -> Partial:
        if type_ is Scalar.INTEGER:
            match operator:
                case "+":
                    exact = terms.plus(left, right)
                case "-":
                    exact = terms.minus(left, right)
                case "*":
                    exact = terms.times(left, right)
                case _:
                    raise ValueError(f"{operator} is not an operation on Integers")
            return exact, self.in_range(exact, type_)
        key = (operator, id(left), id(right))
        if key not in self._rounded:
            self._kept.extend((left, right))
            self._rounded[key] = self._float_operation(operator, left, right)
        return self._rounded[key]

    def _float_operation(self, operator: str, left: Number, right: Number) -> Partial:
        scale = terms.rational(self._scale)
        match operator:
            case "+":
                return self._round(terms.plus(left, right), near_zero=False)
            case "-":
                return self._round(terms.minus(left, right), near_zero=False)
            case "*":
                product = terms.times(left, right)
                return self._round(terms.over(product, scale) if self._grid else product, near_zero=True)
            case "/":
                zero = terms.equal(right, terms.rational(0))
                quotient = terms.over(left, terms.choose(zero, terms.rational(1), right))
                term, fits = self._round(terms.times(quotient, scale) if self._grid else quotient, near_zero=True)
                return term, terms.both(terms.negated(zero), fits)
            case _:
                raise ValueError(f"{operator} is not an operation on Floats")

    def _round(self, exact: Number, *, near_zero: bool, always: bool = False) -> Partial:
        """Return a possible result of rounding `exact`. Near zero, sums of Floats are exact; products are not."""
        limit = _ROUNDS_TO_INFINITY * self._scale
        fits = terms.both(terms.below(terms.rational(-limit), exact), terms.below(exact, terms.rational(limit)))
        if self._sample:
            self._mark(exact)
            for border in (limit, -limit):
                self.definitions.append(self._apart(exact, terms.rational(border), self._sample))
            return exact, terms.TRUE if always else fits
        self._fresh += 1
        result = self._real(f"rounded {self._fresh}")
        self._mark(result)
        zero = terms.rational(0)
        magnitude = terms.choose(terms.at_most(zero, exact), exact, terms.opposite(exact))
        error = terms.times(terms.rational(_RELATIVE), magnitude)
        if near_zero:
            half = terms.rational(_HALF_STEP * self._scale)
            error = terms.choose(terms.at_most(half, error), error, half)
        off = terms.minus(result, exact)
        close = terms.between(terms.opposite(error), off, error)
        self.definitions.append(close if always else terms.implies(fits, close))
        self.definitions.append(self.in_range(result, Scalar.FLOAT))
        return result, terms.TRUE if always else fits

    def _mark(self, term: Number) -> None:
        self._computed.add(id(term))
        self._kept.append(term)

    def negation(self, operand: Number, type_: Scalar) -> Partial:
        result = terms.opposite(operand)
        if type_ is Scalar.INTEGER:
            return result, self.in_range(result, type_)
        if id(operand) in self._computed:
            self._mark(result)
        return result, terms.TRUE

    def magnitude(self, operand: Number, type_: Scalar) -> Partial:
        opposite, fits = self.negation(operand, type_)
        zero = self.constant(0, type_) if type_ is Scalar.INTEGER else terms.rational(0)
        positive = terms.at_most(zero, operand)
        return terms.choose(positive, operand, opposite), terms.either(positive, fits)

    def to_float(self, operand: Number) -> Number:
        exact = terms.to_real(operand)
        if self._grid:
            exact = terms.times(exact, terms.rational(self._scale))
        rounded, _ = self._round(exact, near_zero=False, always=True)
        if rounded is exact:
            return exact
        limit = 2**53
        small = terms.between(terms.whole(-limit), operand, terms.whole(limit))
        self.definitions.append(terms.implies(small, terms.equal(rounded, exact)))
        return rounded

    def equal(self, left: Number, right: Number, type_: Scalar) -> Formula:
        return terms.equal(left, right)

    def less(self, left: Number, right: Number, type_: Scalar) -> Formula:
        if self._sample and type_ is Scalar.FLOAT and not {id(left), id(right)}.isdisjoint(self._computed):
            self.definitions.append(self._apart(left, right, self._sample))
        return terms.below(left, right)

    def _apart(self, left: Number, right: Number, sample: Sample) -> Formula:
        """Return the formula that the two are so far apart that rounding does not change their order."""
        margin = terms.rational(_SAMPLE_MARGIN * sample.step)
        difference = terms.minus(left, right)
        return terms.either(terms.at_most(margin, difference), terms.at_most(difference, terms.opposite(margin)))

    def identity(self, operand: Number, type_: Scalar) -> list[object]:
        if type_ is not Scalar.FLOAT:
            return [operand]
        if id(operand) not in self._zero_signs:
            self._fresh += 1
            sign = terms.boolean(f"negative {self._fresh}")
            zero = terms.rational(0)
            self.definitions.append(terms.implies(terms.below(operand, zero), sign))
            self.definitions.append(terms.implies(terms.below(zero, operand), terms.negated(sign)))
            self._remember_sign(operand, sign)
        return [operand, self._zero_signs[id(operand)]]

    def _remember_sign(self, number: Number, sign: Formula) -> None:
        self._zero_signs[id(number)] = sign
        self._kept.append(number)

    def value(self, model: Model, operand: Number, type_: Scalar) -> int | float:
        number = model.number(operand)
        if type_ is Scalar.INTEGER:
            return int(number)
        nearest = min(max(number / self._scale, -_GREATEST_FLOAT), _GREATEST_FLOAT)
        result = nearest.numerator / nearest.denominator
        sign = self._zero_signs.get(id(operand))
        return -0.0 if result == 0 and sign is not None and model.truth(sign) else result


# --- Exact -----------------------------------------------------------------------------------------------------------


class Exact:
    """Words of 64 bits and binary64."""

    def __init__(self) -> None:
        self.definitions: list[Formula] = []

    def variable(self, name: str, type_: Scalar) -> Number:
        if type_ is Scalar.INTEGER:
            return terms.word(f"{name} word")
        number = terms.double(f"{name} double")
        self.definitions.append(terms.is_finite(number))
        return number

    def of_integer(self, integer: Number) -> Number:
        return terms.word_of_integer(integer)

    def constant(self, value: int | float, type_: Scalar) -> Number:
        return terms.word_constant(int(value)) if type_ is Scalar.INTEGER else terms.double_constant(float(value))

    def operation(self, operator: str, left: Number, right: Number, type_: Scalar) -> Partial:
        if type_ is Scalar.INTEGER:
            return terms.word_operation(operator, left, right)
        result = terms.double_operation(operator, left, right)
        fits = terms.is_finite(result)
        return result, terms.both(fits, terms.negated(terms.is_zero(right))) if operator == "/" else fits

    def negation(self, operand: Number, type_: Scalar) -> Partial:
        if type_ is Scalar.INTEGER:
            return terms.word_operation("-", terms.word_constant(0), operand)
        return terms.double_negation(operand), terms.TRUE

    def magnitude(self, operand: Number, type_: Scalar) -> Partial:
        if type_ is Scalar.FLOAT:
            return terms.double_magnitude(operand), terms.TRUE
        opposite, fits = self.negation(operand, type_)
        positive = terms.at_most(terms.word_constant(0), operand)
        return terms.choose(positive, operand, opposite), terms.either(positive, fits)

    def to_float(self, operand: Number) -> Number:
        return terms.double_of_word(operand)

    def equal(self, left: Number, right: Number, type_: Scalar) -> Formula:
        return terms.double_equal(left, right) if type_ is Scalar.FLOAT else terms.equal(left, right)

    def less(self, left: Number, right: Number, type_: Scalar) -> Formula:
        return terms.below(left, right)

    def identity(self, operand: Number, type_: Scalar) -> list[object]:
        return [operand]

    def in_range(self, operand: Number, type_: Scalar) -> Formula:
        return terms.TRUE if type_ is Scalar.INTEGER else terms.is_finite(operand)

    def value(self, model: Model, operand: Number, type_: Scalar) -> int | float:
        if type_ is Scalar.INTEGER:
            return model.signed(operand)
        (number,) = struct.unpack(">d", struct.pack(">Q", model.unsigned(terms.double_bits(operand))))
        return float(number)
