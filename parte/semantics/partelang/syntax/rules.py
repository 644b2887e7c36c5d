"""Rules: patterns, constraints and emissions (specification: patterns, emissions, assignments; D §4.2.2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from types import MappingProxyType

from parte.semantics.partelang.syntax import ast, core
from parte.semantics.partelang.syntax.alternatives import cases_of, check_positive, common, merged, with_optional
from parte.semantics.partelang.syntax.declarations import LIST, Declarations, Schema, name_span
from parte.semantics.partelang.syntax.endless import check_endless
from parte.semantics.partelang.syntax.expressions import (
    elaborate_argument,
    elaborate_condition,
    elaborate_expression,
    elaborate_value,
)
from parte.semantics.partelang.syntax.limits import MAX_PATTERNS
from parte.semantics.partelang.syntax.reuse import RELATED_OUTSIDE, Expanded, NamedPatterns
from parte.semantics.partelang.syntax.scope import Scope, Variable
from parte.semantics.partelang.syntax.selections import with_selections
from parte.semantics.partelang.syntax.suppression import elaborate_suppression
from parte.semantics.partelang.syntax.timestamps import elaborate_timestamp
from parte.semantics.partelang.syntax.windows import elaborate_constraints
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.spans import Span

_LISTED = 12
"""Maximum number of names listed in one message."""


def check_patterns(patterns: NamedPatterns, declarations: Declarations, reporter: Reporter) -> None:
    """Report the errors of named patterns by themselves. Those without errors may be put in."""
    for item in patterns.in_order():
        errors = reporter.errors
        types = dict(zip((part.name for part in item.parameters), declarations.patterns[item.name], strict=True))
        patterns.check(item)
        expanded = patterns.expand(item.body, types)
        if expanded is not None and reporter.errors == errors:
            # A parameter has a value of its type, about which nothing more is known.
            values = {
                name: None if type_ is None else core.AttributeOf(" ", name, type_) for name, type_ in types.items()
            }
            with reporter.without(RELATED_OUTSIDE):
                elaborate_rule(expanded, declarations, reporter, values)
        if expanded is None or reporter.errors > errors:
            patterns.wrong.add(item.name)
        else:
            patterns.admit(item)


def elaborate_rule(
    expanded: Expanded,
    declarations: Declarations,
    reporter: Reporter,
    parameters: Mapping[str, core.Expression | None] = MappingProxyType({}),
) -> tuple[core.Rule, ...]:
    """Return the cases of the rule, with names resolved. All errors are reported; after one the result is useless.

    `parameters` are the values of those that stand in the rule, beside those that uses give.
    """
    rule = expanded.rule
    if not rule.patterns:
        message = f"the rule `{rule.name}` has no patterns"
        reporter.report("no-patterns", rule.name_span, message, "write at least one: `variable : Template { … }`")
    elif rule.patterns[0].negated:
        message = "the first pattern of a rule must be positive"
        hint = "begin with an event that triggers the rule, and move the `no` pattern after it"
        reporter.report("first-pattern-negated", rule.patterns[0].span, message, hint)
    elif rule.patterns[0].collected:
        message = "the first pattern of a rule must bind an event, not a set"
        hint = "begin with an event that triggers the rule, and move the `all` pattern after it"
        reporter.report("first-pattern-set", rule.patterns[0].span, message, hint)
    elif (selection := rule.patterns[0].selection) is not None:
        message = f"the first pattern of a rule must not begin with `{selection.value}`"
        hint = "begin with the event from which the time to this one is measured"
        reporter.report("first-pattern-selection", rule.patterns[0].span, message, hint)
    if len(rule.patterns) > MAX_PATTERNS:
        message = f"the rule `{rule.name}` has {len(rule.patterns)} patterns; at most {MAX_PATTERNS} are allowed"
        reporter.report("too-many-patterns", rule.patterns[MAX_PATTERNS].span, message, "split the rule")
        return (core.Rule(rule.name, (), (), (), span=rule.span),)
    bound = _variables(rule, declarations, reporter)
    variables: dict[str, Variable] = {}
    for variable in bound:
        variables.setdefault(variable.name, variable)
    known_types = dict(parameters)
    after = Scope(variables, None, declarations, reporter, parameters=known_types)
    for argument in expanded.arguments:
        earlier = {name: variable for name, variable in variables.items() if variable.position < argument.before}
        known_types[argument.name] = elaborate_argument(
            argument.value, argument.type, replace(after, variables=earlier, condition=True)
        )
    choices = {here.name: merged(_patterns(here, after)) for here in bound}
    patterns = tuple(choices[here.name][0] for here in bound)
    constraints = elaborate_constraints(rule, variables, reporter)
    emissions = tuple([_emission(emission, after) for emission in rule.emissions])
    within = replace(after, condition=True)
    having = _flattened([elaborate_condition(condition, within) for condition in rule.having])
    sets = {variable.name for variable in bound if variable.collected}
    elaborated = core.Rule(
        rule.name,
        patterns,
        constraints,
        tuple([emission for emission in emissions if emission is not None]),
        tuple(condition for condition in having if core.variables_of(condition) & sets),
        span=rule.span,
    )
    check_endless(elaborated, reporter)
    selected = with_selections(elaborated, rule, reporter)
    # What `having` requires has no part in a selection.
    late = [condition for condition in having if not core.variables_of(condition) & sets]
    whole = replace(selected, patterns=_with_conditions(selected.patterns, late))
    cases = cases_of(whole, choices, rule, reporter)
    return (
        cases if len(cases) == 1 or reporter.failed else tuple(with_optional(c, declarations.templates) for c in cases)
    )


def _variables(rule: ast.Rule, declarations: Declarations, reporter: Reporter) -> list[Variable]:
    variables: list[Variable] = []
    seen = set[str]()
    for position, pattern in enumerate(rule.patterns):
        if pattern.variable in seen:
            message = f"the variable `{pattern.variable}` is bound by an earlier pattern already"
            reporter.report("duplicate-name", pattern.variable_span, message, "choose another name")
        seen.add(pattern.variable)
        check_positive(pattern, reporter)
        schemas = tuple(
            [
                _find_template(choice.template, choice.template_span, declarations, reporter)
                for choice in pattern.choices
            ]
        )
        schema = common(schemas) if pattern.alternatives else schemas[0]
        variables.append(Variable(pattern.variable, position, pattern.negated, schema, pattern, schemas))
    return variables


def _find_template(name: str, span: Span, declarations: Declarations, reporter: Reporter) -> Schema | None:
    declarations.used.add(name)
    schema = declarations.templates.get(name)
    if schema is None:
        hint = reporter.suggestion(name, declarations.templates, f"declare it: `template {name} {{ … }}`")
        reporter.report("unknown-template", span, f"there is no template called `{name}`", hint)
    return schema


def _patterns(here: Variable, after: Scope) -> list[core.Pattern]:
    """Return the alternatives of a pattern; a pattern without `either` is its only one."""
    node, patterns = here.pattern, list[core.Pattern]()
    for choice, schema in zip(node.choices, here.choices, strict=True):
        scope = replace(after, here=replace(here, schema=schema))
        valid = _flattened([elaborate_condition(condition, scope) for condition in choice.conditions])
        span = choice.span if node.alternatives else node.span
        patterns.append(core.Pattern(node.variable, choice.template, node.negated, valid, node.collected, span=span))
    return patterns


def _with_conditions(patterns: tuple[core.Pattern, ...], more: Sequence[core.Expression]) -> tuple[core.Pattern, ...]:
    """Return the patterns with conditions of `having` on no set, each in the last pattern whose variable it has."""
    if not more:
        return patterns
    added: list[list[core.Expression]] = [[] for _ in patterns]
    places = {pattern.variable: place for place, pattern in enumerate(patterns) if pattern.positive}
    for condition in more:
        added[max((places.get(name, 0) for name in core.variables_of(condition)), default=0)].append(condition)
    return tuple(
        replace(pattern, conditions=(*pattern.conditions, *conditions))
        for pattern, conditions in zip(patterns, added, strict=True)
    )


def _flattened(conditions: Iterable[core.Expression | None]) -> tuple[core.Expression, ...]:
    return tuple(chain.from_iterable(_parts(condition) for condition in conditions if condition is not None))


def _parts(condition: core.Expression) -> Iterator[core.Expression]:
    """Return the operands of `and`, so that conditions joined by it are the same as conditions in a list."""
    if isinstance(condition, core.Compound) and condition.connective == "and":
        for operand in condition.operands:
            yield from _parts(operand)
    else:
        yield condition


def _emission(node: ast.Emission, scope: Scope) -> core.Emission | None:
    schema = _find_template(node.template, node.template_span, scope.declarations, scope.reporter)
    at = elaborate_timestamp(node.at, scope)
    values: dict[str, core.Expression | None] = {}
    for assignment in node.assignments:
        span = name_span(assignment.span, assignment.attribute)
        if assignment.attribute in values:
            message = f"`{assignment.attribute}` has a value already"
            scope.reporter.report("duplicate-assignment", span, message, "remove one of the assignments")
            _value(assignment.value, None, scope)
            continue
        target = None if schema is None else schema.attributes.get(assignment.attribute)
        if schema is not None and assignment.attribute not in schema.attributes:
            otherwise = f"see the declaration of `{schema.template.name}`"
            hint = scope.reporter.suggestion(assignment.attribute, schema.attributes, otherwise)
            message = f"the template `{schema.template.name}` has no attribute `{assignment.attribute}`"
            scope.reporter.report("unknown-attribute", span, message, hint)
        values[assignment.attribute] = _value(assignment.value, target, scope)
    if schema is None:
        return None
    once = None if node.once is None else elaborate_suppression(node.once, schema, scope)
    # Templates may be large and emissions many: the time below depends on the named attributes only.
    missing = list(islice((name for name in schema.required if name not in values), _LISTED + 1))
    if missing:
        listed = ", ".join(f"`{name}`" for name in missing[:_LISTED]) + (", …" if len(missing) > _LISTED else "")
        message = f"no value is given to {listed} of `{schema.template.name}`"
        hint = f"add `{missing[0]} = …` to the assignments"
        scope.reporter.report("missing-assignment", node.template_span, message, hint)
        return None
    assignments = [
        core.Assignment(name, value, name in schema.optional)
        for name in sorted(values.keys() & schema.places.keys(), key=schema.places.__getitem__)
        if (value := values[name]) is not None
    ]
    return None if at is None else core.Emission(node.template, at, tuple(assignments), once, span=node.span)


def _value(node: ast.Expression, target: core.Type | None, scope: Scope) -> core.Expression | None:
    """Return a value for an attribute; without a target, only check it for errors."""
    if target is not None:
        return elaborate_value(node, target, scope)
    if isinstance(node, ast.Call) and node.name == LIST:
        for argument in node.arguments:
            elaborate_expression(argument, scope)
        return None
    return elaborate_expression(node, scope)
