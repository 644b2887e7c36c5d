"""Plain names for the rest of a program, once it is small."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from parte.conformance.partelang.fuzz.cases import Case
from parte.semantics.events.event import Event, TraceItem
from parte.semantics.partelang.syntax import ast


def renamed(case: Case) -> Case:
    """Return the case with names that a person would choose.

    Rules are called R, R2; templates and variables by the order of the alphabet; sources s1, s2; events a1, b2, …, by
    their template and place in the trace.
    """
    names: dict[str, str] = {}
    for rule in case.rules:
        for template in (*(t for p in rule.patterns for t in p.templates), *(e.template for e in rule.emissions)):
            names.setdefault(template, chr(ord("A") + len(names)))
    for item in case.items:
        names.setdefault(item.template, chr(ord("A") + len(names)))
    declarations: list[ast.Declaration] = []
    for declaration in case.program.declarations:
        if isinstance(declaration, ast.Template) and declaration.name in names:
            declarations.append(replace(declaration, name=names[declaration.name]))
    declarations.sort(key=lambda declared: declared.name if isinstance(declared, ast.Template) else "")
    for number, rule in enumerate(case.rules, 1):
        declarations.append(_renamed(rule, "R" if number == 1 else f"R{number}", names))
    sources = {name: f"s{number}" for number, name in enumerate(dict.fromkeys(i.source for i in case.items), 1)}
    items: list[TraceItem] = []
    for number, item in enumerate(case.items, 1):
        item = replace(item, template=names[item.template], source=sources[item.source])
        items.append(replace(item, id=f"{item.template.lower()}{number}") if isinstance(item, Event) else item)
    return Case(replace(case.program, declarations=tuple(declarations)), tuple(items))


def _renamed(rule: ast.Rule, name: str, templates: Mapping[str, str]) -> ast.Rule:
    variables = {pattern.variable: chr(ord("a") + index) for index, pattern in enumerate(rule.patterns)}

    def change_name(argument: ast.Expression) -> ast.Expression:
        if isinstance(argument, ast.Reference) and argument.variable is None and argument.attribute in variables:
            return replace(argument, attribute=variables[argument.attribute])
        return argument

    def change(node: ast.Node) -> ast.Node:
        match node:
            case ast.Reference(str(variable)):
                return replace(node, variable=variables[variable])
            case ast.Call():  # of a set, or of an event whose clock is read
                return replace(node, arguments=tuple(map(change_name, node.arguments)))
            case ast.Pattern(variable=variable, template=template):
                return replace(node, variable=variables[variable], template=templates[template])
            case ast.Alternative(template=template):
                return replace(node, template=templates[template])
            case ast.Constraint(subject=subject, reference=reference):
                return replace(node, subject=variables[subject], reference=variables[reference])
            case ast.Emission(template=template):
                return replace(node, template=templates[template])
            case ast.Rule():
                return replace(node, name=name)
            case _:
                return node

    return ast.NODES.mapped(rule, change)
