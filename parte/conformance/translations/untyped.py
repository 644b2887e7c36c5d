"""The types that a query of CEL needs its attributes to have, as PARTElang declares them."""

from __future__ import annotations

from collections.abc import Mapping

from parte.languages.cel.semantics.syntax import tree
from parte.semantics.partelang.syntax import ast, core
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.spans import Span

Types = Mapping[str, Mapping[str, core.Type]]
"""The attributes of each template; an event has these and no others."""


def kind(value: tree.Constant | core.Type) -> str | None:
    """Number, string or Boolean, of a constant or of the values of a type; None of lists, which nothing compares."""
    match value:
        case bool() | core.Scalar.BOOLEAN:
            return "Boolean"
        case int() | float() | core.Scalar.INTEGER | core.Scalar.FLOAT:
            return "number"
        case str() | core.Scalar.STRING:
            return "string"
        case _:
            return None


def inferred(query: tree.Query, reporter: Reporter) -> Types:
    """Templates for the types of a query, each with all attributes that it mentions.

    What is compared with a number that has a fraction is a Float. What constants leave open, or tell in two ways, is
    reported.
    """
    equal: dict[str, set[str]] = {}
    found: dict[str, set[core.Scalar]] = {}
    places: dict[str, Span] = {}

    def mentioned(span: Span, *attributes: str) -> None:
        for attribute in attributes:
            places.setdefault(attribute, span)
            found.setdefault(attribute, set())
            equal.setdefault(attribute, set()).update(attributes)

    for attribute in query.attributes:
        mentioned(query.formula.span, attribute)
    for node in tree.within(query.formula):
        match node:
            case tree.Comparison(left=tree.Attribute(name=one), right=tree.Attribute(name=other)):
                mentioned(node.span, one, other)
            case tree.Comparison(left=tree.Attribute(name=one), right=tree.Literal(value=value)):
                mentioned(node.span, one)
                found[one].add(_type(value))
            case tree.Comparison(left=tree.Literal(value=value), right=tree.Attribute(name=one)):
                mentioned(node.span, one)
                found[one].add(_type(value))
            case tree.Link():
                mentioned(node.span, node.left_attribute, node.right_attribute)
    attributes: dict[str, core.Type] = {}
    reported = set[str]()
    for attribute in places:
        group = {attribute}
        while (larger := group.union(*(equal[each] for each in group))) != group:
            group = larger
        told = set[core.Scalar]().union(*(found[each] for each in group))
        if told == {core.Scalar.INTEGER, core.Scalar.FLOAT}:
            told = {core.Scalar.FLOAT}
        if len(told) == 1:
            attributes[attribute] = told.pop()
        elif attribute not in reported:
            reported |= group
            what = "constants of several types" if told else "no constant"
            message = f"`{attribute}` is compared with {what}, so that its type is not known"
            hint = "give a program that declares the templates: --templates FILE"
            reporter.report("unknown-type-of-attribute", places[attribute], message, hint)
    names = dict.fromkeys(node.name for node in tree.within(query.formula) if isinstance(node, tree.EventType))
    return dict.fromkeys(names, attributes)


def _type(value: tree.Constant) -> core.Scalar:
    match value:
        case bool():
            return core.Scalar.BOOLEAN
        case int():
            return core.Scalar.INTEGER
        case float():
            return core.Scalar.FLOAT
        case str():
            return core.Scalar.STRING


def declarations(types: Types) -> list[ast.Template]:
    """The templates as PARTElang declares them."""
    return [
        ast.Template(name, tuple(ast.Slot(slot, _expression(type_)) for slot, type_ in attributes.items()))
        for name, attributes in types.items()
    ]


def _expression(type_: core.Type) -> ast.TypeExpression:
    if isinstance(type_, core.ListOf):
        return ast.ListTypeExpression(ast.NamedType(type_.element.value), type_.capacity)
    return ast.NamedType(type_.value)
