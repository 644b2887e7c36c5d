"""Alterations of a case of PARTElang, each of which removes one thing that engines get wrong.

They keep the rest: events that joined still join, and events that defeated still defeat, where possible. So if an
engine answers the altered case correctly, the removed thing is part of the cause (`parte.conformance.fuzz.causes`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from parte.conformance.fuzz.variation import all_in_order
from parte.conformance.partelang.drawing import beginning, milliseconds
from parte.conformance.partelang.fuzz.cases import Case
from parte.conformance.partelang.fuzz.mending import without_pattern
from parte.semantics.partelang.syntax import ast


def _windowed(case: Case, window: Callable[[int, int], tuple[int, int]]) -> ast.SourceProgram:
    """Return the program with other windows, computed from the lower and the upper end; `-ever` stays."""

    def changed(node: ast.Node) -> ast.Node:
        if not isinstance(node, ast.Constraint):
            return node
        endless = isinstance(node.lower, ast.Ever)
        lower, upper = window(0 if endless else node.lower.milliseconds, node.upper.milliseconds)
        return replace(node, lower=node.lower if endless else milliseconds(lower), upper=milliseconds(upper))

    return ast.NODES.mapped(case.program, changed)


def off_the_ends(case: Case) -> Case:
    """Return the case with all times and windows ten times as long, and windows a little longer still, so that no event
    lies at an end of a window."""
    items = tuple(replace(item, timestamp=10 * item.timestamp) for item in case.items)
    return Case(_windowed(case, lambda lower, upper: (10 * lower - 4, 10 * upper + 4)), items)


def at_different_times(case: Case) -> Case:
    """Return the case with no two events at one time; of simultaneous events, the first to arrive is the earliest."""
    apart = 2 * len(case.items) + 2
    items = tuple(replace(item, timestamp=apart * item.timestamp + n) for n, item in enumerate(case.items))
    half = apart // 2
    return Case(_windowed(case, lambda lower, upper: (apart * lower - half, apart * upper + half)), items)


def in_order(case: Case) -> Case:
    """Return the case with one source, in order of time, without promises."""
    items = tuple(sorted(case.items, key=lambda item: item.timestamp))
    return replace(case, items=all_in_order(tuple(replace(item, source="s1") for item in items)))


def both_ways(case: Case) -> Case:
    """Return the case with every window as long backwards as forwards, so that no event is needed for less time than
    the events that it may join."""
    return replace(case, program=_windowed(case, lambda low, up: (min(low, -up), max(up, -low))))


def one_window(case: Case) -> Case:
    """Return the case with one window, their intersection, in the place of several between two patterns.

    If the intersection is empty, nothing can defeat: then the negated pattern is removed.
    """
    program = case.program
    for rule in case.rules:
        changed = _with_one_window(rule)
        program = ast.NODES.exchanged(program, rule, changed)
    return replace(case, program=program)


def _with_one_window(rule: ast.Rule) -> ast.Rule:
    merged: dict[frozenset[str], ast.Constraint] = {}
    for constraint in rule.constraints:
        pair = frozenset({constraint.subject, constraint.reference})
        earlier = merged.get(pair)
        if earlier is None:
            merged[pair] = constraint
            continue
        low, up = constraint.lower.milliseconds, constraint.upper.milliseconds
        if constraint.subject != earlier.subject:
            low, up = -up, -low
        low, up = max(low, earlier.lower.milliseconds), min(up, earlier.upper.milliseconds)
        merged[pair] = replace(earlier, lower=beginning(low), upper=milliseconds(up))
    result = replace(rule, constraints=tuple(merged.values()))
    negated = {pattern.variable: pattern for pattern in rule.patterns if pattern.negated or pattern.collected}
    for constraint in merged.values():
        pattern = negated.get(constraint.subject, negated.get(constraint.reference))
        if pattern is not None and constraint.lower.milliseconds > constraint.upper.milliseconds:
            result = without_pattern(result, pattern)
    return result


REMEDIES: dict[str, Callable[[Case], Case]] = {
    "no event lies at the end of a window": off_the_ends,
    "all events are at different times": at_different_times,
    "all comes in order from one source": in_order,
    "windows are as long backwards as forwards": both_ways,
    "one window relates two patterns": one_window,
}
"""The remedies by a sentence that is true of the altered case."""
