"""Conditions of EQL as formulas that are true exactly where the condition is true, or false without `holds`: a
comparison that is null is neither."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass

from parte.languages.eql.semantics.syntax import tree
from parte.languages.translations.comparing import (
    FALSE,
    TRUE,
    AttributeAt,
    Compared,
    Formula,
    Place,
    Presence,
    conjoined,
    disjoined,
)
from parte.languages.translations.untyped import Attribute, Literal, Operand, Operator, kind
from parte.semantics.source.spans import Span

_OPERATORS = {relation: Operator(relation.value.replace("==", "=")) for relation in tree.Relation}
_EQUALITIES = (Operator.EQUAL, Operator.NOT_EQUAL)


@dataclass(frozen=True, slots=True)
class Conditions:
    """Conditions on events of declared types; `optional` are the attributes that an event may lack, by template.

    `untyped`: they are for a language in which a list has no value, so that it does not test whether there is one.
    """

    compared: Compared
    optional: Set[tuple[str, str]]
    untyped: bool

    def present(self, at: Place, name: str, span: Span, *, holds: bool = True) -> Formula:
        """Return the formula of an attribute that has a value, or has none."""
        place, template = at
        if name in self.compared.types[template] and (template, name) in self.optional:
            if self.untyped:
                message = f"the other language does not tell a missing `{name}` from a list"
                self.compared.reporter.report("no-counterpart", span, message, "translate it to PARTElang")
            return Presence(AttributeAt(place, name), holds)
        return TRUE if (name in self.compared.types[template]) == holds else FALSE

    def compare(
        self, left: tuple[Place, Operand], operator: Operator, right: tuple[Place, Operand], span: Span, *, holds: bool
    ) -> Formula:
        """Return the formula of a comparison; it is null if a value is missing, or of a kind that does not fit."""
        kinds = {self._kind(*left), self._kind(*right)}
        if len(kinds) > 1 or None in kinds or (kinds == {"Boolean"} and operator not in _EQUALITIES):
            return FALSE
        formula = self.compared.comparison(left, operator, right, span, holds=holds)
        if formula != TRUE:
            return formula
        fields = [(at, operand.name) for at, operand in (left, right) if isinstance(operand, Attribute)]
        return conjoined(self.present(at, name, span) for at, name in fields)

    def _kind(self, at: Place, operand: Operand) -> str | None:
        if isinstance(operand, Literal):
            return kind(operand.value)
        type_ = self.compared.types[at[1]].get(operand.name)
        return None if type_ is None else kind(type_)

    def formula(self, node: tree.Expression, at: Place, *, holds: bool = True) -> Formula:
        """Return the formula of a condition on the event at a place. Report what PARTElang does not compare."""
        match node:
            case tree.Literal(value=bool() as value):
                return TRUE if value == holds else FALSE
            case tree.Not(operand=negated):
                return self.formula(negated, at, holds=not holds)
            case tree.And(parts=parts) | tree.Or(parts=parts):
                formulas = [self.formula(part, at, holds=holds) for part in parts]
                return conjoined(formulas) if isinstance(node, tree.And) == holds else disjoined(formulas)
            case tree.Presence(operand=tree.Field(name=name), present=present):
                return self.present(at, name, node.span, holds=present == holds)
            case tree.InList(folded=False, negated=negated) if list(compared(node)):
                holds = holds != negated
                formulas = [
                    self.compare((at, field), Operator.EQUAL, (at, value), node.span, holds=holds)
                    for field, value in compared(node)
                ]
                return disjoined(formulas) if holds else conjoined(formulas)
            case tree.Field() | tree.Comparison() if sides := list(compared(node)):
                ((left, right),) = sides
                operator = _OPERATORS[node.relation] if isinstance(node, tree.Comparison) else Operator.EQUAL
                return self.compare((at, left), operator, (at, right), node.span, holds=holds)
        message = "translations of EQL compare fields with constants here: no patterns, no functions, no arithmetic"
        self.compared.reporter.report("no-counterpart", node.span, message, "compute it before, as an attribute")
        return TRUE


def compared(node: tree.Expression) -> Iterator[tuple[Operand, Operand]]:
    """Yield the sides of the comparisons that a node is, if they are fields and constants."""
    match node:
        case tree.Field(name=name):
            yield Attribute(name), Literal(True)
        case tree.Comparison(left=tree.Field() | tree.Literal() as left, right=tree.Field() | tree.Literal() as right):
            yield _operand(left), _operand(right)
        case tree.InList(operand=tree.Field() | tree.Literal() as member, values=values):
            yield from ((_operand(member), Literal(value.value)) for value in values)


def _operand(node: tree.Field | tree.Literal) -> Operand:
    return Attribute(node.name) if isinstance(node, tree.Field) else Literal(node.value)


def mentioned(node: tree.Expression) -> Iterator[tuple[Span, tuple[Operand, ...]]]:
    """Yield what a condition compares, and the attributes whose presence it tests, with their places."""
    match node:
        case tree.Not() | tree.And() | tree.Or():
            for part in tree.TREE.parts(node):
                if isinstance(part, tree.Expression):
                    yield from mentioned(part)
        case tree.Presence(operand=tree.Field(name=name)):
            yield node.span, (Attribute(name),)
        case _:
            yield from ((node.span, sides) for sides in compared(node))
