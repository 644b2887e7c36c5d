"""Selections `first v` and `last v` as negated patterns (specification: selections).

`first v : T { … }` is a positive pattern, and behind it the negated pattern of an earlier event, with the conditions of
`v` and its windows to the variables before it. Two events in a window of length d are at most d apart, so that the
windows of `v` bound the one event from the other too, and nothing that follows `v` takes part in the choice.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from parte.semantics.events.values import fits_integer
from parte.semantics.partelang.syntax import ast, core
from parte.semantics.source.reporting import Reporter


def with_selections(rule: core.Rule, source: ast.Rule, reporter: Reporter) -> core.Rule:
    """Return the rule with a negated pattern behind each pattern that selects; `source` is the rule as written."""
    if all(node.selection is None for node in source.patterns):
        return rule
    patterns: list[core.Pattern] = []
    constraints = list(rule.constraints)
    before: set[str] = set()
    for node, pattern in zip(source.patterns, rule.patterns, strict=True):
        patterns.append(pattern)
        if node.selection is not None:
            windows = list(_windows(pattern.variable, before, rule.constraints))
            span = min((window.upper - window.begins for window in windows), default=0)
            if not fits_integer(span) or not all(fits_integer(end) for w in windows for end in (w.begins, w.upper)):
                message = f"the windows of `{pattern.variable}` are too long to choose the {node.selection.value} event"
                hint = "a window of a selection, and its length, fit 64 bit in milliseconds: choose a shorter one"
                reporter.report("duration-out-of-range", node.variable_span, message, hint)
            elif span > 0:  # otherwise all events that may be bound are simultaneous
                hidden = _hidden(pattern, node.selection)
                patterns.append(hidden)
                apart = (-span, -1) if node.selection is ast.Selection.FIRST else (1, span)
                windows.append(core.Constraint("", pattern.variable, *apart, True, span=pattern.span))
                constraints.extend(_about(hidden.variable, window) for window in windows)
        if pattern.positive:
            before.add(pattern.variable)
    return replace(rule, patterns=tuple(patterns), constraints=tuple(constraints))


def _windows(variable: str, before: set[str], constraints: tuple[core.Constraint, ...]) -> Iterator[core.Constraint]:
    """Yield the windows of a variable to those before it, as constraints whose subject is the variable."""
    for constraint in constraints:
        subject, reference = constraint.subject, constraint.reference
        if subject == variable and reference in before:
            yield constraint
        elif reference == variable and subject in before:
            yield core.Constraint(variable, subject, -constraint.upper, -constraint.begins, False, span=constraint.span)


def _about(variable: str, window: core.Constraint) -> core.Constraint:
    return core.Constraint(variable, window.reference, window.lower, window.upper, True, span=window.span)


def _hidden(pattern: core.Pattern, selection: ast.Selection) -> core.Pattern:
    """Return the negated pattern that accepts the events that would be chosen instead."""
    # No variable of a source has a space in its name.
    name = f"{selection.value} {pattern.variable}"
    return core.Pattern(
        name,
        pattern.template,
        True,
        tuple(core.renamed(condition, {pattern.variable: name}) for condition in pattern.conditions),
        selects=core.Selection(pattern.variable, selection.value),
        span=pattern.span,
    )
