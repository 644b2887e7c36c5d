"""Adapting the rest of a case of PARTElang to a removed part, and the edit that follows from no type."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from functools import partial

from parte.conformance.partelang.drawing import beginning, milliseconds
from parte.conformance.partelang.fuzz.cases import Case
from parte.semantics.events.event import Event, TraceItem
from parte.semantics.partelang.syntax import ast

Slots = Mapping[str, Collection[str]]
"""The attributes of each template."""


def mended(case: Case) -> Case:
    """Return the case without templates that are declared twice or unused, without undeclared attributes, and without
    references to patterns that do not exist."""
    named = {item.template for item in case.items}
    named |= {template for rule in case.rules for pattern in rule.patterns for template in pattern.templates}
    named |= {emission.template for rule in case.rules for emission in rule.emissions}
    templates = {item.name: item for item in reversed(case.program.declarations) if isinstance(item, ast.Template)}
    slots = {name: {slot.name for slot in template.slots} for name, template in templates.items()}
    declarations: list[ast.Declaration] = []
    for item in case.program.declarations:
        match item:
            case ast.Rule():
                declarations.append(_without_undeclared(mended_rule(item), slots))
            case ast.Template(name=name) if name not in named or item is not templates[name]:
                continue
            case _:
                declarations.append(item)
    items = (_of_slots(item, slots[item.template]) if item.template in slots else item for item in case.items)
    return Case(replace(case.program, declarations=tuple(declarations)), tuple(items))


def _of_slots(item: TraceItem, slots: Collection[str]) -> TraceItem:
    if isinstance(item, Event) and not item.attributes.keys() <= set(slots):
        return replace(item, attributes={name: value for name, value in item.attributes.items() if name in slots})
    return item


def _without_undeclared(rule: ast.Rule, slots: Slots) -> ast.Rule:
    """Return the rule without conditions on undeclared attributes, and without assignments to them."""
    slots_of = {pattern.variable: slots.get(pattern.template) for pattern in rule.patterns}

    def declared(expression: ast.Expression, own: str | None) -> bool:
        for node in ast.NODES.within(expression):
            if isinstance(node, ast.Reference) and node.attribute != "timestamp":
                known = slots_of.get(node.variable or own or "")
                if known is not None and node.attribute not in known:
                    return False
        return True

    patterns = tuple(_with_conditions(part, partial(declared, own=part.variable)) for part in rule.patterns)
    emissions = tuple(
        replace(
            part,
            assignments=tuple(
                a if declared(a.value, None) else replace(a, value=ast.Literal(0))
                for a in part.assignments
                if a.attribute in slots.get(part.template, (a.attribute,))
            ),
        )
        for part in rule.emissions
    )
    return replace(rule, patterns=patterns, emissions=emissions)


def mended_rule(rule: ast.Rule) -> ast.Rule:
    """Return the rule without references to patterns that it does not have; windows are negated as their patterns
    are."""
    negated = {pattern.variable: pattern.negated for pattern in rule.patterns}
    sets = {pattern.variable for pattern in rule.patterns if pattern.collected}

    def known(expression: ast.Expression, *, after: bool = False) -> bool:
        """Return whether all variables are there; `after` the patterns, a name without variable is a set."""
        references = (node for node in ast.NODES.within(expression) if isinstance(node, ast.Reference))
        return all(
            node.attribute in sets or not after if node.variable is None else node.variable in negated
            for node in references
        )

    return replace(
        rule,
        patterns=tuple(_with_conditions(part, known) for part in rule.patterns),
        constraints=tuple(
            replace(part, negated=negated[part.subject] or negated[part.reference])
            for part in rule.constraints
            if part.subject in negated and part.reference in negated and part.subject != part.reference
        ),
        emissions=tuple(
            replace(
                part,
                assignments=tuple(
                    a if known(a.value, after=True) else replace(a, value=ast.Literal(0)) for a in part.assignments
                ),
            )
            for part in rule.emissions
            if known(part.at, after=True)
        ),
        having=tuple(condition for condition in rule.having if known(condition, after=True)),
    )


def _with_conditions(pattern: ast.Pattern, kept: Callable[[ast.Expression], bool]) -> ast.Pattern:
    """Return a pattern with those conditions, of all its alternatives, that are `kept`."""
    return replace(
        pattern,
        conditions=tuple(filter(kept, pattern.conditions)),
        alternatives=tuple(
            replace(one, conditions=tuple(filter(kept, one.conditions))) for one in pattern.alternatives
        ),
    )


def without_pattern(rule: ast.Rule, pattern: ast.Pattern) -> ast.Rule:
    """Return a rule without a pattern and without references to it."""
    return mended_rule(
        replace(rule, patterns=tuple(remaining for remaining in rule.patterns if remaining is not pattern))
    )


def bridged(case: Case) -> Iterator[Case]:
    """Yield the case without one pattern; patterns that it related are related directly."""
    for rule in case.rules:
        for pattern in reversed(rule.patterns):
            for bridge in _bridges(rule, pattern.variable):
                nearer = without_pattern(replace(rule, constraints=(*rule.constraints, bridge)), pattern)
                yield replace(case, program=ast.NODES.exchanged(case.program, rule, nearer))


def _bridges(rule: ast.Rule, name: str) -> Iterator[ast.Constraint]:
    """Yield a constraint in the place of two that meet in a variable."""
    for near in rule.constraints:
        for far in rule.constraints:
            if near.subject == name == far.reference and near.reference != far.subject and not near.negated:
                lower, upper = (
                    a.milliseconds + b.milliseconds for a, b in ((near.lower, far.lower), (near.upper, far.upper))
                )
                yield replace(far, reference=near.reference, lower=beginning(lower), upper=milliseconds(upper))
