"""Terms of quantifier-free arithmetic. Equal terms are one object."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from weakref import WeakValueDictionary


class Sort(Enum):
    """The sort of a term. Lists occur only as arguments of rules."""

    BOOL = "Bool"
    INT = "Int"
    REAL = "Real"
    LIST = "@List"


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Term:
    """An operator or a name with its arguments, or a number. Only the functions below make terms."""

    head: str | int | Fraction
    arguments: tuple[Term, ...]
    sort: Sort

    def __str__(self) -> str:
        """Return a text for messages, without deep parts: subterms are shared and the whole may be huge."""
        return self._abbreviated(3)

    def _abbreviated(self, depth: int) -> str:
        if not self.arguments or not depth:
            return f"({self.head} …)" if self.arguments else str(self.head)
        arguments = [argument._abbreviated(depth - 1) for argument in self.arguments[:6]]
        return f"({' '.join([str(self.head), *arguments])}{' …' * (len(self.arguments) > 6)})"


class IllFormed(ValueError):
    """Not a well-formed term."""


_TERMS: WeakValueDictionary[tuple[str | int | Fraction, tuple[Term, ...], Sort], Term] = WeakValueDictionary()


def _term(head: str | int | Fraction, arguments: tuple[Term, ...], sort: Sort) -> Term:
    term = _TERMS.get((head, arguments, sort))
    if term is None:
        term = _TERMS[head, arguments, sort] = Term(head, arguments, sort)
    return term


TRUE = _term("true", (), Sort.BOOL)
FALSE = _term("false", (), Sort.BOOL)


def number(value: int | Fraction, sort: Sort) -> Term:
    """Return a number of a sort."""
    return _term(Fraction(value) if sort is Sort.REAL else int(value), (), sort)


def variable(name: str, sort: Sort) -> Term:
    """Return a variable. Raise IllFormed if its name has another meaning."""
    if name in OPERATORS or name.startswith("@") or name in ("true", "false", "let"):
        raise IllFormed(f"a variable may not be called {name}")
    return _term(name, (), sort)


def apply(operator: str, *arguments: Term) -> Term:
    """Return an operator applied to arguments. Raise IllFormed if it is unknown or does not accept them."""
    if operator not in OPERATORS:
        raise IllFormed(f"the operator {operator} is not known")
    sort = OPERATORS[operator](tuple(argument.sort for argument in arguments))
    if sort is None:
        raise IllFormed(f"{operator} does not take {' '.join(term.sort.value for term in arguments) or 'nothing'}")
    return _term(operator, arguments, sort)


def negation(term: Term) -> Term:
    """Return `(not term)`."""
    return apply("not", term)


def equation(left: Term, right: Term) -> Term:
    """Return `(= left right)`."""
    return apply("=", left, right)


# --- Operators and their arguments ----------------------------------------------------------------------------------

_Signature = Callable[[Sequence[Sort]], Sort | None]
"""The sort of the result; None if the operator does not accept the arguments."""

_NUMBERS = (Sort.INT, Sort.REAL)


def _of(sort: Sort, *counts: int) -> _Signature:
    """Return a signature: a number of arguments of one sort (no `counts`: one or more) give that sort."""
    return lambda sorts: sort if set(sorts) == {sort} and (not counts or len(sorts) in counts) else None


def _arithmetic(sorts: Sequence[Sort]) -> Sort | None:
    return sorts[0] if len(set(sorts)) == 1 and sorts[0] in _NUMBERS else None


def _difference(sorts: Sequence[Sort]) -> Sort | None:
    return _arithmetic(sorts) if len(sorts) <= 2 else None


def _comparison(sorts: Sequence[Sort]) -> Sort | None:
    return Sort.BOOL if len(sorts) == 2 and _arithmetic(sorts) else None


def _equality(sorts: Sequence[Sort]) -> Sort | None:
    return Sort.BOOL if len(sorts) == 2 and sorts[0] is sorts[1] is not Sort.LIST else None


def _choice(sorts: Sequence[Sort]) -> Sort | None:
    fits = len(sorts) == 3 and sorts[0] is Sort.BOOL and sorts[1] is sorts[2] is not Sort.LIST
    return sorts[1] if fits else None


def _purification(sorts: Sequence[Sort]) -> Sort | None:
    return sorts[0] if len(sorts) == 1 and sorts[0] is not Sort.LIST else None


OPERATORS: Mapping[str, _Signature] = {
    "not": _of(Sort.BOOL, 1),
    "and": _of(Sort.BOOL),
    "or": _of(Sort.BOOL),
    "=>": _of(Sort.BOOL, 2),
    "=": _equality,
    "ite": _choice,
    "+": _arithmetic,
    "*": _arithmetic,
    "-": _difference,
    "div": _of(Sort.INT, 2),
    "div_total": _of(Sort.INT, 2),  # division, and 0 if the divisor is 0
    "@int_div_by_zero": _of(Sort.INT, 1),  # the value of `div` for the divisor 0: any function
    "to_real": lambda sorts: Sort.REAL if sorts == (Sort.INT,) else None,
    "to_int": lambda sorts: Sort.INT if sorts == (Sort.REAL,) else None,  # the greatest integer that is not greater
    "<": _comparison,
    "<=": _comparison,
    ">": _comparison,
    ">=": _comparison,
    "@purify": _purification,  # a name for its argument, and equal to it
    "@list": lambda sorts: Sort.LIST if Sort.LIST not in sorts else None,
}
