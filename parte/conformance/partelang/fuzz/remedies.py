"""Alterations of a case of PARTElang, each of which takes away one thing that engines get wrong.

They leave the rest as it is: what joined still joins, and what defeated still defeats, wherever that can be. So if an
engine is right about the altered case, what was taken away has part in the cause (`parte.conformance.fuzz.causes`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from parte.conformance.fuzz.variation import all_in_order
from parte.conformance.partelang.drawing import milliseconds
from parte.conformance.partelang.fuzz.cases import Case
from parte.conformance.partelang.fuzz.mending import without_pattern
from parte.semantics.partelang.syntax import ast


def _windowed(case: Case, window: Callable[[int, int], tuple[int, int]]) -> ast.SourceProgram:
    """The program with other windows, made of the lower and the upper end."""

    def changed(node: ast.Node) -> ast.Node:
        if not isinstance(node, ast.Constraint):
            return node
        lower, upper = window(node.lower.milliseconds, node.upper.milliseconds)
        return replace(node, lower=milliseconds(lower), upper=milliseconds(upper))

    return ast.NODES.mapped(case.program, changed)


def off_the_ends(case: Case) -> Case:
    """All times and windows ten times as long, and windows a little longer still: no event lies at an end of one."""
    items = tuple(replace(item, timestamp=10 * item.timestamp) for item in case.items)
    return Case(_windowed(case, lambda lower, upper: (10 * lower - 4, 10 * upper + 4)), items)


def at_different_times(case: Case) -> Case:
    """The same, and no two events at one time: of those that were, the first to arrive is the earliest."""
    apart = 2 * len(case.items) + 2
    items = tuple(replace(item, timestamp=apart * item.timestamp + n) for n, item in enumerate(case.items))
    half = apart // 2
    return Case(_windowed(case, lambda lower, upper: (apart * lower - half, apart * upper + half)), items)


def in_order(case: Case) -> Case:
    """From one source, in order of time, without promises."""
    items = tuple(sorted(case.items, key=lambda item: item.timestamp))
    return replace(case, items=all_in_order(tuple(replace(item, source="s1") for item in items)))


def both_ways(case: Case) -> Case:
    """Every window as long backwards as forwards: no event is needed for less time than what it may meet."""
    return replace(case, program=_windowed(case, lambda low, up: (min(low, -up), max(up, -low))))


def one_window(case: Case) -> Case:
    """With one window, their intersection, in the place of several between two patterns.

    If it is empty, nothing can defeat: then without the negated pattern.
    """
    program = case.program
    for rule in case.rules:
        changed = _with_one_window(rule)
        program = ast.NODES.exchanged(program, rule, changed)
    return replace(case, program=program)


def _with_one_window(rule: ast.Rule) -> ast.Rule:
    kept: dict[frozenset[str], ast.Constraint] = {}
    for each in rule.constraints:
        pair = frozenset({each.subject, each.reference})
        other = kept.get(pair)
        if other is None:
            kept[pair] = each
            continue
        low, up = each.lower.milliseconds, each.upper.milliseconds
        if each.subject != other.subject:
            low, up = -up, -low
        low, up = max(low, other.lower.milliseconds), min(up, other.upper.milliseconds)
        kept[pair] = replace(other, lower=milliseconds(low), upper=milliseconds(up))
    result = replace(rule, constraints=tuple(kept.values()))
    negated = {pattern.variable: pattern for pattern in rule.patterns if pattern.negated}
    for each in kept.values():
        pattern = negated.get(each.subject, negated.get(each.reference))
        if pattern is not None and each.lower.milliseconds > each.upper.milliseconds:
            result = without_pattern(result, pattern)
    return result


REMEDIES: dict[str, Callable[[Case], Case]] = {
    "no event lies at the end of a window": off_the_ends,
    "all events are at different times": at_different_times,
    "all comes in order from one source": in_order,
    "windows are as long backwards as forwards": both_ways,
    "one window relates two patterns": one_window,
}
"""What is so of the altered case, and what makes it so."""
