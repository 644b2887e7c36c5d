"""Edits of a program, with the trace where it must follow, that may make a case smaller or plainer.

Whether the result is valid is not asked here: names that are left without a meaning make a program that is rejected.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from parte.conformance.fuzz.trace_edits import difficulty as value_difficulty
from parte.conformance.fuzz.trace_edits import plainer, towards_zero
from parte.conformance.partelang.fuzz.cases import Case
from parte.semantics.events.event import Event
from parte.semantics.partelang.syntax import ast

_NOTHING = ast.Literal(0)


def difficulty(rule: ast.Rule) -> int:
    """How much there is to read in the expressions of a rule."""
    parts = [condition for pattern in rule.patterns for condition in pattern.conditions]
    for emission in rule.emissions:
        parts += [emission.at, *(each.value for each in emission.assignments)]
    within = (node for part in parts for node in ast.NODES.within(part))
    return sum(map(_difficulty, within)) + sum(pattern.negated for pattern in rule.patterns)


def _difficulty(node: ast.Node) -> int:
    """How much there is to read in an expression, apart from its parts."""
    match node:
        case ast.Literal(value):
            return value_difficulty(value)
        case ast.Reference():
            return 15
        case ast.Binary(operator):
            return 20 + list(ast.BinaryOperator).index(operator)
        case ast.Duration(amount):
            return abs(amount)
        case _:
            return 20


# --- Leaving out ------------------------------------------------------------------------------------------------------


def without_rules(case: Case) -> Iterator[Case]:
    """Without one rule, the last first: rules are read by those after them."""
    for rule in reversed(case.rules):
        kept = tuple(item for item in case.program.declarations if item is not rule)
        yield replace(case, program=ast.SourceProgram(kept))


def without_patterns(case: Case) -> Iterator[Case]:
    """Without one pattern and what speaks of it; what was related through it is related directly, if it can be."""
    for rule in case.rules:
        for pattern in reversed(rule.patterns):
            yield _with(case, rule, without_pattern(rule, pattern))
            for bridged in _bridged(rule, pattern.variable):
                yield _with(case, rule, without_pattern(bridged, pattern))


def without_pattern(rule: ast.Rule, pattern: ast.Pattern) -> ast.Rule:
    """A rule without a pattern and what speaks of it."""
    name = pattern.variable
    return replace(
        rule,
        patterns=tuple(
            replace(other, conditions=tuple(c for c in other.conditions if name not in _variables(c)))
            for other in rule.patterns
            if other is not pattern
        ),
        constraints=tuple(c for c in rule.constraints if name not in (c.subject, c.reference)),
        emissions=tuple(
            replace(
                emission,
                assignments=tuple(
                    replace(each, value=_NOTHING) if name in _variables(each.value) else each
                    for each in emission.assignments
                ),
            )
            for emission in rule.emissions
            if name not in _variables(emission.at)
        ),
    )


def _bridged(rule: ast.Rule, name: str) -> Iterator[ast.Rule]:
    """The rule with a constraint in the place of two that meet in a variable."""
    for one in rule.constraints:
        for other in rule.constraints:
            if one.subject == name == other.reference and one.reference != other.subject and not one.negated:
                bridge = replace(
                    other,
                    reference=one.reference,
                    lower=_sum(one.lower, other.lower),
                    upper=_sum(one.upper, other.upper),
                )
                yield replace(rule, constraints=(*rule.constraints, bridge))


def _sum(one: ast.Duration, other: ast.Duration) -> ast.Duration:
    return milliseconds(one.milliseconds + other.milliseconds)


def milliseconds(amount: int) -> ast.Duration:
    """So many milliseconds."""
    return ast.Duration(amount, ast.Unit.MILLISECONDS)


def _variables(expression: ast.Expression) -> frozenset[str]:
    references = (node for node in ast.NODES.within(expression) if isinstance(node, ast.Reference))
    return frozenset(reference.variable for reference in references if reference.variable is not None)


def without_parts(case: Case) -> Iterator[Case]:
    """Without one emission, condition or constraint."""
    for rule in case.rules:
        for emission in rule.emissions:
            yield _with(case, rule, replace(rule, emissions=tuple(e for e in rule.emissions if e is not emission)))
        for pattern in rule.patterns:
            for condition in pattern.conditions:
                kept = tuple(c for c in pattern.conditions if c is not condition)
                yield _with(case, pattern, replace(pattern, conditions=kept))
        for constraint in rule.constraints:
            yield _with(
                case, rule, replace(rule, constraints=tuple(c for c in rule.constraints if c is not constraint))
            )


def without_slots(case: Case) -> Iterator[Case]:
    """Without one attribute, in all templates or in one."""
    templates = [item for item in case.program.declarations if isinstance(item, ast.Template)]
    for slot in dict.fromkeys(slot.name for template in templates for slot in template.slots):
        yield _without_slot(case, {template.name for template in templates}, slot)
        for template in templates:
            yield _without_slot(case, {template.name}, slot)


def _without_slot(case: Case, templates: set[str], slot: str) -> Case:
    def changed(node: ast.Node) -> ast.Node:
        if isinstance(node, ast.Template) and node.name in templates:
            return replace(node, slots=tuple(each for each in node.slots if each.name != slot))
        if isinstance(node, ast.Emission) and node.template in templates:
            return replace(node, assignments=tuple(each for each in node.assignments if each.attribute != slot))
        return node

    items = tuple(
        replace(item, attributes={name: value for name, value in item.attributes.items() if name != slot})
        if isinstance(item, Event) and item.template in templates
        else item
        for item in case.items
    )
    return Case(ast.NODES.mapped(case.program, changed), items)


# --- Plainer ----------------------------------------------------------------------------------------------------------


def with_fewer_templates(case: Case) -> Iterator[Case]:
    """With one template in the place of another."""
    names = [item.name for item in case.program.declarations if isinstance(item, ast.Template)]
    for gone in reversed(names):
        for kept in names[: names.index(gone)]:
            yield _retemplated(case, gone, kept)


def _retemplated(case: Case, gone: str, kept: str) -> Case:
    def changed(node: ast.Node) -> ast.Node:
        if isinstance(node, ast.Pattern | ast.Emission) and node.template == gone:
            return replace(node, template=kept)
        return node

    items = tuple(replace(item, template=kept) if item.template == gone else item for item in case.items)
    return Case(ast.NODES.mapped(case.program, changed), items)


def with_plainer_expressions(case: Case) -> Iterator[Case]:
    """With one expression plainer, or one negated pattern positive."""
    for rule in case.rules:
        for pattern in rule.patterns:
            if pattern.negated:
                yield _with(case, rule, _positive(rule, pattern))
            for condition in pattern.conditions:
                yield from (_with(case, condition, other) for other in _plainer(condition))
        for emission in rule.emissions:
            for variable in _variables(emission.at):
                yield _with(case, emission, replace(emission, at=ast.Reference(variable, "timestamp")))
            for each in emission.assignments:
                for other in (_NOTHING, *_plainer(each.value)):
                    yield _with(case, each, replace(each, value=other))


def _positive(rule: ast.Rule, pattern: ast.Pattern) -> ast.Rule:
    constraints = tuple(
        replace(c, negated=False) if pattern.variable in (c.subject, c.reference) else c for c in rule.constraints
    )
    return replace(ast.NODES.exchanged(rule, pattern, replace(pattern, negated=False)), constraints=constraints)


def _plainer(expression: ast.Expression) -> Iterator[ast.Expression]:
    match expression:
        case ast.Literal(value):
            yield from (ast.Literal(other) for other in plainer(value))
        case ast.Reference():
            yield from (ast.Literal(0), ast.Literal(0.0), ast.Literal(""), ast.Literal(False))
        case ast.Binary(operator, left, right):
            if operator.relational:
                yield replace(expression, operator=ast.BinaryOperator.EQUAL)
            else:
                yield from (left, right)
            for part in (left, right):
                yield from (ast.NODES.exchanged(expression, part, other) for other in _plainer(part))
        case ast.Call(_, arguments):
            yield from arguments


def with_plainer_windows(case: Case) -> Iterator[Case]:
    """With one window narrower or nearer to zero; the events that it relates, or those from some time on, follow it."""
    times = sorted({item.timestamp for item in case.items})[1:]
    for rule in case.rules:
        for constraint in rule.constraints:
            lower, upper = constraint.lower.milliseconds, constraint.upper.milliseconds
            templates = {pattern.variable: pattern.template for pattern in rule.patterns}
            for amount in dict.fromkeys((lower, upper, *(n for n in (1, -1) if lower * n > 0 or upper * n > 0))):
                nearer = _with_window(case, constraint, lower - amount, upper - amount)
                yield nearer
                yield _moved(nearer, templates[constraint.subject], -amount)
                yield _moved(nearer, templates[constraint.reference], amount)
                for time in times:
                    later = (
                        replace(i, timestamp=i.timestamp - abs(amount)) if i.timestamp >= time else i
                        for i in case.items
                    )
                    yield replace(nearer, items=tuple(later))
            for other in (*towards_zero(lower), upper, lower + 1):
                if other <= upper:
                    yield _with_window(case, constraint, other, upper)
            for other in (*towards_zero(upper), lower, upper - 1):
                if lower <= other:
                    yield _with_window(case, constraint, lower, other)


def _with_window(case: Case, constraint: ast.Constraint, lower: int, upper: int) -> Case:
    return _with(case, constraint, replace(constraint, lower=milliseconds(lower), upper=milliseconds(upper)))


def _moved(case: Case, template: str, by: int) -> Case:
    items = (replace(i, timestamp=i.timestamp + by) if i.template == template else i for i in case.items)
    return replace(case, items=tuple(items))


# --- Putting back -----------------------------------------------------------------------------------------------------


def _with(case: Case, node: ast.Node, other: ast.Node) -> Case:
    return replace(case, program=ast.NODES.exchanged(case.program, node, other))
