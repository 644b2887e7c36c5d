"""The places of the parts of a program in its source, and their text there."""

from __future__ import annotations

from dataclasses import dataclass

from parte.semantics.events.duration import duration_text
from parte.semantics.partelang.syntax import ast, core
from parte.semantics.source.reporting import Lines
from parte.semantics.source.spans import NOWHERE, Span


@dataclass(frozen=True, slots=True)
class RuleSource:
    """A rule with its syntax tree; None for a program that was not read from a text."""

    rule: core.Rule
    node: ast.Rule | None

    @property
    def name(self) -> str:
        """Return the name of the rule."""
        return self.rule.name

    @property
    def name_span(self) -> Span:
        """Return the span of the name after `rule`."""
        return self.rule.span if self.node is None else self.node.name_span

    def variable_span(self, variable: str) -> Span:
        """Return the span of the variable in its pattern."""
        for pattern in () if self.node is None else self.node.patterns:
            if pattern.variable == variable:
                return pattern.variable_span
        return next((pattern.span for pattern in self.rule.patterns if pattern.variable == variable), NOWHERE)

    def emitted_span(self, position: int) -> Span:
        """Return the span of the template in the emission at `position` (from 0)."""
        return self.rule.emissions[position].span if self.node is None else self.node.emissions[position].template_span

    def at_span(self, position: int) -> Span:
        """Return the span of the expression after `at` in the emission at `position` (from 0)."""
        return self.rule.emissions[position].at.span if self.node is None else self.node.emissions[position].at.span


class Sources:
    """The source of a program, with its lines and rules."""

    def __init__(self, program: core.Program) -> None:
        self.line = Lines(program.source.text, program.source.files)
        """Returns the line on which a span begins."""
        nodes = [item for item in program.source.declarations if isinstance(item, ast.Rule)]
        cases = list(core.cases_of(program.rules))
        known = len(nodes) == len(cases)
        self.rules = tuple(
            RuleSource(rule, nodes[number] if known and nodes[number].name == rule.reported else None)
            for number, rules in enumerate(cases)
            for rule in rules
        )


def interval_text(lower: int, upper: int) -> str:
    """Return an interval in the syntax of PARTElang."""
    return f"[{duration_text(lower)}, {duration_text(upper)}]"


def constraint_text(constraint: core.Constraint, rule: core.Rule) -> str:
    """Return a constraint of a rule in the syntax of PARTElang."""
    of_set = any(pattern.variable == constraint.subject for pattern in rule.collected)
    absent = "no " if constraint.negated and not of_set else ""
    return (
        f"{absent}{constraint.subject} in {constraint.reference} {interval_text(constraint.begins, constraint.upper)}"
    )
