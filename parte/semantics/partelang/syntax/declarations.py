"""The names of a program outside its rules: types, templates, predicates (specification: name-spaces)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from parte.semantics.partelang.syntax import ast, core, functions
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.spans import Span

LIST = "list"
"""The constructor of lists; it looks like a function."""


@dataclass(frozen=True, slots=True)
class Schema:
    """A template for looking up attributes; a type is None if its declaration is wrong.

    `places` are those of the attributes in their order; the `required` ones are not `optional`.
    """

    template: core.Template
    attributes: Mapping[str, core.Type | None]
    places: Mapping[str, int]
    required: Sequence[str]
    optional: Set[str]


@dataclass(frozen=True, slots=True)
class Declarations:
    """The meanings of a program's declarations. `used` collects the names that are referred to."""

    types: Mapping[str, core.Type | None]
    templates: Mapping[str, Schema]
    predicates: Mapping[str, Sequence[core.Scalar | None]]
    used: set[str] = field(default_factory=set)
    level: int = 1
    patterns: Mapping[str, Sequence[core.Scalar | None]] = field(default_factory=dict)


_Named = ast.TypeAlias | ast.Template | ast.Predicate | ast.NamedPattern
_KINDS: Mapping[type, str] = {
    ast.TypeAlias: "a type",
    ast.Template: "a template",
    ast.Predicate: "a predicate",
    ast.NamedPattern: "a pattern",
}


def declare(source: ast.SourceProgram, reporter: Reporter) -> Declarations:
    """Enter all declarations; their order does not matter."""
    known: dict[str, str] = {scalar.value: "a built-in type" for scalar in core.Scalar}
    known |= dict.fromkeys(functions.AGGREGATES if source.level > 1 else (), "an aggregate")
    known |= dict.fromkeys((*functions.names(source.level), LIST), "a function")
    own = [item for item in source.declarations if not isinstance(item, ast.Rule)]
    unique = list(_unique(own, known, reporter))
    used = set[str]()
    aliases = {item.name: item for item in unique if isinstance(item, ast.TypeAlias)}
    types = _Types(aliases, reporter, used)
    templates = {item.name: _schema(item, types, reporter) for item in unique if isinstance(item, ast.Template)}
    predicates = {
        item.name: _parameters(f"the predicate `{item.name}`", item.parameters, types, reporter)
        for item in unique
        if isinstance(item, ast.Predicate)
    }
    patterns = {
        item.name: _parameters(f"the pattern `{item.name}`", [part.type for part in item.parameters], types, reporter)
        for item in unique
        if isinstance(item, ast.NamedPattern)
    }
    return Declarations(types.resolved, templates, predicates, used, source.level, patterns)


def _unique(items: Sequence[_Named], known: dict[str, str], reporter: Reporter) -> Iterator[_Named]:
    for item in items:
        if item.name in known:
            message = f"`{item.name}` is {known[item.name]} already"
            reporter.report("duplicate-name", item.name_span, message, "choose another name")
            continue
        kind = _KINDS[type(item)]
        known[item.name] = f"{kind} ({item.name_span.line})"
        yield item


