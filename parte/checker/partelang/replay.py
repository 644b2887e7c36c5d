"""The replay of verdicts: on the events that the solver found, the sound machine must confirm its verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from math import prod

from parte.checker.partelang.witness import Witness
from parte.checker.solver.errors import CheckerBug
from parte.semantics.events.domain import DomainTable, Predicates
from parte.semantics.events.event import Event
from parte.semantics.events.promises import arrivals
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.execution import execute
from parte.semantics.partelang.syntax import core

COMBINATIONS = 3_000
"""The most combinations of events for the positive patterns; with more, only one of them is replayed."""

FALSE = DomainTable(frozenset(), True)
"""The table of a predicate that a trace does not need."""


def finds(
    program: core.Program, rule: core.Rule, events: Mapping[str, Event], match: Mapping[str, str], domain: Predicates
) -> bool:
    """Return whether a rule, alone, finds a match on the trace of `events`; `match` is the id of each variable's event.

    The rule emits nothing here. k events that each fill k patterns make k^k matches, and only one of them is of
    interest. So if there are too many, each positive pattern reads a template of its own, with the one event of
    `match`, and the negated patterns and the sets read the trace.
    """
    silent = replace(rule, emissions=())
    trace = {event.id: event for event in events.values()}
    bound = {variable: trace[match[variable]] for variable in (pattern.variable for pattern in rule.positive)}
    of_template = Counter(event.template for event in trace.values())
    if prod(of_template[pattern.template] for pattern in rule.positive) > COMBINATIONS:
        silent, trace, bound = _apart(silent, trace, bound)
    wanted = tuple((variable, event.id) for variable, event in bound.items())
    return wanted in _bindings(program, silent, trace, domain)


def _apart(
    rule: core.Rule, trace: Mapping[str, Event], bound: Mapping[str, Event]
) -> tuple[core.Rule, dict[str, Event], dict[str, Event]]:
    """Return the rule, the trace and the match if each positive pattern reads a template of its own."""
    own = {pattern.variable: f"{pattern.template} of {pattern.variable}" for pattern in rule.positive}
    patterns = tuple(
        replace(pattern, template=own[pattern.variable]) if pattern.positive else pattern for pattern in rule.patterns
    )
    beside = {pattern.template for pattern in rule.patterns if not pattern.positive}
    events = {
        variable: replace(event, id=f"{event.id} as {variable}", template=own[variable])
        for variable, event in bound.items()
    }
    seen = [event for event in trace.values() if event.template in beside]
    return replace(rule, patterns=patterns), {event.id: event for event in (*seen, *events.values())}, events


def _bindings(
    program: core.Program, rule: core.Rule, trace: Mapping[str, Event], domain: Predicates
) -> set[tuple[tuple[str, str], ...]]:
    """Return all matches of a rule on a trace."""
    # Only the templates that the rule reads: the time of a replay must not grow with the program.
    read = sorted({pattern.template for pattern in rule.patterns})
    slots = {template.name: template for template in program.templates}
    known = tuple(replace(slots[name.partition(" of ")[0]], name=name) for name in read)
    alone = core.Program(known, program.predicates, (rule,), tuple((name, 0) for name in read))
    predicates = {predicate.name: domain.get(predicate.name, FALSE) for predicate in program.predicates}
    seen = sorted((event for event in trace.values() if event.template in read), key=lambda event: event.timestamp)
    run = execute(Scenario(alone, predicates, tuple(seen), arrivals(seen)))
    return {match.bindings for match in run.matches}


def own_events(rule: core.Rule, witness: Witness) -> dict[str, str]:
    """Return the match that a witness is meant for: each positive variable has its own event."""
    return {pattern.variable: witness.events[pattern.variable].id for pattern in rule.positive}


def confirm_match(program: core.Program, rule: core.Rule, witness: Witness) -> None:
    """Raise CheckerBug unless the rule matches the events."""
    if not finds(program, rule, witness.trace, own_events(rule, witness), witness.predicates):
        raise CheckerBug(f"{rule.name}: the machine does not match the events that the solver says it matches")


def confirm_blocked(program: core.Program, rule: core.Rule, witness: Witness, negated: str | None = None) -> None:
    """Raise CheckerBug unless the negated patterns of the rule, or the one that is named, rule the match out.

    That is, the rule does not match the events, but would without them.
    """
    if finds(program, rule, witness.trace, own_events(rule, witness), witness.predicates):
        raise CheckerBug(f"{rule.name}: the machine matches the events that the solver says rule the match out")
    confirm_match(program, without_negation(rule, negated), witness)


def confirm_undone(program: core.Program, rule: core.Rule, less: core.Rule, witness: Witness) -> None:
    """Raise CheckerBug unless the rule `less` matches the events, and the rule does not."""
    if finds(program, rule, witness.trace, own_events(rule, witness), witness.predicates):
        raise CheckerBug(f"{rule.name}: the machine matches the events that the solver says it does not match")
    confirm_match(program, less, witness)


def without_negation(rule: core.Rule, negated: str | None = None) -> core.Rule:
    """Return the rule without its negated patterns and their constraints, or without one of them."""
    gone = {pattern.variable for pattern in rule.patterns if pattern.negated and negated in (None, pattern.variable)}
    return replace(
        rule,
        patterns=tuple(pattern for pattern in rule.patterns if pattern.variable not in gone),
        constraints=tuple(constraint for constraint in rule.constraints if constraint.subject not in gone),
    )
