"""Common parts of findings about conditions: the places of demands, and hints for open questions."""

from __future__ import annotations

from collections.abc import Sequence

from parte.checker.partelang.prover import Decision
from parte.checker.partelang.rule_claims import condition_label, having_label, window_label
from parte.checker.partelang.sources import constraint_text
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.printer import expression_text
from parte.semantics.source.spans import Span


def to_decide(open_: Decision) -> str:
    """Return a hint: what may decide a question that the solver left open."""
    if open_.opaque:
        return f"run it to see: this depends on {' and '.join(open_.opaque)}, which the solver cannot read"
    if open_.texts:
        return f"allow more time by `--timeout`, or run it to see: this depends on {' and '.join(open_.texts)}"
    return "allow more time by `--timeout`, or simplify its arithmetic"


def demands(rule: core.Rule, labels: Sequence[str]) -> list[tuple[Span, str]]:
    """Return the places and texts of the conditions and windows behind labels, in the order of the labels."""
    by_label = {
        condition_label(pattern.variable, position): (condition.span, expression_text(condition))
        for pattern in rule.patterns
        for position, condition in enumerate(pattern.conditions)
    }
    for number, constraint in enumerate(rule.constraints):
        by_label[window_label(number)] = constraint.span, constraint_text(constraint, rule)
    for number, condition in enumerate(rule.having):
        by_label[having_label(number)] = condition.span, expression_text(condition)
    return [by_label[label] for label in labels if label in by_label]
