"""Terms as functions of the values of a rule's variables, compiled once for a program."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from fractions import Fraction

from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.values import Number, Truth, Value, number

Values = tuple[Value, ...]
Evaluator = Callable[[Values], Value | None]
"""The value of a term for the values of variables; None if a function in it has none."""

_COMPARED: dict[tree.Relation, Callable[[Number, Number], bool]] = {
    tree.Relation.LESS: operator.lt,
    tree.Relation.LESS_OR_EQUAL: operator.le,
    tree.Relation.GREATER: operator.gt,
    tree.Relation.GREATER_OR_EQUAL: operator.ge,
}
_CALCULATED: dict[tree.Arithmetic, Callable[[Number, Number], Number]] = {
    tree.Arithmetic.PLUS: operator.add,
    tree.Arithmetic.MINUS: operator.sub,
    tree.Arithmetic.TIMES: operator.mul,
    tree.Arithmetic.OVER: Fraction,
}
_NUMBERS = frozenset({int, Fraction})


def evaluator(term: tree.Term, places: Mapping[str, int]) -> Evaluator:
    """Return a function for a term, whose variables stand at these places."""
    match term:
        case tree.Variable(name=name):
            return operator.itemgetter(places[name])
        case tree.Constant(value=value):
            return lambda _: value
        case tree.Calculation(left=left, operator=sign, right=right):
            return _calculation(evaluator(left, places), sign, evaluator(right, places))
        case tree.Comparison(left=left, relation=relation, right=right):
            return _comparison(evaluator(left, places), relation, evaluator(right, places))


def _calculation(left: Evaluator, sign: tree.Arithmetic, right: Evaluator) -> Evaluator:
    calculated = _CALCULATED[sign]

    def value(values: Values) -> Value | None:
        first, second = left(values), right(values)
        if type(first) not in _NUMBERS or type(second) not in _NUMBERS:
            return None
        if sign is tree.Arithmetic.OVER and second == 0:
            return None
        return number(calculated(first, second))  # type: ignore[arg-type]  # both are numbers

    return value


def _comparison(left: Evaluator, relation: tree.Relation, right: Evaluator) -> Evaluator:
    if relation in (tree.Relation.EQUAL, tree.Relation.NOT_EQUAL):
        return _equality(left, relation is tree.Relation.EQUAL, right)
    compared = _COMPARED[relation]

    def value(values: Values) -> Value | None:
        first, second = left(values), right(values)
        comparable = (type(first) in _NUMBERS and type(second) in _NUMBERS) or (
            type(first) is str and type(second) is str
        )
        if not comparable:
            return None
        return Truth.TRUE if compared(first, second) else Truth.FALSE  # type: ignore[arg-type]  # of one kind

    return value


def _equality(left: Evaluator, expected: bool, right: Evaluator) -> Evaluator:
    def value(values: Values) -> Value | None:
        first, second = left(values), right(values)
        if first is None or second is None:
            return None
        return Truth.TRUE if (first == second) == expected else Truth.FALSE

    return value
