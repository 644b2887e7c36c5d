"""Numbers of unknown value, for code that checks the types of values.

Such code takes a `Number` for an `int`, also in dictionaries by type. Comparisons return terms; sums, differences and
products are such numbers; a dictionary with them as keys compares them by `==`. Attributes and times of events in
lemmas are such numbers. Operations that need the value are rejected.

A number that need not be whole is a `Number` too: it suits code that treats integers and fractions alike. Its numerator
is itself, its denominator 1, so that Python's fractions can calculate with it; its bit length is 0, so that limits do
not apply.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Literal, NoReturn

from parte.proofs.symbolic import Run
from parte.semantics.rulebook.connectives import neg


class _Integers(type):
    """A type that equals `int` in a dictionary."""

    def __eq__(cls, other: object) -> bool:
        return other is cls or other is int

    def __hash__(cls) -> int:
        return hash(int)


class Number(int, metaclass=_Integers):
    """An integer that is a term."""

    term: Any

    def __new__(cls, term: Any) -> Number:
        number = super().__new__(cls)
        number.term = term
        return number

    def __hash__(self) -> int:
        return 0  # `==` decides whether two are equal

    def __lt__(self, other: object) -> bool:
        return bool_of(self.term < _term(other))

    def __le__(self, other: object) -> bool:
        return bool_of(self.term <= _term(other))

    def __gt__(self, other: object) -> bool:
        return bool_of(self.term > _term(other))

    def __ge__(self, other: object) -> bool:
        return bool_of(self.term >= _term(other))

    def __eq__(self, other: object) -> bool:
        return _known(other) and bool_of(self.term == _term(other))

    def __ne__(self, other: object) -> bool:
        return not _known(other) or neg(bool_of(self.term == _term(other)))

    def __add__(self, other: int) -> Number:
        return Number(self.term + _term(other))

    def __sub__(self, other: int) -> Number:
        return Number(self.term - _term(other))

    def __mul__(self, other: int) -> Number:
        return Number(self.term * _term(other))

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other: int) -> Number:
        return Number(_term(other) - self.term)

    def __neg__(self) -> Number:
        return Number(-self.term)

    @property
    def numerator(self) -> Number:
        """The number itself."""
        return self

    @property
    def denominator(self) -> Literal[1]:
        """One."""
        return 1

    def bit_length(self) -> int:
        """Return 0: the length is unknown, and limits do not matter."""
        return 0

    def __floordiv__(self, divisor: int) -> int:
        return self._refused(divisor)

    def _refused(self, *_: object) -> NoReturn:
        raise TypeError("nobody knows the value of this number")

    __bool__ = __int__ = __index__ = __float__ = _refused
    __mod__ = __divmod__ = __abs__ = _refused
    __truediv__ = __rtruediv__ = __rfloordiv__ = __rmod__ = __pow__ = __round__ = __trunc__ = _refused


def bool_of(term: Any) -> bool:
    """Return a comparison as a bool for the type checker."""
    condition: bool = term
    return condition


def _known(value: object) -> bool:
    return isinstance(value, int | Fraction) or (isinstance(value, float) and value.is_integer())


def _term(value: object) -> Any:
    if isinstance(value, Number):
        return value.term
    if isinstance(value, Fraction):
        return value if value.denominator != 1 else _term(value.numerator)
    if isinstance(value, int | float) and _known(value):
        return int(value)
    raise TypeError(f"expected a number, found {value!r}")


def rational(run: Run, name: str) -> int | Fraction:
    """Return an arbitrary number, whole or not, that code accepts as a number."""
    value = run.rational(name)
    return value if isinstance(value, Fraction) else Number(value)


def number(run: Run, name: str) -> int:
    """Return an arbitrary integer that code accepts as an integer."""
    value = run.integer(name)
    return value if type(value) is int else Number(value)


class Decided(Number):
    """An integer whose comparisons are decided at once, for code that takes only True and False for the results."""

    def __lt__(self, other: object) -> bool:
        return bool(super().__lt__(other))

    def __le__(self, other: object) -> bool:
        return bool(super().__le__(other))

    def __gt__(self, other: object) -> bool:
        return bool(super().__gt__(other))

    def __ge__(self, other: object) -> bool:
        return bool(super().__ge__(other))

    def __eq__(self, other: object) -> bool:
        return bool(super().__eq__(other))

    def __ne__(self, other: object) -> bool:
        return bool(super().__ne__(other))

    __hash__ = Number.__hash__


def decided(run: Run, name: str) -> int:
    """Return an arbitrary integer whose comparisons are decided at once."""
    value = run.integer(name)
    return value if type(value) is int else Decided(value)
