"""Rules: patterns, constraints and emissions (specification: patterns, emissions, assignments; D §4.2.2)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice

from parte.semantics.partelang.syntax import ast, core
from parte.semantics.partelang.syntax.declarations import LIST, Declarations, Schema, name_span
from parte.semantics.partelang.syntax.expressions import elaborate_condition, elaborate_expression, elaborate_value
from parte.semantics.partelang.syntax.limits import MAX_PATTERNS
from parte.semantics.partelang.syntax.scope import Scope, Variable
from parte.semantics.partelang.syntax.timestamps import elaborate_timestamp
from parte.semantics.partelang.syntax.windows import elaborate_constraints
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.spans import Span

_LISTED = 12
"""Maximum number of names listed in one message."""


def elaborate_rule(rule: ast.Rule, declarations: Declarations, reporter: Reporter) -> core.Rule:
    """Return the rule with its names resolved. All errors are reported; after an error the result is useless."""
    if not rule.patterns:
        message = f"the rule `{rule.name}` has no patterns"
        reporter.report("no-patterns", rule.name_span, message, "write at least one: `variable : Template { … }`")
    elif rule.patterns[0].negated:
        message = "the first pattern of a rule must be positive"
        hint = "begin with an event that triggers the rule, and move the `no` pattern after it"
        reporter.report("first-pattern-negated", rule.patterns[0].span, message, hint)
    if len(rule.patterns) > MAX_PATTERNS:
        message = f"the rule `{rule.name}` has {len(rule.patterns)} patterns; at most {MAX_PATTERNS} are allowed"
        reporter.report("too-many-patterns", rule.patterns[MAX_PATTERNS].span, message, "split the rule")
        return core.Rule(rule.name, (), (), (), span=rule.span)
    bound = _variables(rule, declarations, reporter)
    variables: dict[str, Variable] = {}
    for variable in bound:
        variables.setdefault(variable.name, variable)
    patterns = tuple(_pattern(here, Scope(variables, here, declarations, reporter)) for here in bound)
    constraints = elaborate_constraints(rule, variables, reporter)
    after = Scope(variables, None, declarations, reporter)
    emissions = tuple([_emission(emission, after) for emission in rule.emissions])
    return core.Rule(
        rule.name,
        patterns,
        constraints,
        tuple([emission for emission in emissions if emission is not None]),
        span=rule.span,
    )


def _variables(rule: ast.Rule, declarations: Declarations, reporter: Reporter) -> list[Variable]:
    variables: list[Variable] = []
    seen = set[str]()
    for position, pattern in enumerate(rule.patterns):
        if pattern.variable in seen:
            message = f"the variable `{pattern.variable}` is bound by an earlier pattern already"
            reporter.report("duplicate-name", pattern.variable_span, message, "choose another name")
        seen.add(pattern.variable)
        schema = _find_template(pattern.template, pattern.template_span, declarations, reporter)
        variables.append(Variable(pattern.variable, position, pattern.negated, schema, pattern))
    return variables


def _find_template(name: str, span: Span, declarations: Declarations, reporter: Reporter) -> Schema | None:
    declarations.used.add(name)
    schema = declarations.templates.get(name)
    if schema is None:
        hint = reporter.suggestion(name, declarations.templates, f"declare it: `template {name} {{ … }}`")
        reporter.report("unknown-template", span, f"there is no template called `{name}`", hint)
    return schema


def _pattern(here: Variable, scope: Scope) -> core.Pattern:
    node = here.pattern
    conditions = [elaborate_condition(condition, scope) for condition in node.conditions]
    valid = tuple(chain.from_iterable(_parts(condition) for condition in conditions if condition is not None))
    return core.Pattern(node.variable, node.template, node.negated, valid, span=node.span)


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
    # Templates may be large and emissions many: the time below depends on the named attributes only.
    missing = list(islice((name for name in schema.attributes if name not in values), _LISTED + 1))
    if missing:
        listed = ", ".join(f"`{name}`" for name in missing[:_LISTED]) + (", …" if len(missing) > _LISTED else "")
        message = f"no value is given to {listed} of `{schema.template.name}`"
        hint = f"add `{missing[0]} = …` to the assignments"
        scope.reporter.report("missing-assignment", node.template_span, message, hint)
        return None
    assignments = [
        core.Assignment(name, value) for name in schema.attributes if (value := values.get(name)) is not None
    ]
    return None if at is None else core.Emission(node.template, at, tuple(assignments), span=node.span)


def _value(node: ast.Expression, target: core.Type | None, scope: Scope) -> core.Expression | None:
    """Return a value for an attribute; without a target, only check it for errors."""
    if target is not None:
        return elaborate_value(node, target, scope)
    if isinstance(node, ast.Call) and node.name == LIST:
        for argument in node.arguments:
            elaborate_expression(argument, scope)
        return None
    return elaborate_expression(node, scope)
