"""The canonical layout of a program (specification: canonical-layout): parsing the printed text gives an equal tree.

A program is printed as lines, each with its origin in the source; `comments.py` puts the comments back between and
after them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import assert_never

from parte.semantics.events.duration import unit_name
from parte.semantics.events.timestamps import timestamp_text
from parte.semantics.partelang.syntax import ast, core
from parte.semantics.partelang.syntax.source_form import written
from parte.semantics.source.comments import Line, with_comments
from parte.semantics.source.spans import Position, Span

_INDENT = "    "

# Precedence of operators; comparisons do not associate, the others associate to the left.
_OR, _AND, _NOT, _COMPARISON, _SUM, _PRODUCT, _UNARY = range(7)
_STRENGTH = {
    ast.BinaryOperator.ADD: _SUM,
    ast.BinaryOperator.SUBTRACT: _SUM,
    ast.BinaryOperator.MULTIPLY: _PRODUCT,
    ast.BinaryOperator.DIVIDE: _PRODUCT,
}


def print_program(source: ast.SourceProgram) -> str:
    """Return the text of a program in canonical layout, with its comments."""
    lines = [Line(f"level {source.level}", source.level_span.start)] if source.level > 1 else []
    if source.imports:
        lines.append(Line("", None))
    lines += [Line(f"import {_literal(item.path)}", item.span.start) for item in source.imports]
    previous: ast.Declaration | None = None
    for declaration in source.declarations:
        if lines and (previous is None or not _belong_together(previous, declaration)):
            lines.append(Line("", None))
        lines.extend(_declaration(declaration))
        previous = declaration
    return "".join(f"{line}\n" for line in with_comments(lines, source.comments))


def _belong_together(first: ast.Declaration, second: ast.Declaration) -> bool:
    return type(first) is type(second) and isinstance(first, ast.TypeAlias | ast.Predicate)


# --- Expressions -----------------------------------------------------------------------------------------------------


def print_expression(expression: ast.Expression) -> str:
    """Return an expression with as few parentheses as possible."""
    return _operand(expression, _OR)


def expression_text(expression: core.Expression, own: str = "") -> str:
    """Return an elaborated expression in PARTElang; attributes of the variable `own` have no prefix."""
    return print_expression(written(expression, own))


def _operand(node: ast.Expression, strength: int) -> str:
    """Return an expression in a place where operators weaker than `strength` need parentheses."""
    match node:
        case ast.Literal(value=value):
            return _literal(value)
        case ast.Duration():
            return print_duration(node)
        case ast.Timestamp(milliseconds=milliseconds):
            return f"@{timestamp_text(milliseconds)}"
        case ast.Reference(variable=None, attribute=attribute):
            return attribute
        case ast.Reference(variable=variable, attribute=attribute):
            return f"{variable}.{attribute}"
        case ast.Call(name=name, arguments=arguments, distinct=distinct):
            listed = ", ".join(print_expression(argument) for argument in arguments)
            return f"{name}({'distinct ' if distinct else ''}{listed})"
        case ast.Negate(operand=operand):
            inner = _operand(operand, _UNARY)
            # A sign directly before a number would belong to the number.
            return f"-({inner})" if inner[0].isdigit() else f"-{inner}"
        case ast.Binary(operator=operator, left=left, right=right):
            own = _STRENGTH.get(operator, _COMPARISON)
            left_strength = own if own != _COMPARISON else _SUM
            text = f"{_operand(left, left_strength)} {operator.value} {_operand(right, own + 1)}"
            return f"({text})" if own < strength else text
        case ast.Compound(connective=connective, operands=operands):
            own = _OR if connective is ast.Connective.OR else _AND
            text = f" {connective.value} ".join(_operand(part, own + 1) for part in operands)
            return f"({text})" if own < strength else text
        case ast.Not(operand=operand):
            text = f"not {_operand(operand, _NOT)}"
            return f"({text})" if strength > _NOT else text
        case ast.Membership(member=member, candidates=candidates):
            text = f"{_operand(member, _SUM)} in ({', '.join(map(print_expression, candidates))})"
            return f"({text})" if strength > _COMPARISON else text
        case ast.Presence(operand=operand, present=present):
            text = f"{_operand(operand, _SUM)} is {'present' if present else 'missing'}"
            return f"({text})" if strength > _COMPARISON else text
        case _:
            assert_never(node)


def _literal(value: float | str | bool) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return json.dumps(value, ensure_ascii=False)
        case int() | float():
            return repr(value)
        case _:
            assert_never(value)


def print_duration(duration: ast.Duration) -> str:
    """Return a duration, with the unit in singular or plural."""
    name = unit_name(duration.unit)
    singular = abs(duration.amount) == 1 and duration.unit is not ast.Unit.MILLISECONDS
    return f"{duration.amount} {name.removesuffix('s') if singular else name}"


def print_type(type_: ast.TypeExpression) -> str:
    """Return a type expression."""
    if isinstance(type_, ast.NamedType):
        return type_.name
    return f"[{type_.element.name}; {type_.capacity}]"


# --- Declarations ----------------------------------------------------------------------------------------------------


def _declaration(node: ast.Declaration) -> Iterator[Line]:
    match node:
        case ast.TypeAlias():
            yield Line(f"type {node.name} = {print_type(node.target)}", node.span.start)
        case ast.Predicate():
            parameters = ", ".join(print_type(parameter) for parameter in node.parameters)
            yield Line(f"predicate {node.name}({parameters})", node.span.start)
        case ast.Template():
            slots = [(slot.name, f"{print_type(slot.type)}{'?' * slot.optional}", slot.span) for slot in node.slots]
            yield from _block(f"template {node.name}", _aligned(slots, ":"), "", node.span)
        case ast.NamedPattern():
            inputs = ", ".join(f"{part.name} : {print_type(part.type)}" for part in node.parameters)
            head = f"pattern {node.name}{f'({inputs})' * bool(inputs)}"
            exported = f" exports {', '.join(export.name for export in node.exports)}" if node.exports else ""
            yield Line(f"{head}{exported} where", node.span.start)
            yield from _clauses(node.body)
            end = node.span.end
            yield Line("end", Position(end.line, max(1, end.column - 1)), closes=True)
        case ast.Rule():
            yield Line(f"rule {node.name} where", node.span.start)
            yield from _clauses(node)


def print_use(use: ast.Use) -> str:
    """Return the use of a named pattern."""
    arguments = ", ".join(map(print_expression, use.arguments))
    return f"use {use.pattern}{f'({arguments})' * bool(arguments)} as {use.name}"


def _uses(rule: ast.Rule, place: int) -> Iterator[Line]:
    for use in rule.uses:
        if use.place == place:
            yield Line(f"{_INDENT}{print_use(use)},", use.span.start)


def _clauses(rule: ast.Rule) -> Iterator[Line]:
    for place, pattern in enumerate(rule.patterns):
        yield from _uses(rule, place)
        word = "no " if pattern.negated else "all " if pattern.collected else ""
        if pattern.selection is not None:
            word = f"{pattern.selection.value} "
        word += "either " * bool(pattern.alternatives)
        choices = pattern.choices
        for number, choice in enumerate(choices, 1):
            comma = "," if number == len(choices) else ""
            head = f"{_INDENT}{word}{pattern.variable} : {choice.template}"
            if choice.conditions:
                conditions = [(print_expression(condition), condition.span.start) for condition in choice.conditions]
                yield from _block(head, conditions, _INDENT, choice.span, comma)
            else:
                yield Line(f"{head}{comma}", choice.span.start)
            word = "or "
    yield from _uses(rule, len(rule.patterns))
    if rule.constraints:
        yield Line("when", rule.when_span.start)
    for constraint in rule.constraints:
        yield Line(f"{_INDENT}{print_constraint(constraint)},", constraint.span.start)
    if rule.having:
        yield Line("having", rule.having_span.start)
    for condition in rule.having:
        yield Line(f"{_INDENT}{print_expression(condition)},", condition.span.start)
    if rule.emissions:
        yield Line("then", rule.then_span.start)
    for emission in rule.emissions:
        yield from _emission(emission)


def print_constraint(constraint: ast.Constraint) -> str:
    """Return a temporal constraint."""
    left, right = "(" if constraint.open_lower else "[", ")" if constraint.open_upper else "]"
    bounds = f"{left}{_end(constraint.lower)}, {_end(constraint.upper)}{right}"
    return f"{'no ' if constraint.negated else ''}{constraint.subject} in {constraint.reference} {bounds}"


def _end(end: ast.Duration | ast.Ever) -> str:
    return print_duration(end) if isinstance(end, ast.Duration) else "-ever" if end.negative else "ever"


def _emission(emission: ast.Emission) -> Iterator[Line]:
    inner = _INDENT * 2
    yield Line(f"{_INDENT}emit {emission.template}", emission.span.start)
    yield Line(f"{inner}at {print_expression(emission.at)}", emission.at.span.start)
    assignments = [(item.attribute, print_expression(item.value), item.span) for item in emission.assignments]
    yield from _block(f"{inner}with", _aligned(assignments, "="), inner, emission.with_span)
    if emission.once is not None:
        yield Line(f"{inner}{print_suppression(emission.once)}", emission.once.span.start)


def print_suppression(suppression: ast.Suppression) -> str:
    """Return a suppression."""
    keys = ", ".join(key.attribute for key in suppression.keys)
    return f"once {f'per ({keys}) ' if keys else ''}in {print_duration(suppression.duration)}"


def _aligned(pairs: Sequence[tuple[str, str, Span]], sign: str) -> list[tuple[str, Position]]:
    width = max((len(name) for name, _, _ in pairs), default=0)
    return [(f"{name:{width}} {sign} {value}", span.start) for name, value, span in pairs]


def _block(
    head: str, items: Iterable[tuple[str, Position]], indent: str, span: Span, comma: str = ""
) -> Iterator[Line]:
    """Return a head and items in braces, each on its own line."""
    lines = [Line(f"{indent}{_INDENT}{text},", start) for text, start in items]
    if not lines:
        yield Line(f"{head} {{}}{comma}", span.start)
        return
    yield Line(f"{head} {{", span.start)
    yield from lines
    end = span.end
    # The closing brace is the last character of the span.
    yield Line(f"{indent}}}{comma}", Position(end.line, max(1, end.column - 1)), closes=True)
