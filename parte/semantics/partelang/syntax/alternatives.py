"""Alternatives `either v : A { … } or v : B { … }` as cases of a rule (specification: alternatives).

An event has one template. So alternatives of one template are one, whose conditions are joined by `or`, and those of
different templates exclude each other: a rule has a case for each choice of templates, and its matches are those of its
cases, each of which matches other events. All later stages read cases as rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import prod

from parte.semantics.partelang.syntax import ast, core
from parte.semantics.partelang.syntax.declarations import Schema
from parte.semantics.partelang.syntax.limits import MAX_CASES
from parte.semantics.source.reporting import Reporter

Choices = Mapping[str, Sequence[core.Pattern]]
"""The alternatives of each variable that has some, one for each template."""

_INSTEAD = {
    "no": "write a negated pattern for each alternative: all of them must be absent",
    "all": "write a set for each alternative, and combine their aggregates in `having`",
}


def common(choices: Sequence[Schema | None]) -> Schema | None:
    """Return what all templates have in common: attributes of one type, optional ones if one is; None if unknown."""
    known = [schema for schema in choices if schema is not None]
    if len(known) < len(choices):
        return None
    first, *others = known
    attributes = {
        name: type_
        for name, type_ in first.attributes.items()
        if all(name in schema.attributes and schema.attributes[name] == type_ for schema in others)
    }
    optional = frozenset(name for name in attributes if any(name in schema.optional for schema in known))
    places = {name: place for place, name in enumerate(attributes)}
    required = tuple(name for name in attributes if name not in optional)
    name = " or ".join(dict.fromkeys(schema.template.name for schema in known))
    declared = tuple(core.Attribute(n, t, n in optional) for n, t in attributes.items() if t is not None)
    return Schema(core.Template(name, declared, span=first.template.span), attributes, places, required, optional)


def check_positive(node: ast.Pattern, reporter: Reporter) -> None:
    """Report alternatives of a pattern that binds no event, or chooses one."""
    word = "no" if node.negated else "all" if node.collected else node.selection and node.selection.value
    if node.alternatives and word:
        message = f"`{word}` does not stand before `either`: alternatives bind `{node.variable}` to any event"
        hint = _INSTEAD.get(word, "choose the event in another rule, which emits an event for each alternative")
        reporter.report("either-not-positive", node.span, message, hint)


def merged(patterns: Sequence[core.Pattern]) -> tuple[core.Pattern, ...]:
    """Return the alternatives of a variable with those of one template made one."""
    by_template: dict[str, list[core.Pattern]] = {}
    for pattern in patterns:
        by_template.setdefault(pattern.template, []).append(pattern)
    return tuple(map(_either, by_template.values()))


def _either(patterns: Sequence[core.Pattern]) -> core.Pattern:
    first = patterns[0]
    if len(patterns) == 1:
        return first
    if not all(pattern.conditions for pattern in patterns):  # one of them accepts every event
        return replace(first, conditions=())
    sides = tuple(_all(pattern.conditions) for pattern in patterns)
    return replace(first, conditions=(core.Compound("or", sides, span=first.span),))


def _all(conditions: tuple[core.Expression, ...]) -> core.Expression:
    return conditions[0] if len(conditions) == 1 else core.Compound("and", conditions, span=conditions[0].span)


def cases_of(rule: core.Rule, choices: Choices, node: ast.Rule, reporter: Reporter) -> tuple[core.Rule, ...]:
    """Return the cases of a rule whose patterns have the first alternatives, with more conditions behind theirs."""
    several = {variable: patterns for variable, patterns in choices.items() if len(patterns) > 1}
    if not several:
        return (rule,)
    if (number := prod(map(len, several.values()))) > MAX_CASES:
        message = f"the alternatives of `{rule.name}` make {number} cases; at most {MAX_CASES} are allowed"
        hint = "a rule has a case for each choice of templates: write several rules, or fewer `either`"
        reporter.report("too-many-cases", node.name_span, message, hint)
        return (rule,)
    return tuple(_case(rule, dict(zip(several, chosen, strict=True)), choices) for chosen in product(*several.values()))


def _case(rule: core.Rule, chosen: Mapping[str, core.Pattern], choices: Choices) -> core.Rule:
    patterns = []
    for pattern in rule.patterns:
        if (own := chosen.get(pattern.variable)) is not None:
            behind = pattern.conditions[len(choices[pattern.variable][0].conditions) :]
            pattern = replace(pattern, template=own.template, conditions=(*own.conditions, *behind), span=own.span)
        patterns.append(pattern)
    name = core.name_of_case(rule.name, [pattern.template for pattern in chosen.values()])
    return replace(rule, name=name, patterns=tuple(patterns))


def with_optional(rule: core.Rule, schemas: Mapping[str, Schema]) -> core.Rule:
    """Return a case in which an attribute of an event with alternatives is optional if its own template says so."""
    templates = {pattern.variable: schemas[pattern.template] for pattern in rule.positive}

    def declared(part: core.Expression) -> core.Expression:
        if isinstance(part, core.AttributeOf) and (schema := templates.get(part.variable)) is not None:
            return replace(part, optional=part.attribute in schema.optional)
        return part

    def changed(expressions: tuple[core.Expression, ...]) -> tuple[core.Expression, ...]:
        return tuple(core.EXPRESSIONS.mapped(expression, declared) for expression in expressions)

    return replace(
        rule,
        patterns=tuple(replace(pattern, conditions=changed(pattern.conditions)) for pattern in rule.patterns),
        emissions=tuple(
            replace(
                emission,
                assignments=tuple(
                    replace(target, value=core.EXPRESSIONS.mapped(target.value, declared))
                    for target in emission.assignments
                ),
            )
            for emission in rule.emissions
        ),
        having=changed(rule.having),
    )
