"""What makes a case hard to read: what its reduction lessens."""

from __future__ import annotations

from itertools import pairwise

from parte.conformance.fuzz import trace_edits
from parte.conformance.fuzz.cases import Weight
from parte.conformance.partelang.fuzz import program_edits
from parte.conformance.partelang.fuzz.cases import Case
from parte.semantics.events.event import Event
from parte.semantics.partelang.syntax import ast


def weight(case: Case) -> Weight:
    """What makes a case hard to read, the worst first."""
    patterns, events, promises = case.size
    parts = 0
    ends = 0
    for rule in case.rules:
        parts += len(rule.constraints) + 3 * len(rule.emissions) + sum(len(p.conditions) for p in rule.patterns)
        for constraint in rule.constraints:
            lower, upper = constraint.lower.milliseconds, constraint.upper.milliseconds
            ends += abs(lower) + abs(upper) + 2 * (upper - lower)
    slots = sum(len(item.slots) for item in case.program.declarations if isinstance(item, ast.Template))
    times = [item.timestamp for item in case.items]
    templates = {item.template for item in case.items} | {p.template for rule in case.rules for p in rule.patterns}
    occurred = [item for item in case.items if isinstance(item, Event)]
    return (
        patterns + events + promises,
        len(case.rules),
        parts,
        slots,
        len(templates),
        len({item.source for item in case.items}),
        sum(map(program_edits.difficulty, case.rules)),
        sum(trace_edits.difficulty(value) for event in occurred for value in event.attributes.values()),
        sum(earlier > later for earlier, later in pairwise(times)),
        ends + sum(time if time >= 0 else 10 - time for time in times),
    )