class _Types:
    """Resolves type expressions; the order of aliases does not matter."""

    def __init__(self, aliases: Mapping[str, ast.TypeAlias], reporter: Reporter, used: set[str]) -> None:
        self._aliases = aliases
        self._reporter = reporter
        self._used = used
        self.resolved: dict[str, core.Type | None] = {scalar.value: scalar for scalar in core.Scalar}
        for alias in aliases.values():
            self._resolve_alias(alias)

    def _resolve_alias(self, alias: ast.TypeAlias) -> None:
        # A chain of aliases may be as long as the program: follow it to its end, then resolve on the way back.
        path: dict[str, ast.TypeAlias] = {}
        following: ast.TypeAlias | None = alias
        while following is not None and following.name not in self.resolved:
            if following.name in path:
                names = list(path)
                cycle = names[names.index(following.name) :]
                chain = " = ".join(f"`{name}`" for name in (*cycle[:10], cycle[0]))
                message = f"the type `{following.name}` is defined by itself: {chain}"
                hint = "let it stand for a built-in type: Integer, Float, String or Boolean"
                self._reporter.report("cyclic-alias", following.name_span, message, hint)
                self.resolved.update(dict.fromkeys(path))
                return
            path[following.name] = following
            following = self._aliases.get(_name_in(following.target).name)
        for link in reversed(path.values()):
            self.resolved[link.name] = self.type_of(link.target)

    def type_of(self, expression: ast.TypeExpression) -> core.Type | None:
        """Return the type of a type expression; report an invalid one and return None."""
        named = _name_in(expression)
        self._used.add(named.name)
        if named.name not in self.resolved:
            otherwise = f"declare it: `type {named.name} = String`"
            known = _ELSEWHERE.get(named.name.lower())
            hint = (
                self._reporter.suggestion(named.name, (*self.resolved, *self._aliases), otherwise)
                if known is None
                else f"this type is called `{known}` here: {_HOLDS[known]}"
            )
            self._reporter.report("unknown-type", named.span, f"there is no type called `{named.name}`", hint)
            return None
        type_ = self.resolved[named.name]
        if type_ is None or isinstance(expression, ast.NamedType):
            return type_
        if isinstance(type_, core.ListOf):
            message = f"`{named.name}` is a list type, and lists cannot be nested"
            self._reporter.report("nested-list", named.span, message, "the elements of a list are scalar")
            return None
        return core.ListOf(type_, expression.capacity)


_ELSEWHERE = {
    **dict.fromkeys(("int", "int32", "int64", "long", "bigint", "short", "i64", "i32", "uint"), "Integer"),
    **dict.fromkeys(("timestamp", "datetime", "date", "time"), "Integer"),
    **dict.fromkeys(("double", "real", "number", "decimal", "numeric", "f64", "f32", "float64"), "Float"),
    **dict.fromkeys(("str", "text", "varchar", "char"), "String"),
    "bool": "Boolean",
    **{name.lower(): name for name in ("Integer", "Float", "String", "Boolean")},
}
"""Names of the types in other languages."""

_HOLDS = {
    "Integer": "whole numbers of 64 bits, milliseconds among them",
    "Float": "binary64 numbers",
    "String": "text",
    "Boolean": "`true` and `false`",
}


def _name_in(expression: ast.TypeExpression) -> ast.NamedType:
    return expression if isinstance(expression, ast.NamedType) else expression.element


def _schema(item: ast.Template, types: _Types, reporter: Reporter) -> Schema:
    attributes: dict[str, core.Type | None] = {}
    for slot in item.slots:
        span = name_span(slot.span, slot.name)
        if slot.name == "timestamp":
            message = f"the template `{item.name}` declares an attribute called `timestamp`"
            hint = "every event has a timestamp of its own: remove the attribute or rename it"
            reporter.report("reserved-attribute", span, message, hint)
        elif slot.name in attributes:
            message = f"the template `{item.name}` has an attribute `{slot.name}` already"
            reporter.report("duplicate-name", span, message, "choose another name")
            continue
        type_ = types.type_of(slot.type)
        if slot.optional and isinstance(type_, core.ListOf):
            message = f"the attribute `{slot.name}` is an optional list"
            hint = "an optional attribute is scalar; a list may be empty: `list()`"
            reporter.report("optional-list", slot.type.span, message, hint)
            type_ = None
        attributes[slot.name] = type_
    optional = frozenset(slot.name for slot in item.slots if slot.optional)
    declared = tuple(
        core.Attribute(name, type_, name in optional) for name, type_ in attributes.items() if type_ is not None
    )
    places = {name: place for place, name in enumerate(attributes)}
    required = tuple(name for name in attributes if name not in optional)
    return Schema(core.Template(item.name, declared, span=item.span), attributes, places, required, optional)


def _parameters(
    owner: str, expressions: Sequence[ast.TypeExpression], types: _Types, reporter: Reporter
) -> tuple[core.Scalar | None, ...]:
    parameters: list[core.Scalar | None] = []
    for parameter in expressions:
        type_ = types.type_of(parameter)
        if isinstance(type_, core.ListOf):
            message = f"a parameter of {owner} is a list"
            reporter.report("list-parameter", parameter.span, message, "parameters are scalar")
            type_ = None
        parameters.append(type_)
    return tuple(parameters)


def name_span(span: Span, name: str) -> Span:
    """Return the part of a span that contains the name with which it begins."""
    start = span.start
    return replace(span, end=replace(start, column=start.column + len(name)))
