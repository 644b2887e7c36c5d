"""Conditions as formulas over the values of names. A formula never demands more than its condition: if the solver
refutes the formula, nothing fulfils the condition.

A value is a number, a string, a Boolean or missing. A comparison with a missing value, or of two kinds, is false.
Numbers are real numbers, which include those of a stream. Sums and products of attributes are rounded, so the encoding
states only that equal ones have equal values. Times and durations are integers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import assert_never

from parte.checker.solver import terms
from parte.checker.solver.queries import Model
from parte.checker.solver.terms import Formula, Number
from parte.languages.lead.semantics.syntax import tree
from parte.semantics.events.event import Value


@dataclass(frozen=True, slots=True)
class Term:
    """A value: the formulas of its kinds, and its number. The number of a string is its place among the strings of
    the rule."""

    is_number: Formula
    is_string: Formula
    is_boolean: Formula
    number: Number

    def kinds(self) -> tuple[Formula, Formula, Formula]:
        """Return the formulas of its kinds, of which at most one is true."""
        return self.is_number, self.is_string, self.is_boolean


class Encoding:
    """The values of a rule as terms."""

    def __init__(self, nodes: Iterable[tree.Node]) -> None:
        literals = {part.value for node in nodes for part in tree.within(node) if isinstance(part, tree.Literal)}
        self._strings = sorted(literal for literal in literals if isinstance(literal, str))
        self._known: dict[object, Term] = {}
        self._held: dict[object, Formula] = {}
        self.definitions: list[Formula] = []

    def holds(self, condition: tree.Expression) -> Formula:
        """Return the formula that a condition is true."""
        match condition:
            case tree.Comparison(left=left, operator=operator, right=right):
                return _compared(self.term(left), operator, self.term(right))
            case tree.Both(parts=parts):
                return terms.both(*map(self.holds, parts))
            case tree.Either(parts=parts):
                return terms.either(*map(self.holds, parts))
            case tree.Negation(operand=operand):
                return terms.negated(self.holds(operand))
            case tree.Quantified() | tree.Outside():
                return self._open(condition)
            case (
                tree.Literal()
                | tree.Duration()
                | tree.Reference()
                | tree.Aggregate()
                | tree.Sum()
                | tree.Product()
                | tree.Negative()
            ):
                term = self.term(condition)
                return terms.both(term.is_boolean, terms.equal(term.number, terms.rational(1)))
            case _:
                assert_never(condition)

    def _open(self, condition: tree.Quantified | tree.Outside) -> Formula:
        """Return a free Boolean; if some items must fulfil a condition, it implies that an item can."""
        if condition not in self._held:
            self._held[condition] = terms.boolean(f"holds {len(self._held)}")
            if isinstance(condition, tree.Quantified) and (condition.least or 0) > 0:
                self.definitions.append(terms.implies(self._held[condition], self.holds(condition.condition)))
        return self._held[condition]

    def term(self, node: tree.Expression) -> Term:
        """Return the term of an expression."""
        match node:
            case tree.Literal(value=bool() as value):
                return _constant(2, terms.rational(int(value)))
            case tree.Literal(value=str() as value):
                return _constant(1, terms.rational(self._strings.index(value)))
            case tree.Literal(value=int() as value):
                return _constant(0, terms.rational(value))
            case tree.Duration():
                return _constant(0, terms.rational(node.milliseconds))
            case tree.Sum(parts=parts) if _of_time(node):
                total = terms.rational(0)
                for part in parts:
                    total = terms.plus(total, self.term(part).number)
                return self._if_there(total, parts)
            case tree.Negative(operand=operand) if _of_time(node):
                return self._if_there(terms.opposite(self.term(operand).number), (operand,))
            case (
                tree.Literal()
                | tree.Reference()
                | tree.Aggregate()
                | tree.Sum()
                | tree.Product()
                | tree.Negative()
                | tree.Comparison()
                | tree.Both()
                | tree.Either()
                | tree.Negation()
                | tree.Outside()
                | tree.Quantified()
            ):
                return self._unknown(node)
            case _:
                assert_never(node)

    def _if_there(self, number: Number, parts: Iterable[tree.Expression]) -> Term:
        return Term(terms.both(*(self.term(part).is_number for part in parts)), terms.FALSE, terms.FALSE, number)

    def _unknown(self, node: tree.Expression) -> Term:
        if node not in self._known:
            number = len(self._known)
            kinds = [terms.boolean(f"{number} is a {kind}") for kind in ("number", "string", "Boolean")]
            if isinstance(node, tree.Reference) and node.path[-1] == "event_time":
                kinds[1:] = [terms.FALSE, terms.FALSE]
            counts = isinstance(node, tree.Aggregate) and node.function is tree.Function.COUNT
            if counts:
                kinds[1:] = [terms.FALSE, terms.FALSE]
            term = Term(kinds[0], kinds[1], kinds[2], terms.real(f"{number}"))
            zero, unit = terms.rational(0), terms.rational(1)
            self.definitions += [terms.negated(terms.both(a, b)) for i, a in enumerate(kinds) for b in kinds[:i]]
            truth = terms.either(terms.equal(term.number, zero), terms.equal(term.number, unit))
            self.definitions.append(terms.implies(term.is_boolean, truth))
            if counts:
                self.definitions.append(terms.at_most(zero, term.number))
            self._known[node] = term
        return self._known[node]

    def attributes(self, model: Model) -> dict[str, dict[str, Value]]:
        """Return the attributes of the events that names are bound to, as far as a model gives them, without times."""
        attributes: dict[str, dict[str, Value]] = {}
        for node, term in self._known.items():
            if isinstance(node, tree.Reference) and len(node.path) == 2 and node.path[1] != "event_time":
                value = model.number(term.number)
                if model.truth(term.is_number):
                    attributes.setdefault(node.path[0], {})[node.path[1]] = (
                        int(value) if value.denominator == 1 else float(value)
                    )
                elif model.truth(term.is_boolean):
                    attributes.setdefault(node.path[0], {})[node.path[1]] = bool(value)
                elif model.truth(term.is_string):
                    attributes.setdefault(node.path[0], {})[node.path[1]] = self._string(
                        value.numerator, value.denominator
                    )
        return attributes

    def _string(self, over: int, under: int) -> str:
        """Return a string at a place among the strings of the rule, or near it."""
        place = over // under
        if 0 <= place < len(self._strings):
            return self._strings[place] + ("" if under == 1 else "~")
        return "" if place < 0 else "~~"


def _constant(kind: int, number: Number) -> Term:
    kinds = [terms.truth(kind == index) for index in range(3)]
    return Term(kinds[0], kinds[1], kinds[2], number)


def _of_time(node: tree.Expression) -> bool:
    """Return whether an expression adds only times, durations and integers, so that nothing is rounded."""
    match node:
        case tree.Sum(parts=parts):
            return all(map(_of_time, parts))
        case tree.Negative(operand=operand):
            return _of_time(operand)
        case tree.Reference(path=path):
            return path[-1] == "event_time"
        case tree.Literal(value=value):
            return isinstance(value, int) and not isinstance(value, bool)
        case tree.Duration():
            return True
        case (
            tree.Aggregate()
            | tree.Product()
            | tree.Comparison()
            | tree.Both()
            | tree.Either()
            | tree.Negation()
            | tree.Outside()
            | tree.Quantified()
        ):
            return False
        case _:
            assert_never(node)


def _compared(left: Term, operator: tree.Operator, right: Term) -> Formula:
    first, second = left.number, right.number
    match operator:
        case tree.Operator.EQUAL:
            ordered = terms.equal(first, second)
        case tree.Operator.NOT_EQUAL:
            ordered = terms.negated(terms.equal(first, second))
        case tree.Operator.LESS:
            ordered = terms.below(first, second)
        case tree.Operator.LESS_OR_EQUAL:
            ordered = terms.at_most(first, second)
        case tree.Operator.GREATER:
            ordered = terms.below(second, first)
        case tree.Operator.GREATER_OR_EQUAL:
            ordered = terms.at_most(second, first)
        case _:
            assert_never(operator)
    same = terms.either(*(terms.both(a, b) for a, b in zip(left.kinds(), right.kinds(), strict=True)))
    return terms.both(same, ordered)
