"""Drawing named patterns: some neighbouring patterns of a rule become a pattern with a name, which the rule uses.

The rule then means what it meant, but for the names of variables. So a drawn program stays valid, and the one before is
an oracle for the one with named patterns (specification: named-patterns, use, arguments).
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace

from parte.conformance.fuzz.draw import Draw
from parte.semantics.partelang.syntax import ast

Types = Mapping[str, ast.TypeExpression]
"""The types of the attributes of all templates, by the names of the attributes."""

_DEPTH = 2
"""The greatest number of named patterns inside each other."""
_TYPES = {bool: "Boolean", int: "Integer", float: "Float", str: "String"}


def outlined(draw: Draw, source: ast.SourceProgram) -> ast.SourceProgram:
    """Return a program, some of whose rules use named patterns. An attribute has one type in all of its templates."""
    templates = [item for item in source.declarations if isinstance(item, ast.Template)]
    outliner = _Outliner(draw, {slot.name: slot.type for template in templates for slot in template.slots})
    others = tuple([outliner.rule(item) if isinstance(item, ast.Rule) else item for item in source.declarations])
    return replace(source, declarations=(*others, *outliner.patterns))


@dataclass(frozen=True, slots=True)
class _Outliner:
    """A source of named patterns for the rules of a program; `patterns` are those drawn so far."""

    draw: Draw
    types: Types
    patterns: list[ast.NamedPattern] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def rule(self, rule: ast.Rule) -> ast.Rule:
        """Return a rule, or one of the same meaning that uses a named pattern."""
        # Conditions of a pattern without a beginning compare its attributes with constants, or by `=`.
        endless = {item.subject for item in rule.constraints if isinstance(item.lower, ast.Ever)}
        return self._outlined(rule, {}, (), endless, _DEPTH)[0]

    def _outlined(
        self, rule: ast.Rule, given_types: Types, needed: Collection[str], endless: Collection[str], depth: int
    ) -> tuple[ast.Rule, dict[str, str]]:
        """Return the rule, and the new names of its variables; it is the body of a pattern with the parameters
        `given_types` that exports the variables `needed`. The conditions on `endless` variables keep their
        constants."""
        draw = self.draw
        if depth == 0 or not draw.chance(40):
            return rule, {}
        start = draw.choice([place for place, item in enumerate(rule.patterns) if _is_positive(item)])
        end = draw.integer(start + 1, len(rule.patterns))
        inside = {item.variable for item in rule.patterns[start:end]}
        before = {item.variable for item in rule.patterns[:start] if _is_positive(item)}
        number, outside = next(self._numbers), {item.variable for item in rule.patterns} - inside
        name, use = f"P{number}", f"u{number}"
        moving = _Moving(draw, self.types, given_types, inside, outside, before, number)
        patterns = tuple(
            [moving.pattern(item, constants=item.variable not in endless) for item in rule.patterns[start:end]]
        )
        if moving.stuck:
            return rule, {}
        windows = tuple(item for item in rule.constraints if {item.subject, item.reference} <= inside)
        having = {
            place: conditions
            for place, item in enumerate(rule.having)
            if _names(item) & inside and (conditions := moving.conditions((item,), constants=False)) is not None
        }
        remaining = tuple(item for place, item in enumerate(rule.having) if place not in having)
        rest = replace(
            rule,
            patterns=(*rule.patterns[:start], *rule.patterns[end:]),
            constraints=tuple(item for item in rule.constraints if item not in windows),
            having=remaining,
        )
        mentioned = _used(rest).union(needed)
        exported = [item for item in sorted(inside) if item in mentioned or draw.chance(25)]
        body = replace(
            rule,
            name=name,
            patterns=patterns,
            constraints=windows,
            having=tuple(condition for part in having.values() for condition in part),
            emissions=(),
        )
        types = {parameter: type_ for parameter, type_, _ in moving.parameters}
        body, within = self._outlined(body, types, exported, endless, depth - 1)
        parameters = tuple(itertools.starmap(ast.Parameter, types.items()))
        exports = tuple(ast.Export(within.get(item, item)) for item in exported)
        self.patterns.append(ast.NamedPattern(name, parameters, exports, body))
        arguments = tuple(argument for _, _, argument in moving.parameters)
        names = {item: f"{use}.{within.get(item, item)}" for item in inside}
        return replace(_renamed(rest, names), uses=(ast.Use(name, arguments, use, start),)), names


@dataclass(frozen=True, slots=True)
class _Moving:
    """The conditions that move into a pattern: variables other than the moved ones become parameters.

    `given_types`: the parameters that there are already; `inside`: the moved variables; `outside`: the others;
    `before`: those that are bound to events before them.
    """

    draw: Draw
    types: Types
    given_types: Types
    inside: Collection[str]
    outside: Collection[str]
    before: Collection[str]
    number: int
    parameters: list[tuple[str, ast.TypeExpression, ast.Expression]] = field(default_factory=list)
    stuck: list[ast.Pattern] = field(default_factory=list)
    """The patterns that cannot move, because of their conditions."""

    def pattern(self, pattern: ast.Pattern, *, constants: bool) -> ast.Pattern:
        """Return a pattern that moves, with conditions as `conditions` has them in each of its alternatives."""
        first, *others = [self.conditions(choice.conditions, constants=constants) for choice in pattern.choices]
        if first is None or None in others:
            self.stuck.append(pattern)
            return pattern
        alternatives = zip(pattern.alternatives, others, strict=True)
        moved = tuple(replace(choice, conditions=conditions or ()) for choice, conditions in alternatives)
        return replace(pattern, conditions=first, alternatives=moved)

    def conditions(
        self, conditions: tuple[ast.Expression, ...], *, constants: bool = True
    ) -> tuple[ast.Expression, ...] | None:
        """Return conditions for the pattern; None if they speak of other events by more than attributes.

        With `constants` some of these become parameters too.
        """
        others = {name for item in conditions for name in _names(item) & set(self.outside)}
        timed = {
            node.variable or node.attribute
            for item in conditions
            for node in ast.NODES.within(item)
            if isinstance(node, ast.Reference) and (node.variable is None or node.attribute == "timestamp")
        }
        if not others <= set(self.before) or others & timed:
            return None
        change = self._moved if constants else self._reference
        return tuple(ast.NODES.mapped(item, change) for item in conditions)

    def _moved(self, node: ast.Node) -> ast.Node:
        if isinstance(node, ast.Binary) and isinstance(node.right, ast.Literal) and self.draw.chance(25):
            kind = _TYPES[type(node.right.value)]
            return replace(node, right=self._parameter(ast.NamedType(kind), node.right))
        return self._reference(node)

    def _reference(self, node: ast.Node) -> ast.Node:
        match node:
            case ast.Reference(variable=None) if node.attribute in self.given_types:
                return self._parameter(self.given_types[node.attribute], node)
            case ast.Reference(variable=str()) if node.variable not in self.inside:
                return self._parameter(self.types[node.attribute], node)
        return node

    def _parameter(self, type_: ast.TypeExpression, argument: ast.Expression) -> ast.Reference:
        name = f"y{self.number}_{len(self.parameters)}"
        self.parameters.append((name, type_, argument))
        return ast.Reference(None, name)


def _is_positive(pattern: ast.Pattern) -> bool:
    return not (pattern.negated or pattern.collected)


def _names(expression: ast.Expression) -> set[str]:
    """Return the names in an expression: of variables, and those that stand without one."""
    return {
        node.attribute if node.variable is None else node.variable
        for node in ast.NODES.within(expression)
        if isinstance(node, ast.Reference)
    }


def _used(rule: ast.Rule) -> set[str]:
    """Return the names of variables that a rule mentions, outside the declarations of its patterns."""
    expressions = [condition for item in rule.patterns for choice in item.choices for condition in choice.conditions]
    expressions += rule.having
    for emission in rule.emissions:
        expressions += [emission.at, *(assignment.value for assignment in emission.assignments)]
    names = {name for item in rule.constraints for name in (item.subject, item.reference)}
    return names.union(*map(_names, expressions))


def _renamed(rule: ast.Rule, names: Mapping[str, str]) -> ast.Rule:
    """Return a rule whose variables have other names."""

    def changed(node: ast.Node) -> ast.Node:
        match node:
            case ast.Constraint():
                subject, reference = (names.get(name, name) for name in (node.subject, node.reference))
                return replace(node, subject=subject, reference=reference)
            case ast.Reference(variable=None) if node.attribute in names:
                use, _, variable = names[node.attribute].rpartition(".")
                return ast.Reference(use, variable)
            case ast.Reference() if node.variable in names:
                return replace(node, variable=names[node.name.rpartition(".")[0]])
            case _:
                return node

    return ast.NODES.mapped(rule, changed)
