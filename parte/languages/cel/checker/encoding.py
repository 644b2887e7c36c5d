"""Predicates of CEL as formulas over the attributes of events, and attributes from models of these formulas.

CEL only compares values, so the encoding represents a number or a string by its place in an order. An attribute has at
most one kind; an attribute without a kind is NULL, or a list that names a substream (specification: cel-predicates,
core-q-partition).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import assert_never

from parte.checker.solver import terms
from parte.checker.solver.numbers import NumberOrder
from parte.checker.solver.queries import Model
from parte.checker.solver.strings import StringOrder
from parte.checker.solver.terms import Formula, Number
from parte.languages.cel.semantics.syntax import tree
from parte.semantics.events.event import Value


@dataclass(frozen=True, slots=True)
class Term:
    """A value: its kind, if any, and its place in the order of each kind. FALSE is 0, TRUE is 1."""

    is_number: Formula
    is_string: Formula
    is_boolean: Formula
    number: Number
    string: Number
    boolean: Number


class Encoding:
    """The attributes of some events as terms. `shared` attributes have the same value for all events, and are not
    NULL."""

    def __init__(self, predicates: Iterable[tree.Node], shared: Collection[str] = ()) -> None:
        values = [
            part.value for predicate in predicates for part in tree.within(predicate) if isinstance(part, tree.Literal)
        ]
        self._numbers = NumberOrder(v for v in values if isinstance(v, int | float) and not isinstance(v, bool))
        self._strings = StringOrder(value for value in values if isinstance(value, str))
        self._shared = frozenset(shared)
        self._known: dict[tuple[str, str], Term] = {}
        self._definitions: list[Formula] = []

    def definitions(self) -> list[Formula]:
        """Return the assumptions about the terms in all formulas built so far."""
        return list(self._definitions)

    def plain(self) -> list[Formula]:
        """Return formulas that exclude the least and the greatest of all numbers, so that people can read the
        events."""
        return [
            terms.negated(terms.equal(term.number, self._numbers.constant(end)))
            for term in self._known.values()
            for end in (self._numbers.known[0], self._numbers.known[-1])
        ]

    # --- Formulas ----------------------------------------------------------------------------------------------------

    def satisfies(self, event: str, predicate: tree.Predicate) -> Formula:
        """Return the formula that the event of this name satisfies the predicate."""
        match predicate:
            case tree.Comparison(left=left, operator=operator, right=right):
                return self._compared(self._operand(event, left), operator, self._operand(event, right))
            case tree.Not(operand=operand):
                return terms.negated(self.satisfies(event, operand))
            case tree.Every(parts=parts):
                return terms.both(*[self.satisfies(event, part) for part in parts])
            case tree.Some(parts=parts):
                return terms.either(*[self.satisfies(event, part) for part in parts])

    def linked(self, link: tree.Link, left: str, right: str) -> Formula:
        """Return the formula that the comparison of a link is true of two events."""
        left_term, right_term = self._attribute(left, link.left_attribute), self._attribute(right, link.right_attribute)
        return self._compared(left_term, link.operator, right_term)

    def _compared(self, left: Term, operator: tree.Operator, right: Term) -> Formula:
        """Return the formula that both terms have the same kind, and the comparison is true in its order."""
        return terms.either(
            terms.both(left.is_number, right.is_number, _ordered(left.number, operator, right.number)),
            terms.both(left.is_string, right.is_string, _ordered(left.string, operator, right.string)),
            terms.both(left.is_boolean, right.is_boolean, _ordered(left.boolean, operator, right.boolean)),
        )

    def _operand(self, event: str, operand: tree.Operand) -> Term:
        if isinstance(operand, tree.Attribute):
            return self._attribute(event, operand.name)
        value, zero = operand.value, terms.rational(0)
        match value:
            case bool():
                return Term(terms.FALSE, terms.FALSE, terms.TRUE, zero, zero, terms.rational(int(value)))
            case str():
                return Term(terms.FALSE, terms.TRUE, terms.FALSE, zero, self._strings.constant(value), zero)
            case int() | float():
                return Term(terms.TRUE, terms.FALSE, terms.FALSE, self._numbers.constant(value), zero, zero)
            case _:
                assert_never(value)

    def _attribute(self, event: str, name: str) -> Term:
        key = ("", name) if name in self._shared else (event, name)
        if key not in self._known:
            prefix = "shared " + name if name in self._shared else f"{event}.{name}"
            kinds = [terms.boolean(f"{prefix} is a {kind}") for kind in ("number", "string", "Boolean")]
            places = [terms.real(f"{prefix} {kind}") for kind in ("number", "string", "Boolean")]
            term = Term(kinds[0], kinds[1], kinds[2], places[0], places[1], places[2])
            self._definitions += [
                terms.negated(terms.both(left, right)) for i, left in enumerate(kinds) for right in kinds[:i]
            ]
            zero, unit = terms.rational(0), terms.rational(1)
            self._definitions += [
                self._numbers.is_place(term.number),
                self._strings.is_place(term.string),
                terms.either(terms.equal(term.boolean, zero), terms.equal(term.boolean, unit)),
            ]
            self._known[key] = term
        return self._known[key]

    # --- Back to events ----------------------------------------------------------------------------------------------

    def attributes(self, model: Model, events: Iterable[str]) -> dict[str, dict[str, Value]]:
        """Return the attributes of events in a model; a shared attribute without a kind is a list."""
        numbers = self._numbers.values(
            model.number(term.number) for term in self._known.values() if model.truth(term.is_number)
        )
        strings = self._strings.values(
            model.number(term.string) for term in self._known.values() if model.truth(term.is_string)
        )

        def value(term: Term) -> Value | None:
            if model.truth(term.is_number):
                return numbers[model.number(term.number)]
            if model.truth(term.is_string):
                return strings[model.number(term.string)]
            return bool(model.number(term.boolean)) if model.truth(term.is_boolean) else None

        by_event: dict[str, dict[str, Value]] = {}
        for event in events:
            known = {name: value(term) for (owner, name), term in self._known.items() if owner in ("", event)}
            values = {
                name: (0,) if known_value is None and name in self._shared else known_value
                for name, known_value in known.items()
            }
            by_event[event] = {
                **{name: 0 for name in self._shared if name not in values},
                **{name: known_value for name, known_value in values.items() if known_value is not None},
            }
        return by_event


_COMPARED: Mapping[tree.Operator, tuple[bool, bool]] = {
    tree.Operator.LESS: (False, False),
    tree.Operator.LESS_OR_EQUAL: (True, True),
    tree.Operator.GREATER: (True, False),
    tree.Operator.GREATER_OR_EQUAL: (False, True),
}
"""For each operator: whether the sides change places, and whether the comparison is the negation of *less*."""


def _ordered(left: Number, operator: tree.Operator, right: Number) -> Formula:
    if operator is tree.Operator.EQUAL:
        return terms.equal(left, right)
    if operator is tree.Operator.NOT_EQUAL:
        return terms.negated(terms.equal(left, right))
    exchanged, opposite = _COMPARED[operator]
    less = terms.below(right, left) if exchanged else terms.below(left, right)
    return terms.negated(less) if opposite else less
