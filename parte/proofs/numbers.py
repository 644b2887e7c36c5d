"""Numbers of unknown value, for code that checks the types of values.

To such code a `Number` is an `int`, also where it looks types up in a dictionary. Comparisons give terms; sums,
differences and products with it are such numbers; a dictionary that has them as keys asks which are equal. Attributes
and times of events in lemmas are such numbers. Whatever would see a value in one is refused.

One that need not be whole is a `Number` too: to code for which integers and fractions are numbers alike it is as good.
Its numerator is itself, over 1, so that Python's fractions reckon with it; it has no bits, for no limit is in a lemma.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Literal, NoReturn

from parte.proofs.symbolic import Run
from parte.semantics.rulebook.connectives import neg


class _Integers(type):
    """A type that a dictionary takes for `int`."""

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
        return 0  # whether two are equal, `==` says

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
        """The denominator: 1."""
        return 1

    def bit_length(self) -> int:
        """Zero, because the length is not known, and no lemma is about a limit."""
        return 0

    def __floordiv__(self, other: int) -> int:
        return self._refused(other)

    def _refused(self, *_: object) -> NoReturn:
        raise TypeError("nobody knows the value of this number")

    __bool__ = __int__ = __index__ = __float__ = _refused
    __mod__ = __divmod__ = __abs__ = _refused
    __truediv__ = __rtruediv__ = __rfloordiv__ = __rmod__ = __pow__ = __round__ = __trunc__ = _refused


def bool_of(term: Any) -> bool:
    """A comparison, with the type that code gives it."""
    found: bool = term
    return found


def _known(other: object) -> bool:
    return isinstance(other, int | Fraction) or (isinstance(other, float) and other.is_integer())


def _term(other: object) -> Any:
    if isinstance(other, Number):
        return other.term
    if isinstance(other, Fraction):
        return other if other.denominator != 1 else _term(other.numerator)
    if isinstance(other, int | float) and _known(other):
        return int(other)
    raise TypeError(f"expected a number, found {other!r}")


def rational(run: Run, name: str) -> int | Fraction:
    """An arbitrary number, whole or not, which code accepts as a number."""
    value = run.rational(name)
    return value if isinstance(value, Fraction) else Number(value)


def number(run: Run, name: str) -> int:
    """An arbitrary integer, which code accepts as an integer."""
    value = run.integer(name)
    return value if type(value) is int else Number(value)
