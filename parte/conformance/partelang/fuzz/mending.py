"""Adapting the rest of a case of PARTElang to a removed part, and the edit that follows from no type."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from functools import partial

from parte.conformance.partelang.drawing import beginning, milliseconds
from parte.conformance.partelang.fuzz.cases import Case
from parte.semantics.events.event import Event, TraceItem
from parte.semantics.partelang.syntax import ast
from parte.semantics.partelang.syntax.functions import of_clocks

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


def complete(case: Case) -> Case:
    """Return the case without the events that lack an attribute that their template demands."""
    templates = [item for item in case.program.declarations if isinstance(item, ast.Template)]
    demanded = {item.name: {slot.name for slot in item.slots if not slot.optional} for item in templates}
    return replace(
        case,
        items=tuple(
            item
            for item in case.items
            if not isinstance(item, Event) or demanded.get(item.template, set()) <= item.attributes.keys()
        ),
    )


def _of_slots(item: TraceItem, slots: Collection[str]) -> TraceItem:
    if isinstance(item, Event) and not item.attributes.keys() <= set(slots):
        return replace(item, attributes={name: value for name, value in item.attributes.items() if name in slots})
    return item


def _without_undeclared(rule: ast.Rule, slots: Slots) -> ast.Rule:
    """Return the rule without conditions on undeclared attributes, and without assignments to them."""
    slots_of = {pattern.variable: slots.get(pattern.template) for pattern in rule.patterns}

    def declared(expression: ast.Expression, own: str | None) -> bool:
        for node in _references(expression):
            if node.attribute != "timestamp":
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
        return all(
            node.attribute in sets or not after if node.variable is None else node.variable in negated
            for node in _references(expression)
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


def _references(expression: ast.Expression) -> Iterator[ast.Reference]:
    """Yield the references of an expression; an event whose clock is read counts as its timestamp."""
    nodes = list(ast.NODES.within(expression))
    clocks = [node.arguments[0] for node in nodes if isinstance(node, ast.Call) and node.name in of_clocks()]
    events = [name for name in clocks if isinstance(name, ast.Reference) and name.variable is None]
    yield from (ast.Reference(name.attribute, "timestamp") for name in events)
    yield from (node for node in nodes if isinstance(node, ast.Reference) and node not in events)


def _with_conditions(pattern: ast.Pattern, is_sound: Callable[[ast.Expression], bool]) -> ast.Pattern:
    """Return a pattern with those conditions, of all its alternatives, for which `is_sound`."""
    return replace(
        pattern,
        conditions=tuple(filter(is_sound, pattern.conditions)),
        alternatives=tuple(
            replace(alternative, conditions=tuple(filter(is_sound, alternative.conditions)))
            for alternative in pattern.alternatives
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


def begun(case: Case) -> Iterator[Case]:
    """Yield the case with one window that begins at zero, not at `-ever`."""
    for rule in case.rules:
        for window in rule.constraints:
            if isinstance(window.lower, ast.Ever):
                near = replace(window, lower=milliseconds(0), open_lower=False)
                yield replace(case, program=ast.NODES.exchanged(case.program, window, near))


def _bridges(rule: ast.Rule, name: str) -> Iterator[ast.Constraint]:
    """Yield a constraint in the place of two that meet in a variable."""
    for near in rule.constraints:
        for far in rule.constraints:
            if near.subject == name == far.reference and near.reference != far.subject and not near.negated:
                lower, upper = (
                    a.milliseconds + b.milliseconds for a, b in ((near.lower, far.lower), (near.upper, far.upper))
                )
                yield replace(far, reference=near.reference, lower=beginning(lower), upper=milliseconds(upper))
