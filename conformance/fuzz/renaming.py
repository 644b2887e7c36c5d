"""Plain names for what is left of a program, once it is small."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from conformance.fuzz.cases import Case
from semantics.syntax import ast


def renamed(case: Case) -> Case:
    """With names as a person would give them: rules R, R2; templates and variables in the order of the alphabet."""
    names: dict[str, str] = {}
    for rule in case.rules:
        for template in (*(p.template for p in rule.patterns), *(e.template for e in rule.emissions)):
            names.setdefault(template, chr(ord("A") + len(names)))
    for item in case.items:
        names.setdefault(item.template, chr(ord("A") + len(names)))
    declarations: list[ast.Declaration] = []
    for declaration in case.program.declarations:
        if isinstance(declaration, ast.Template) and declaration.name in names:
            declarations.append(replace(declaration, name=names[declaration.name]))
    declarations.sort(key=lambda each: each.name if isinstance(each, ast.Template) else "")
    for number, rule in enumerate(case.rules, 1):
        declarations.append(_renamed(rule, "R" if number == 1 else f"R{number}", names))
    items = tuple(replace(item, template=names[item.template]) for item in case.items)
    return Case(ast.SourceProgram(tuple(declarations)), items)


def _renamed(rule: ast.Rule, name: str, templates: Mapping[str, str]) -> ast.Rule:
    variables = {pattern.variable: chr(ord("a") + index) for index, pattern in enumerate(rule.patterns)}
    patterns = tuple(
        replace(
            p,
            variable=variables[p.variable],
            template=templates[p.template],
            conditions=tuple(_in_other_names(c, variables) for c in p.conditions),
        )
        for p in rule.patterns
    )
    constraints = tuple(
        replace(c, subject=variables[c.subject], reference=variables[c.reference]) for c in rule.constraints
    )
    emissions = tuple(
        replace(
            e,
            template=templates[e.template],
            at=_in_other_names(e.at, variables),
            assignments=tuple(replace(a, value=_in_other_names(a.value, variables)) for a in e.assignments),
        )
        for e in rule.emissions
    )
    return replace(rule, name=name, patterns=patterns, constraints=constraints, emissions=emissions)


def _in_other_names(expression: ast.Expression, variables: Mapping[str, str]) -> ast.Expression:
    match expression:
        case ast.Reference(variable):
            return expression if variable is None else replace(expression, variable=variables[variable])
        case ast.Negate(operand):
            return replace(expression, operand=_in_other_names(operand, variables))
        case ast.Binary(_, left, right):
            one, other = _in_other_names(left, variables), _in_other_names(right, variables)
            return replace(expression, left=one, right=other)
        case ast.Call(_, arguments):
            return replace(expression, arguments=tuple(_in_other_names(a, variables) for a in arguments))
        case _:
            return expression
