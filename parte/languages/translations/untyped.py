"""Comparisons of languages without types, and the types that PARTElang needs for their attributes."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from parte.semantics.partelang.syntax import ast, core
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.spans import Span


class Operator(Enum):
    """Comparison operators."""

    LESS = "<"
    LESS_OR_EQUAL = "<="
    GREATER = ">"
    GREATER_OR_EQUAL = ">="
    EQUAL = "="
    NOT_EQUAL = "!="


Constant = int | float | str | bool


@dataclass(frozen=True, slots=True)
class Attribute:
    """The value of an attribute of an event, which may be missing."""

    name: str


@dataclass(frozen=True, slots=True)
class Literal:
    """A value. `1`, `1.0` and `true` are three literals."""

    value: Constant

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Literal) and (type(self.value), self.value) == (type(other.value), other.value)

    def __hash__(self) -> int:
        return hash((type(self.value), self.value))


Operand = Attribute | Literal

Types = Mapping[str, Mapping[str, core.Type]]
"""The attributes of each template; an event has these and no others."""


def kind(value: Constant | core.Type) -> str | None:
    """Return the kind of a constant or of the values of a type: number, string or Boolean; None for lists, which
    have no comparisons."""
    match value:
        case bool() | core.Scalar.BOOLEAN:
            return "Boolean"
        case int() | float() | core.Scalar.INTEGER | core.Scalar.FLOAT:
            return "number"
        case str() | core.Scalar.STRING:
            return "string"
        case _:
            return None


def inferred(
    templates: Iterable[str],
    compared: Iterable[tuple[Span, tuple[Operand, ...]]],
    reporter: Reporter,
    default: core.Scalar | None = None,
) -> Types:
    """Return templates that each have all attributes that a program mentions.

    `compared` are the operands that are compared with each other, and their places; an attribute may be mentioned
    alone. An attribute that is compared with a number with a fraction is a Float. If constants give no type, it is the
    default; without one this is reported, and so are several types.
    """
    equal: dict[str, set[str]] = {}
    scalars: dict[str, set[core.Scalar]] = {}
    places: dict[str, Span] = {}
    for span, operands in compared:
        names = [operand.name for operand in operands if isinstance(operand, Attribute)]
        constants = {_type(operand.value) for operand in operands if isinstance(operand, Literal)}
        for name in names:
            places.setdefault(name, span)
            scalars.setdefault(name, set()).update(constants)
            equal.setdefault(name, set()).update(names)
    attributes: dict[str, core.Type] = {}
    reported = set[str]()
    for attribute in places:
        group = {attribute}
        while (larger := group.union(*(equal[member] for member in group))) != group:
            group = larger
        kinds = set[core.Scalar]().union(*(scalars[member] for member in group))
        if kinds == {core.Scalar.INTEGER, core.Scalar.FLOAT}:
            kinds = {core.Scalar.FLOAT}
        if not kinds and default is not None:
            kinds = {default}
        if len(kinds) == 1:
            attributes[attribute] = kinds.pop()
        elif attribute not in reported:
            reported |= group
            what = "constants of several types" if kinds else "no constant"
            message = f"`{attribute}` is compared with {what}, so that its type is not known"
            hint = "give a program that declares the templates: --templates FILE"
            reporter.report("unknown-type-of-attribute", places[attribute], message, hint)
    return dict.fromkeys(templates, attributes)


def _type(value: Constant) -> core.Scalar:
    match value:
        case bool():
            return core.Scalar.BOOLEAN
        case int():
            return core.Scalar.INTEGER
        case float():
            return core.Scalar.FLOAT
        case str():
            return core.Scalar.STRING


def declarations(types: Types, optional: Container[tuple[str, str]] = ()) -> list[ast.Template]:
    """Return the templates as declarations of PARTElang; `optional` are the templates and names of attributes."""
    return [
        ast.Template(
            name,
            tuple(ast.Slot(slot, _expression(type_), (name, slot) in optional) for slot, type_ in attributes.items()),
        )
        for name, attributes in types.items()
    ]


def _expression(type_: core.Type) -> ast.TypeExpression:
    if isinstance(type_, core.ListOf):
        return ast.ListTypeExpression(ast.NamedType(type_.element.value), type_.capacity)
    return ast.NamedType(type_.value)
