"""Comparisons of CEL, and of LEAD, as comparisons of PARTElang, whose sides have one type and always a value.

What CEL finds false because a value is missing or of another kind is false here by the types. NOT goes to the
comparisons, alternatives come to the top.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from parte.conformance.translations.untyped import Types, kind
from parte.languages.cel.semantics.syntax import tree
from parte.semantics.partelang.syntax import core
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.spans import Span

Place = tuple[int, str]
"""Which event of a word, and its type."""

_Op = tree.Operator
OPPOSITE: Mapping[_Op, _Op] = {
    _Op.LESS: _Op.GREATER_OR_EQUAL,
    _Op.GREATER_OR_EQUAL: _Op.LESS,
    _Op.GREATER: _Op.LESS_OR_EQUAL,
    _Op.LESS_OR_EQUAL: _Op.GREATER,
    _Op.EQUAL: _Op.NOT_EQUAL,
    _Op.NOT_EQUAL: _Op.EQUAL,
}
"""What holds of two values of one kind exactly if the other does not."""

MIRRORED: Mapping[_Op, _Op] = {
    _Op.LESS: _Op.GREATER,
    _Op.GREATER: _Op.LESS,
    _Op.LESS_OR_EQUAL: _Op.GREATER_OR_EQUAL,
    _Op.GREATER_OR_EQUAL: _Op.LESS_OR_EQUAL,
    _Op.EQUAL: _Op.EQUAL,
    _Op.NOT_EQUAL: _Op.NOT_EQUAL,
}
"""The same with the sides exchanged."""

_HOLDS: Mapping[_Op, Callable[[Any, Any], bool]] = {
    _Op.LESS: operator.lt,
    _Op.LESS_OR_EQUAL: operator.le,
    _Op.GREATER: operator.gt,
    _Op.GREATER_OR_EQUAL: operator.ge,
    _Op.EQUAL: operator.eq,
    _Op.NOT_EQUAL: operator.ne,
}


@dataclass(frozen=True, slots=True)
class AttributeAt:
    """An attribute of the event at a place of a word."""

    place: int
    name: str


@dataclass(frozen=True, slots=True)
class Atom:
    """A comparison of an attribute with another one or with a constant of its type."""

    left: AttributeAt
    operator: _Op
    right: AttributeAt | tree.Literal

    def moved(self, by: int) -> Atom:
        """The same further behind in a word."""
        left = replace(self.left, place=self.left.place + by)
        right = self.right
        if isinstance(right, AttributeAt):
            right = replace(right, place=right.place + by)
        return Atom(left, self.operator, right)


Alternatives = list[frozenset[Atom]]
"""Comparisons that hold together, one set or another."""

TRUE: Alternatives = [frozenset()]
FALSE: Alternatives = []
MAX_ALTERNATIVES = 1_000


class TooManyAlternatives(Exception):
    """A predicate has more alternatives than can be rules."""


def conjoined(parts: Iterable[Alternatives]) -> Alternatives:
    """All of them hold."""
    found = dict.fromkeys(TRUE)
    for part in parts:
        if len(found) * len(part) > MAX_ALTERNATIVES:
            raise TooManyAlternatives
        found = dict.fromkeys(one | other for one in found for other in part)
    return list(found)


@dataclass(frozen=True, slots=True)
class Compared:
    """How the attributes of declared types are compared."""

    types: Types
    reporter: Reporter
    language: str = "CEL"

    def predicate(self, node: tree.Predicate, at: Place, *, holds: bool = True) -> Alternatives:
        """When a predicate holds of an event, or when it does not."""
        match node:
            case tree.Comparison(left=left, operator=comparison, right=right):
                return self.comparison((at, left), comparison, (at, right), node.span, holds=holds)
            case tree.Not(operand=operand):
                return self.predicate(operand, at, holds=not holds)
            case tree.Every(parts=parts) | tree.Some(parts=parts):
                made = [self.predicate(part, at, holds=holds) for part in parts]
                if isinstance(node, tree.Every) == holds:
                    return conjoined(made)
                found = list(dict.fromkeys(atoms for each in made for atoms in each))
                if len(found) > MAX_ALTERNATIVES:
                    raise TooManyAlternatives
                return found

    def comparison(
        self,
        left: tuple[Place, tree.Operand],
        comparison: _Op,
        right: tuple[Place, tree.Operand],
        span: Span,
        *,
        holds: bool = True,
    ) -> Alternatives:
        """When a comparison holds, or when it does not."""
        one, other = self._type(*left), self._type(*right)
        if one is None or other is None or kind(one) is None or kind(one) != kind(other):
            return FALSE if holds else TRUE
        if not holds:
            comparison = OPPOSITE[comparison]
        ((place, _), first), ((further, _), second) = left, right
        match first, second:
            case tree.Literal(value=value), tree.Literal(value=constant):
                return TRUE if _HOLDS[comparison](value, constant) else FALSE
            case tree.Literal(value=value), tree.Attribute(name=name):
                return _with_constant(AttributeAt(further, name), other, MIRRORED[comparison], value)
            case tree.Attribute(name=name), tree.Literal(value=value):
                return _with_constant(AttributeAt(place, name), one, comparison, value)
            case tree.Attribute(name=name), tree.Attribute(name=another):
                if one != other:
                    message = f"{self.language} compares this Integer with this Float as they are; PARTElang rounds it"
                    hint = "compare attributes of one type"
                    self.reporter.report("rounded-comparison", span, message, hint)
                    return FALSE
                a, b = AttributeAt(place, name), AttributeAt(further, another)
                if a == b:
                    return TRUE if _HOLDS[comparison](0, 0) else FALSE
                if one is core.Scalar.BOOLEAN:
                    return _of_booleans(a, comparison, b)
                return [frozenset([Atom(a, comparison, b)])]
        raise AssertionError("an operand is an attribute or a literal")

    def _type(self, at: Place, operand: tree.Operand) -> tree.Constant | core.Type | None:
        """The type of an operand, or the constant that it is; None of what is NULL."""
        if isinstance(operand, tree.Literal):
            return operand.value
        return self.types.get(at[1], {}).get(operand.name)


def _of_booleans(one: AttributeAt, comparison: _Op, other: AttributeAt) -> Alternatives:
    """PARTElang has no order of Booleans; in CEL false is less than true."""
    if comparison in (_Op.EQUAL, _Op.NOT_EQUAL):
        return [frozenset([Atom(one, comparison, other)])]
    if comparison in (_Op.GREATER, _Op.GREATER_OR_EQUAL):
        return _of_booleans(other, MIRRORED[comparison], one)
    false, true = (Atom(each, _Op.EQUAL, tree.Literal(value)) for each, value in ((one, False), (other, True)))
    if comparison is _Op.LESS:
        return [frozenset([false, true])]
    return [frozenset([false]), frozenset([true])]


def _with_constant(
    attribute: AttributeAt, type_: tree.Constant | core.Type, comparison: _Op, value: tree.Constant
) -> Alternatives:
    """An attribute against a constant of its kind, which becomes one of its type."""
    match type_:
        case core.Scalar.BOOLEAN:
            fitting = [each for each in (False, True) if _HOLDS[comparison](each, value)]
            if len(fitting) != 1:
                return TRUE if fitting else FALSE
            return [frozenset([Atom(attribute, _Op.EQUAL, tree.Literal(fitting[0]))])]
        case core.Scalar.INTEGER if isinstance(value, int | float):
            return _exactly(attribute, comparison, value, _least_integer, -(2**63), 2**63 - 1)
        case core.Scalar.FLOAT if isinstance(value, int | float):
            greatest = math.nextafter(math.inf, 0)
            return _exactly(attribute, comparison, value, _least_float, -greatest, greatest)
        case _:
            return [frozenset([Atom(attribute, comparison, tree.Literal(value))])]


def _exactly(
    attribute: AttributeAt,
    comparison: _Op,
    value: int | float,
    least: Callable[[int | float], int | float],
    lowest: int | float,
    highest: int | float,
) -> Alternatives:
    """A number against one that need not be of its type: `least` is the least of the type that is not below."""
    if value > highest or value < lowest:
        return TRUE if _HOLDS[comparison](0, value) else FALSE
    bound = least(value)
    if bound != value:
        match comparison:
            case _Op.EQUAL:
                return FALSE
            case _Op.NOT_EQUAL:
                return TRUE
            case _Op.LESS | _Op.LESS_OR_EQUAL:
                comparison = _Op.LESS
            case _:
                comparison = _Op.GREATER_OR_EQUAL
    return [frozenset([Atom(attribute, comparison, tree.Literal(bound))])]


def _least_integer(value: int | float) -> int:
    return math.ceil(value)


def _least_float(value: int | float) -> float:
    near = float(value)
    return near if near >= value else math.nextafter(near, math.inf)
