"""The types of expressions in PARTElang, by their places."""

from __future__ import annotations

from collections.abc import Iterator

from parte.semantics.events.values import type_name
from parte.semantics.partelang.syntax import core
from parte.semantics.source.spans import NOWHERE, Position


def type_at(program: core.Program, place: Position) -> str:
    """Return the type of the smallest expression at a place, as a program writes it; "" if there is none.

    A conversion is not counted, because it has the place of its operand.
    """
    smallest: core.Expression | None = None
    for expression in _expressions(program):
        span = expression.span
        here = span != NOWHERE and span.file == program.source.file and span.start <= place <= span.end
        if not here or isinstance(expression, core.ToFloat):
            continue
        if smallest is None or (span.start >= smallest.span.start and span.end <= smallest.span.end):
            smallest = expression
    if smallest is None:
        return ""
    optional = isinstance(smallest, core.AttributeOf) and smallest.optional
    return f"{type_name(core.type_of(smallest))}{'?' * optional}"


def _expressions(program: core.Program) -> Iterator[core.Expression]:
    for rule in program.rules:
        roots = [condition for pattern in rule.patterns for condition in pattern.conditions]
        roots += rule.having
        roots += [assignment.value for emission in rule.emissions for assignment in emission.assignments]
        for root in roots:
            yield from core.EXPRESSIONS.within(root)
