"""Values and terms of ETALIS for the solver (specification: etalis-terms).

A value is a number, a string or a Boolean. Numbers are reals: arithmetic is exact, so what no real numbers do no
rational ones do either; a solution is replayed. Strings are places in their order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from parte.checker.solver import terms
from parte.checker.solver.queries import Model
from parte.checker.solver.strings import StringOrder
from parte.checker.solver.terms import FALSE, TRUE, Formula
from parte.checker.solver.terms import Number as Real
from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.values import Truth, Value, number, truth

_ZERO = terms.rational(0)


@dataclass(frozen=True, slots=True)
class Term:
    """A value, if it `exists`: which kind it has, and what it is of each kind."""

    is_number: Formula
    is_string: Formula
    number: Real = _ZERO
    string: Real = _ZERO
    boolean: Formula = FALSE
    exists: Formula = TRUE

    @property
    def is_boolean(self) -> Formula:
        """What is no number and no string."""
        return terms.both(terms.negated(self.is_number), terms.negated(self.is_string))

    @property
    def is_true(self) -> Formula:
        """It exists and is `true`."""
        return terms.both(self.exists, self.is_boolean, self.boolean)


def same(one: Term, other: Term) -> Formula:
    """Two values that exist are one."""
    return terms.either(
        terms.both(one.is_number, other.is_number, terms.equal(one.number, other.number)),
        terms.both(one.is_string, other.is_string, terms.equal(one.string, other.string)),
        terms.both(one.is_boolean, other.is_boolean, terms.same(one.boolean, other.boolean)),
    )


def _less(one: Term, other: Term) -> Formula:
    return terms.either(
        terms.both(one.is_number, other.is_number, terms.below(one.number, other.number)),
        terms.both(one.is_string, other.is_string, terms.below(one.string, other.string)),
    )


class Values:
    """The values of one question, around the strings that a program mentions."""

    def __init__(self, mentioned: Iterable[str]) -> None:
        self._strings = StringOrder(mentioned)
        self._made = 0
        self.definitions: list[Formula] = []

    def fresh(self) -> Term:
        """Any value."""
        self._made += 1
        name = f"value {self._made}"
        # A solver that is free to choose says no: then it is a number, which is plainest to read.
        other, text = terms.boolean(f"{name} is no number"), terms.boolean(f"{name} is a string")
        string = terms.real(f"{name} string")
        self.definitions += [terms.implies(text, other), self._strings.is_place(string)]
        return Term(terms.negated(other), text, terms.real(f"{name} number"), string, terms.boolean(f"{name} boolean"))

    def constant(self, value: Value) -> Term:
        """A value that is written."""
        match value:
            case Truth():
                return Term(FALSE, FALSE, boolean=terms.truth(value is Truth.TRUE))
            case str():
                return Term(FALSE, TRUE, string=self._strings.constant(value))
            case _:
                return Term(TRUE, FALSE, number=terms.rational(value))

    def calculated(self, one: Term, operator: tree.Arithmetic, other: Term) -> Term:
        """`one operator other`, which exists of numbers, a quotient but by 0."""
        exists = terms.both(one.exists, other.exists, one.is_number, other.is_number)
        match operator:
            case tree.Arithmetic.PLUS:
                return Term(TRUE, FALSE, terms.plus(one.number, other.number), exists=exists)
            case tree.Arithmetic.MINUS:
                return Term(TRUE, FALSE, terms.minus(one.number, other.number), exists=exists)
            case tree.Arithmetic.TIMES:
                return Term(TRUE, FALSE, terms.times(one.number, other.number), exists=exists)
            case tree.Arithmetic.OVER:
                divides = terms.negated(terms.equal(other.number, _ZERO))
                quotient = terms.over(one.number, other.number)
                return Term(TRUE, FALSE, quotient, exists=terms.both(exists, divides))

    def compared(self, one: Term, relation: tree.Relation, other: Term) -> Term:
        """`one relation other`: equality of any two values, order of two numbers or two strings."""
        exists = terms.both(one.exists, other.exists)
        comparable = terms.either(
            terms.both(one.is_number, other.is_number), terms.both(one.is_string, other.is_string)
        )
        match relation:
            case tree.Relation.EQUAL:
                holds = same(one, other)
            case tree.Relation.NOT_EQUAL:
                holds = terms.negated(same(one, other))
            case tree.Relation.LESS:
                exists, holds = terms.both(exists, comparable), _less(one, other)
            case tree.Relation.GREATER:
                exists, holds = terms.both(exists, comparable), _less(other, one)
            case tree.Relation.LESS_OR_EQUAL:
                exists, holds = terms.both(exists, comparable), terms.negated(_less(other, one))
            case tree.Relation.GREATER_OR_EQUAL:
                exists, holds = terms.both(exists, comparable), terms.negated(_less(one, other))
        return Term(FALSE, FALSE, boolean=holds, exists=exists)

    def read(self, model: Model, wanted: Sequence[Term]) -> list[Value]:
        """The values of terms in a model."""
        strings = self._strings.values(model.number(each.string) for each in wanted if model.truth(each.is_string))

        def value(term: Term) -> Value:
            if model.truth(term.is_number):
                return number(Fraction(model.number(term.number)))
            if model.truth(term.is_string):
                return strings[model.number(term.string)]
            return truth(model.truth(term.boolean))

        return [value(term) for term in wanted]


def strings_in(program: tree.Program) -> Iterable[str]:
    """The strings that a program mentions."""
    for rule in program.rules:
        for part in (rule.head, rule.body):
            for node in tree.within(part):
                if isinstance(node, tree.Constant) and isinstance(node.value, str):
                    yield node.value
