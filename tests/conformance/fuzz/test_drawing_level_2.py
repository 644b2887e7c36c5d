"""What drawn programs and traces of level 2 contain: every construct, alone and where one meets another."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import chain

from parte.algebra.partelang.aggregates import set_of
from parte.algebra.partelang.indexed import Indexes
from parte.algebra.partelang.programs import run
from parte.conformance.constructs import kinds, listed
from parte.conformance.fuzz.draw import seeded
from parte.conformance.partelang.strategies import ProgramShape, drawn_case
from parte.languages.partelang import PARTELANG
from parte.semantics.events.event import Event, TraceItem
from parte.semantics.partelang.syntax import ast, core, functions
from parte.semantics.partelang.syntax.endless import is_endless
from parte.semantics.partelang.syntax.json_form import program_to_json
from parte.semantics.source.text import TEXT

CASES = 1_000
LEAST = 3
"""In so many of the cases at least each of them stands."""

UNDRAWN = {"list", "predicate-call"}
"""Kinds of nodes that are not drawn: lists are of level 1, and predicates need a domain."""

OF_NUMBERS = {"min", "max", "avg", "sum", "abs"}
"""Functions of level 1, which drawn programs call as aggregates, or not at all."""

WANTED = {
    *(f"aggregate {name}" for name in ("exists", "count", "sum", "avg", "min", "max", "first", "last")),
    *("aggregate distinct", "aggregate of timestamps", "aggregate in having", "aggregate in with", "aggregate in at"),
    *("aggregate is", "aggregate in arithmetic", "aggregate compared with an aggregate"),
    *(f"call {name}" for name in functions.BUILT_IN if name not in OF_NUMBERS),
    *("clock in with", "function in with", "clock of a zone", "timestamp in having"),
    *("two sets", "set beside a negation", "set beside a selection", "set of the template of its event"),
    *("set of emitted events", "sets in two strata", "set in two windows"),
    *("endless set", "endless negation", "endless set with a key", "a beginning by another window"),
    *("first", "last", "selection of emitted events", "open beginning", "open end"),
    *(
        "use",
        "use with a constant",
        "use with an attribute",
        "use with a set",
        "use behind a pattern",
        "hidden variable",
    ),
    *("in", "compound in having", "not in having"),
    *("once without keys", "once by a key", "once by two keys", "once by an optional key", "once for the longest time"),
    *("once twice in a rule", "once of an aggregate", "optional left out"),
    *("ties", "no event", "out of order", "extremes in sums", "attribute missing everywhere"),
    *("empty set in a match", "set of several in a match", "failed", "suppressed", "suppressed without its key"),
    *("emitted without an attribute", "match over two strata", "two first events", "sum beyond 64 bit"),
}


def of_rule(rule: core.Rule, program: core.Program) -> Iterator[str]:
    """What a rule has of level 2, as it is elaborated."""
    optional = {t.name: {slot.name for slot in t.attributes if slot.optional} for t in program.templates}
    emitted = {emission.template for rule in program.rules for emission in rule.emissions}
    selections = [pattern.selects for pattern in rule.patterns if pattern.selects is not None]
    templates = {pattern.variable: pattern.template for pattern in rule.patterns}
    yield from (selection.event for selection in selections)
    facts = {
        "two sets": len(rule.collected) > 1,
        "set beside a negation": bool(rule.collected) and any(p.negated and not p.selects for p in rule.patterns),
        "set beside a selection": bool(rule.collected and selections),
        "selection of emitted events": any(templates[selection.variable] in emitted for selection in selections),
        "set of emitted events": any(pattern.template in emitted for pattern in rule.collected),
        "once twice in a rule": sum(emission.once is not None for emission in rule.emissions) > 1,
    }
    yield from (name for name, holds in facts.items() if holds)
    for pattern in rule.collected:
        windows = [constraint for constraint in rule.constraints if constraint.subject == pattern.variable]
        if any(templates[window.reference] == pattern.template for window in windows):
            yield "set of the template of its event"
        if len(windows) > 1:
            yield "set in two windows"
    for pattern in rule.patterns:
        ends = [constraint.lower for constraint in rule.constraints if constraint.subject == pattern.variable]
        keyed = any(len(core.variables_of(condition)) > 1 for condition in pattern.conditions)
        if is_endless(rule, pattern.variable):
            yield "endless set" if pattern.collected else "endless negation"
            yield from ("endless set with a key",) if pattern.collected and keyed else ()
        elif None in ends:
            yield "a beginning by another window"
    for emission in rule.emissions:
        yield from of_emission(emission, optional[emission.template])
    for part in chain.from_iterable(map(core.EXPRESSIONS.within, rule.having)):
        yield from of_expression(part, "having")


def of_emission(emission: core.Emission, optional: set[str]) -> Iterator[str]:
    """What an emission has of level 2."""
    values = [part for item in emission.assignments for part in core.EXPRESSIONS.within(item.value)]
    for part in values:
        yield from of_expression(part, "with")
    if any(isinstance(part, core.Aggregate) for part in core.TIMESTAMP_EXPRESSIONS.within(emission.at)):
        yield "aggregate in at"
    if optional - {item.attribute for item in emission.assignments}:
        yield "optional left out"
    if (once := emission.once) is not None:
        yield ("once without keys", "once by a key", "once by two keys")[len(once.keys)]
        facts = {
            "once by an optional key": bool(optional & {*once.keys}),
            "once for the longest time": once.milliseconds == 2**63 - 1,
            "once of an aggregate": any(isinstance(part, core.Aggregate) for part in values),
        }
        yield from (name for name, holds in facts.items() if holds)


def of_expression(part: core.Expression, place: str) -> Iterator[str]:
    """What stands in `having` or in `with`."""
    match part:
        case core.Aggregate():
            yield f"aggregate {part.function}"
            yield f"aggregate in {place}"
            yield from ("aggregate distinct",) if part.distinct else ()
            yield from ("aggregate of timestamps",) if part.attribute == "timestamp" else ()
        case core.Presence(operand=core.Aggregate()):
            yield "aggregate is"
        case core.Arithmetic(left=left, right=right) if core.Aggregate in (type(left), type(right)):
            yield "aggregate in arithmetic"
        case core.Comparison(left=core.Aggregate(), right=core.Aggregate()):
            yield "aggregate compared with an aggregate"
        case core.ClockReading():
            yield f"clock in {place}"
        case core.FunctionCall():
            yield f"function in {place}"
        case core.TimestampOf():
            yield f"timestamp in {place}"
        case core.Compound():
            yield f"compound in {place}"
        case core.Not():
            yield f"not in {place}"


def of_source(program: core.Program) -> Iterator[str]:
    """What the text has that is gone from the elaborated program."""
    collected = {
        item.name: {pattern.variable for pattern in item.body.patterns if pattern.collected}
        for item in program.source.declarations
        if isinstance(item, ast.NamedPattern)
    }
    for node in ast.NODES.within(program.source):
        match node:
            case ast.Use():
                yield "use"
                yield from ("use with a constant",) if any(isinstance(a, ast.Literal) for a in node.arguments) else ()
                of_events = any(isinstance(a, ast.Reference) for a in node.arguments)
                yield from ("use with an attribute",) if of_events else ()
                yield from ("use with a set",) if collected[node.pattern] else ()
                yield from ("use behind a pattern",) if node.place else ()
            case ast.NamedPattern() if len(node.exports) < len(node.body.patterns):
                yield "hidden variable"
            case ast.Membership():
                yield "in"
            case ast.Call():
                yield f"call {node.name}"
                yield from (
                    ("clock of a zone",) if node.name in functions.of_clocks() and len(node.arguments) > 1 else ()
                )
            case ast.Constraint():
                yield from ("open beginning",) if node.open_lower else ()
                yield from ("open end",) if node.open_upper else ()


def of_trace(program: core.Program, items: tuple[TraceItem, ...]) -> Iterator[str]:
    """What a trace has, and what comes of it."""
    events = [item for item in items if isinstance(item, Event)]
    times = [event.timestamp for event in events]
    sums = {
        (pattern.template, part.attribute)
        for rule in program.rules
        for pattern in rule.collected
        for part in chain.from_iterable(map(core.EXPRESSIONS.within, rule.having))
        if isinstance(part, core.Aggregate) and part.function == "sum" and part.variable == pattern.variable
    }
    optional = {(t.name, slot.name) for t in program.templates for slot in t.attributes if slot.optional}
    there = Counter(event.template for event in events)
    present = {(event.template, name) for event in events for name in event.attributes}
    outcome = run(program, items, evaluator="indexed")
    strata = {rule.name: program.stratum(rule) for rule in program.rules}
    emitted = {event.id: event for match in outcome.matches for event in match.emits}
    keys = {
        (rule.reported, position): emission.once.keys
        for rule in program.rules
        for position, emission in enumerate(rule.emissions, 1)
        if emission.once is not None
    }
    lost_keys = [
        (keys[lost.rule, lost.position], emitted[lost.passed].attributes)
        for lost in outcome.suppressed
        if lost.passed in emitted
    ]
    full = {t.name: len(t.attributes) for t in program.templates}
    facts = {
        "ties": len(set(times)) < len(times),
        "no event": not times,
        "out of order": times != sorted(times),
        "extremes in sums": any(
            event.attributes.get(name) in (2**63 - 1, -(2**63))
            for event in events
            for template, name in sums
            if template == event.template and name is not None
        ),
        "attribute missing everywhere": any(there[name] > 1 for name, _ in optional - present),
        "failed": bool(outcome.failures),
        "suppressed": bool(outcome.suppressed),
        "suppressed without its key": any(set(names) - attributes.keys() for names, attributes in lost_keys),
        "emitted without an attribute": any(len(e.attributes) < full[e.template] for e in emitted.values()),
        "match over two strata": any(event in emitted for match in outcome.matches for _, event in match.bindings),
        "sets in two strata": len({strata[rule.name] for rule in program.rules if rule.collected}) > 1,
    }
    yield from (name for name, holds in facts.items() if holds)
    yield from of_matches(program, events)


def of_matches(program: core.Program, events: list[Event]) -> Iterator[str]:
    """What the matches of the lowest rules have."""
    stream = Indexes({})
    stream.extend(events)
    for rule in next(program.rules_by_stratum()):
        selected = {pattern.selects.variable for pattern in rule.patterns if pattern.selects is not None}
        valuations = list(stream.valuations(rule))
        for elements in (set_of(valuation, p.variable) for valuation in valuations for p in rule.collected):
            sizes = {0: "empty set in a match", 1: "set of one in a match"}
            yield sizes.get(len(elements), "set of several in a match")
            total = sum(value for e in elements if type(value := e.attributes.get("k")) is int)
            yield from () if -(2**63) <= total < 2**63 else ("sum beyond 64 bit",)
        positive = [pattern.variable for pattern in rule.positive]
        for variable in selected:
            others = Counter(tuple(v[name].id for name in positive if name != variable) for v in valuations)
            if max(others.values(), default=0) > 1:
                yield "two first events"


def test_every_construct_is_drawn() -> None:
    counts: Counter[str] = Counter()
    for seed in range(CASES):
        program, items = drawn_case(seeded(seed), ProgramShape(level=2))
        counts.update({*kinds(json.loads(json.dumps(program_to_json(program)))), *of_source(program)})
        counts.update({name for rule in program.rules for name in of_rule(rule, program)})
        counts.update({*of_trace(program, items)})
    wanted = WANTED | set(listed(PARTELANG[TEXT].schema())) - UNDRAWN
    assert {name: counts[name] for name in sorted(wanted) if counts[name] < LEAST} == {}
