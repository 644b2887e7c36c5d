"""Cases for breadth: drawn from the strategies with fixed seeds, and kept when they bring something new.

Needs hypothesis. What is drawn depends on its version, so cases are drawn once and then kept as files.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from algebra.programs import run
from conformance.authoring.drafts import Draft
from conformance.fixtures import SUITE
from conformance.fuzz.cases import text_of
from conformance.strategies import ProgramShape, cases, drawn
from semantics.events.conformity import conform
from semantics.events.event import Event, TraceItem
from semantics.events.trace import trace_lines
from semantics.syntax import core

Case = tuple[core.Program, tuple[TraceItem, ...]]

SEEDS = {"small": 101, "joins": 202, "absences": 303, "wide": 404, "bare": 505}
_DRAWN = 250
_KEPT = 60

SHAPES = {
    "small": ProgramShape(patterns=2, rules=1),
    "joins": ProgramShape(patterns=3, rules=2, negation=False),
    "absences": ProgramShape(patterns=3, rules=1, strata=1, least_distance=-3, greatest_distance=5),
    "wide": ProgramShape(patterns=4, rules=3),
    "bare": ProgramShape(patterns=3, rules=2, conditions=False),
}


def drafts() -> Iterator[Draft]:
    """The cases of every shape; those that have files are not drawn again."""
    for name, shape in SHAPES.items():
        folder = SUITE / "breadth" / name
        if folder.is_dir():
            continue
        for number, (program, items) in enumerate(_chosen(name, shape), 1):
            yield Draft(
                f"breadth/{name}/{number:03}",
                f"Drawn at random ({name}): {_in_words(program, items)}",
                text_of(program.source, items).rstrip("\n").split("\n"),
                [json.loads(line) for line in trace_lines(items)],
                sections=("SPEC 4",),
                origin=f"conformance.authoring.breadth seed {SEEDS[name]}",
            )


def _chosen(name: str, shape: ProgramShape) -> list[Case]:
    """Of the cases drawn those with traits that none before them had, then others that match something."""
    chosen: list[Case] = []
    seen: set[object] = set()
    rest: list[Case] = []
    for case in drawn(cases(shape), SEEDS[name], _DRAWN):
        found = _traits(case)
        if not any(isinstance(item, Event) for item in case[1]):
            continue
        new = len(found - seen)
        seen |= found
        if new:
            chosen.append(case)
        elif ("matches", 0) not in found:
            rest.append(case)
    return (chosen + rest)[:_KEPT]


def _traits(case: Case) -> frozenset[object]:
    """What a case has, roughly, and pairs of it."""
    program, items = case
    outcome = run(program, conform(program, items), {}, "indexed")
    single: set[object] = {("matches", min(len(outcome.matches), 6)), ("failures", bool(outcome.failures))}
    events = [item for item in items if isinstance(item, Event)]
    single.add(("progress", len(events) < len(items)))
    single.add(("ties", len({event.timestamp for event in events}) < len(events)))
    single.add(("sources", len({event.source for event in events})))
    fired = {match.rule for match in outcome.matches}
    for rule in program.rules:
        shape = tuple(pattern.negated for pattern in rule.patterns)
        single.add(("shape", shape, rule.name in fired, len(rule.emissions)))
        for constraint in rule.constraints:
            signs = (constraint.lower > 0, constraint.lower < 0, constraint.upper < 0)
            single.add(("window", constraint.negated, signs, constraint.lower == constraint.upper))
    ordered = sorted(single, key=repr)
    return frozenset(ordered) | {(a, b) for a in ordered for b in ordered if repr(a) < repr(b)}


def _in_words(program: core.Program, items: tuple[TraceItem, ...]) -> str:
    events = sum(isinstance(item, Event) for item in items)
    patterns = [("no " if p.negated else "") + p.template for rule in program.rules for p in rule.patterns]
    return f"{len(program.rules)} rules over {', '.join(patterns)}; {events} events, {len(items) - events} promises"
