"""Values and terms of ETALIS for the solver (specification: etalis-terms).

A value is a number, a string or a Boolean. Numbers are reals, with exact arithmetic: what is impossible for real
numbers is impossible for rational ones, and solutions are replayed. Strings are places in their order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import assert_never

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
    """A value, if it `exists`: its kind, and its value for each kind."""

    is_number: Formula
    is_string: Formula
    number: Real = _ZERO
    string: Real = _ZERO
    boolean: Formula = FALSE
    exists: Formula = TRUE

    @property
    def is_boolean(self) -> Formula:
        """The formula that the value is neither a number nor a string."""
        return terms.both(terms.negated(self.is_number), terms.negated(self.is_string))

    @property
    def is_true(self) -> Formula:
        """The formula that the value exists and is `true`."""
        return terms.both(self.exists, self.is_boolean, self.boolean)


def same(left: Term, right: Term) -> Formula:
    """Return the formula that two existing values are equal."""
    return terms.either(
        terms.both(left.is_number, right.is_number, terms.equal(left.number, right.number)),
        terms.both(left.is_string, right.is_string, terms.equal(left.string, right.string)),
        terms.both(left.is_boolean, right.is_boolean, terms.same(left.boolean, right.boolean)),
    )


def _less(left: Term, right: Term) -> Formula:
    return terms.either(
        terms.both(left.is_number, right.is_number, terms.below(left.number, right.number)),
        terms.both(left.is_string, right.is_string, terms.below(left.string, right.string)),
    )


class Values:
    """The values of one question, around the strings that a program mentions."""

    def __init__(self, mentioned: Iterable[str]) -> None:
        self._strings = StringOrder(mentioned)
        self._made = 0
        self.definitions: list[Formula] = []

    def fresh(self) -> Term:
        """Return an arbitrary value."""
        self._made += 1
        name = f"value {self._made}"
        # A solver chooses false where it can: then the value is a number, which is easiest to read.
        no_number, text = terms.boolean(f"{name} is no number"), terms.boolean(f"{name} is a string")
        string = terms.real(f"{name} string")
        self.definitions += [terms.implies(text, no_number), self._strings.is_place(string)]
        return Term(
            terms.negated(no_number), text, terms.real(f"{name} number"), string, terms.boolean(f"{name} boolean")
        )

    def constant(self, value: Value) -> Term:
        """Return the value of a constant in the text."""
        match value:
            case Truth():
                return Term(FALSE, FALSE, boolean=terms.truth(value is Truth.TRUE))
            case str():
                return Term(FALSE, TRUE, string=self._strings.constant(value))
            case Fraction() | int():
                return Term(TRUE, FALSE, number=terms.rational(value))
            case _:
                assert_never(value)

    def calculated(self, left: Term, operator: tree.Arithmetic, right: Term) -> Term:
        """Return `left operator right`, which exists for numbers, a quotient except by 0."""
        exists = terms.both(left.exists, right.exists, left.is_number, right.is_number)
        match operator:
            case tree.Arithmetic.PLUS:
                return Term(TRUE, FALSE, terms.plus(left.number, right.number), exists=exists)
            case tree.Arithmetic.MINUS:
                return Term(TRUE, FALSE, terms.minus(left.number, right.number), exists=exists)
            case tree.Arithmetic.TIMES:
                return Term(TRUE, FALSE, terms.times(left.number, right.number), exists=exists)
            case tree.Arithmetic.OVER:
                divides = terms.negated(terms.equal(right.number, _ZERO))
                quotient = terms.over(left.number, right.number)
                return Term(TRUE, FALSE, quotient, exists=terms.both(exists, divides))

    def compared(self, left: Term, relation: tree.Relation, right: Term) -> Term:
        """Return `left relation right`: equality of any two values, order of two numbers or two strings."""
        exists = terms.both(left.exists, right.exists)
        comparable = terms.either(
            terms.both(left.is_number, right.is_number), terms.both(left.is_string, right.is_string)
        )
        match relation:
            case tree.Relation.EQUAL:
                holds = same(left, right)
            case tree.Relation.NOT_EQUAL:
                holds = terms.negated(same(left, right))
            case tree.Relation.LESS:
                exists, holds = terms.both(exists, comparable), _less(left, right)
            case tree.Relation.GREATER:
                exists, holds = terms.both(exists, comparable), _less(right, left)
            case tree.Relation.LESS_OR_EQUAL:
                exists, holds = terms.both(exists, comparable), terms.negated(_less(right, left))
            case tree.Relation.GREATER_OR_EQUAL:
                exists, holds = terms.both(exists, comparable), terms.negated(_less(left, right))
        return Term(FALSE, FALSE, boolean=holds, exists=exists)

    def read(self, model: Model, wanted: Sequence[Term]) -> list[Value]:
        """Return the values of terms in a model."""
        strings = self._strings.values(model.number(term.string) for term in wanted if model.truth(term.is_string))

        def value(term: Term) -> Value:
            if model.truth(term.is_number):
                return number(Fraction(model.number(term.number)))
            if model.truth(term.is_string):
                return strings[model.number(term.string)]
            return truth(model.truth(term.boolean))

        return [value(term) for term in wanted]


def strings_in(program: tree.Program) -> Iterable[str]:
    """Yield the strings that a program mentions."""
    for rule in program.rules:
        for part in (rule.head, rule.body):
            for node in tree.within(part):
                if isinstance(node, tree.Constant) and isinstance(node.value, str):
                    yield node.value
