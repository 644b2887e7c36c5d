"""Making a divergent case small: edits that each leave something out or make it plainer, as long as the case diverges.

The tree and the trace are edited themselves, not what was drawn for them: so a case of any origin can be reduced, the
result does not depend on the version of hypothesis, and few attempts are needed, each of which costs a timeout if the
engine hangs. An edit that gives no valid program and trace is passed over; none is accepted that does not lighten the
case, so the reduction ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise

from conformance.fuzz import program_edits, renaming, trace_edits
from conformance.fuzz.cases import Case
from semantics.events.event import Event, TraceItem
from semantics.syntax import ast

Weight = tuple[int, ...]
Edit = Callable[[Case], Iterator[Case]]

EDITS: tuple[Edit, ...] = (
    program_edits.without_rules,
    trace_edits.without_items,
    program_edits.without_patterns,
    program_edits.without_parts,
    program_edits.without_slots,
    program_edits.with_fewer_templates,
    program_edits.with_plainer_expressions,
    trace_edits.with_plainer_attributes,
    trace_edits.from_fewer_sources,
    trace_edits.with_plainer_times,
    trace_edits.in_time_order,
    program_edits.with_plainer_windows,
)
"""From bold to fine; all are tried again until none helps."""


def reduced(case: Case, diverges: Callable[[Case], bool], going_on: Callable[[], bool] = lambda: True) -> Case:
    """The lightest case found that still diverges; `going_on` may end the search at any time."""
    tried: set[str] = set()
    helped = True
    while helped:
        helped = False
        for edit in EDITS:
            while (lighter := _first(edit(case), weight(case), tried, diverges, going_on)) is not None:
                case, helped = lighter, True
    plain = renamed(case)
    return plain if going_on() and diverges(plain) else case


def _first(
    candidates: Iterator[Case],
    limit: Weight,
    tried: set[str],
    diverges: Callable[[Case], bool],
    going_on: Callable[[], bool],
) -> Case | None:
    for candidate in candidates:
        if not going_on():
            return None
        if weight(candidate) >= limit or (text := str(candidate)) in tried:
            continue
        tried.add(text)
        if diverges(candidate):
            return candidate
    return None


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


def renamed(case: Case) -> Case:
    """The case with names as a person would give them: events a1, b2, … in order of arrival, sources s1, s2, …"""
    case = renaming.renamed(case)
    sources = {name: f"s{number}" for number, name in enumerate(dict.fromkeys(i.source for i in case.items), 1)}
    items: list[TraceItem] = []
    for number, item in enumerate(case.items, 1):
        if isinstance(item, Event):
            item = replace(item, id=f"{item.template.lower()}{number}")
        items.append(replace(item, source=sources[item.source]))
    return replace(case, items=tuple(items))
