"""Comparisons of languages without types, as comparisons of PARTElang, whose sides have one type and always a value.

A comparison that is false because a value is missing or of another kind is false here by the types. Negation is moved
to the comparisons, which `and` and `or` join.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from parte.languages.translations.elaborating import BARE
from parte.languages.translations.untyped import Attribute, Constant, Literal, Operand, Operator, Types, kind
from parte.semantics.partelang.syntax import ast, core
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.spans import Span

Place = tuple[int, str]
"""The place of an event in a word, and its type."""

OPPOSITE: Mapping[Operator, Operator] = {
    Operator.LESS: Operator.GREATER_OR_EQUAL,
    Operator.GREATER_OR_EQUAL: Operator.LESS,
    Operator.GREATER: Operator.LESS_OR_EQUAL,
    Operator.LESS_OR_EQUAL: Operator.GREATER,
    Operator.EQUAL: Operator.NOT_EQUAL,
    Operator.NOT_EQUAL: Operator.EQUAL,
}
"""The operator that holds of two values of one kind exactly if the other one does not."""

MIRRORED: Mapping[Operator, Operator] = {
    Operator.LESS: Operator.GREATER,
    Operator.GREATER: Operator.LESS,
    Operator.LESS_OR_EQUAL: Operator.GREATER_OR_EQUAL,
    Operator.GREATER_OR_EQUAL: Operator.LESS_OR_EQUAL,
    Operator.EQUAL: Operator.EQUAL,
    Operator.NOT_EQUAL: Operator.NOT_EQUAL,
}
"""The operator with the same meaning if the sides are exchanged."""

_HOLDS: Mapping[Operator, Callable[[Any, Any], bool]] = {
    Operator.LESS: operator.lt,
    Operator.LESS_OR_EQUAL: operator.le,
    Operator.GREATER: operator.gt,
    Operator.GREATER_OR_EQUAL: operator.ge,
    Operator.EQUAL: operator.eq,
    Operator.NOT_EQUAL: operator.ne,
}


@dataclass(frozen=True, slots=True)
class AttributeAt:
    """An attribute of the event at a place of a word."""

    place: int
    name: str

    def moved(self, place: Callable[[int], int]) -> AttributeAt:
        """Return the attribute at another place in a word."""
        return AttributeAt(place(self.place), self.name)


@dataclass(frozen=True, slots=True)
class Atom:
    """A comparison of an attribute with another one or with a constant of its type."""

    left: AttributeAt
    operator: Operator
    right: AttributeAt | Literal

    def moved(self, place: Callable[[int], int]) -> Atom:
        """Return the same comparison, with other places in a word."""
        right = self.right
        return Atom(self.left.moved(place), self.operator, right if isinstance(right, Literal) else right.moved(place))


@dataclass(frozen=True, slots=True)
class Presence:
    """The attribute has a value, or has none if not `present`."""

    left: AttributeAt
    present: bool

    def moved(self, place: Callable[[int], int]) -> Presence:
        """Return the same condition, with another place in a word."""
        return Presence(self.left.moved(place), self.present)


@dataclass(frozen=True, slots=True)
class Compound:
    """Formulas joined by `and` or `or`, none of which is joined by the same word. `TRUE` and `FALSE` join none."""

    connective: ast.Connective
    parts: tuple[Formula, ...]

    def moved(self, place: Callable[[int], int]) -> Compound:
        """Return the same formula, with other places in a word."""
        return Compound(self.connective, tuple(part.moved(place) for part in self.parts))


Formula = Atom | Presence | Compound
"""Comparisons and tests of presence, joined."""

TRUE: Formula = Compound(ast.Connective.AND, ())
FALSE: Formula = Compound(ast.Connective.OR, ())


def conjoined(parts: Iterable[Formula]) -> Formula:
    """Return the formula that holds if all parts hold."""
    return _joined(ast.Connective.AND, parts, FALSE)


def disjoined(parts: Iterable[Formula]) -> Formula:
    """Return the formula that holds if some part holds."""
    return _joined(ast.Connective.OR, parts, TRUE)


def _joined(connective: ast.Connective, parts: Iterable[Formula], absorbing: Formula) -> Formula:
    flat: dict[Formula, None] = {}
    for part in parts:
        if part == absorbing:
            return absorbing
        same = isinstance(part, Compound) and part.connective is connective
        flat.update(dict.fromkeys(part.parts if isinstance(part, Compound) and same else (part,)))
    return next(iter(flat)) if len(flat) == 1 else Compound(connective, tuple(flat))


def conjuncts(formula: Formula) -> tuple[Formula, ...]:
    """Return formulas without `and` at the top that together mean what a formula does."""
    if isinstance(formula, Compound) and formula.connective is ast.Connective.AND:
        return formula.parts
    return (formula,)


@dataclass(frozen=True, slots=True)
class Compared:
    """Comparisons of the attributes of declared types."""

    types: Types
    reporter: Reporter
    language: str

    def comparison(
        self,
        left: tuple[Place, Operand],
        comparison: Operator,
        right: tuple[Place, Operand],
        span: Span,
        *,
        holds: bool = True,
    ) -> Formula:
        """Return the formula of a comparison that holds, or does not hold."""
        left_type, right_type = self._type(*left), self._type(*right)
        if left_type is None or right_type is None or kind(left_type) is None or kind(left_type) != kind(right_type):
            return FALSE if holds else TRUE
        if not holds:
            comparison = OPPOSITE[comparison]
        ((place, _), first), ((further, _), second) = left, right
        match first, second:
            case Literal(value=value), Literal(value=constant):
                return TRUE if _HOLDS[comparison](value, constant) else FALSE
            case Literal(value=value), Attribute(name=name):
                return _with_constant(AttributeAt(further, name), right_type, MIRRORED[comparison], value)
            case Attribute(name=name), Literal(value=value):
                return _with_constant(AttributeAt(place, name), left_type, comparison, value)
            case Attribute(name=name), Attribute(name=another):
                if left_type != right_type:
                    message = f"{self.language} compares this Integer with this Float as they are; PARTElang rounds it"
                    hint = "compare attributes of one type"
                    self.reporter.report("rounded-comparison", span, message, hint)
                    return FALSE
                a, b = AttributeAt(place, name), AttributeAt(further, another)
                if a == b:
                    return TRUE if _HOLDS[comparison](0, 0) else FALSE
                if left_type is core.Scalar.BOOLEAN:
                    return _of_booleans(a, comparison, b)
                return Atom(a, comparison, b)
        raise AssertionError("an operand is an attribute or a literal")

    def _type(self, at: Place, operand: Operand) -> Constant | core.Type | None:
        """Return the type of an operand, or the constant that it is; None for NULL."""
        if isinstance(operand, Literal):
            return operand.value
        return self.types.get(at[1], {}).get(operand.name)


def _of_booleans(left: AttributeAt, comparison: Operator, right: AttributeAt) -> Formula:
    """Return a comparison of Booleans. PARTElang has no order of Booleans; here false is less than true."""
    if comparison in (Operator.EQUAL, Operator.NOT_EQUAL):
        return Atom(left, comparison, right)
    if comparison in (Operator.GREATER, Operator.GREATER_OR_EQUAL):
        return _of_booleans(right, MIRRORED[comparison], left)
    false, true = (Atom(side, Operator.EQUAL, Literal(value)) for side, value in ((left, False), (right, True)))
    if comparison is Operator.LESS:
        return conjoined([false, true])
    return disjoined([false, true])


def _with_constant(
    attribute: AttributeAt, type_: Constant | core.Type, comparison: Operator, value: Constant
) -> Formula:
    """Return a comparison with a constant of the same kind, converted to the type of the attribute."""
    match type_:
        case core.Scalar.BOOLEAN:
            fitting = [truth for truth in (False, True) if _HOLDS[comparison](truth, value)]
            if len(fitting) != 1:
                return TRUE if fitting else FALSE
            return Atom(attribute, Operator.EQUAL, Literal(fitting[0]))
        case core.Scalar.INTEGER if isinstance(value, int | float):
            return _exactly(attribute, comparison, value, _least_integer, -(2**63), 2**63 - 1)
        case core.Scalar.FLOAT if isinstance(value, int | float):
            greatest = math.nextafter(math.inf, 0)
            return _exactly(attribute, comparison, value, _least_float, -greatest, greatest)
        case _:
            return Atom(attribute, comparison, Literal(value))


def _exactly(
    attribute: AttributeAt,
    comparison: Operator,
    value: int | float,
    least: Callable[[int | float], int | float],
    lowest: int | float,
    highest: int | float,
) -> Formula:
    """Return a comparison with a number that need not be of the type; `least` gives the least value of the type not
    below it."""
    if value > highest or value < lowest:
        return TRUE if _HOLDS[comparison](0, value) else FALSE
    bound = least(value)
    if bound != value:
        match comparison:
            case Operator.EQUAL:
                return FALSE
            case Operator.NOT_EQUAL:
                return TRUE
            case Operator.LESS | Operator.LESS_OR_EQUAL:
                comparison = Operator.LESS
            case _:
                comparison = Operator.GREATER_OR_EQUAL
    return Atom(attribute, comparison, Literal(bound))


def _least_integer(value: int | float) -> int:
    return math.ceil(value)


def _least_float(value: int | float) -> float:
    near = float(value)
    return near if near >= value else math.nextafter(near, math.inf)


def condition_of(formula: Formula, names: Sequence[str]) -> tuple[int, ast.Expression]:
    """Return a formula as a condition, and the pattern in which it stands: the last one that it mentions."""
    own = max(_places(formula))
    return own, expression_of(formula, own, names)


def _places(formula: Formula) -> Iterator[int]:
    if isinstance(formula, Compound):
        for part in formula.parts:
            yield from _places(part)
        return
    yield formula.left.place
    if isinstance(formula, Atom) and isinstance(formula.right, AttributeAt):
        yield formula.right.place


def expression_of(formula: Formula, own: int, names: Sequence[str]) -> ast.Expression:
    """Return a formula as a condition of the pattern at the place `own`."""
    if isinstance(formula, Compound):
        return ast.Compound(formula.connective, tuple(expression_of(part, own, names) for part in formula.parts))
    if isinstance(formula, Presence):
        return ast.Presence(_reference(formula.left, own, names), formula.present)
    atom, right = formula, formula.right
    if isinstance(right, AttributeAt) and right.place > atom.left.place:
        atom = replace(atom, left=right, operator=MIRRORED[atom.operator], right=atom.left)
        right = atom.right
    operand = _reference(right, own, names) if isinstance(right, AttributeAt) else ast.Literal(right.value)
    return ast.Binary(ast.BinaryOperator(atom.operator.value), _reference(atom.left, own, names), operand)


def _reference(attribute: AttributeAt, own: int, names: Sequence[str]) -> ast.Reference:
    """Return a reference to an attribute. It names its variable if it belongs to another event, or would be a
    constant alone."""
    bare = attribute.place == own and attribute.name not in BARE
    return ast.Reference(None if bare else names[attribute.place], attribute.name)
