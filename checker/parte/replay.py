"""Replaying verdicts: the sound machine must show, on the very events, what the solver says of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from parte.checker.parte.witness import Witness
from parte.checker.solver.errors import CheckerBug
from parte.semantics.events.domain import DomainTable, Predicates
from parte.semantics.events.event import Event
from parte.semantics.events.promises import arrivals
from parte.semantics.events.scenario import Scenario
from parte.semantics.parte.execution import execute
from parte.semantics.parte.syntax import core

Bindings = tuple[tuple[str, str], ...]
"""Variables with the ids of the events that they are bound to."""


def bindings_of(
    program: core.Program, rule: core.Rule, events: Mapping[str, Event], domain: Predicates
) -> set[Bindings]:
    """All that a rule, alone, matches on a trace of the events. It emits nothing: that is another matter."""
    silent = replace(rule, emissions=())
    # Only what the rule reads: the time of a replay must not grow with the program.
    read = {pattern.template for pattern in rule.patterns}
    templates = tuple(template for template in program.templates if template.name in read)
    alone = core.Program(templates, program.predicates, (silent,), tuple((name, 0) for name in sorted(read)))
    predicates = {predicate.name: domain.get(predicate.name, _FALSE) for predicate in program.predicates}
    seen = {event.id: event for event in events.values() if event.template in read}
    trace = sorted(seen.values(), key=lambda event: event.timestamp)
    run = execute(Scenario(alone, predicates, tuple(trace), arrivals(trace)))
    return {match.bindings for match in run.matches}


_FALSE = DomainTable(frozenset(), True)


def identity_bindings(rule: core.Rule, witness: Witness) -> Bindings:
    """The match that a witness is meant for: each positive variable bound to its own event."""
    return tuple((pattern.variable, witness.events[pattern.variable].id) for pattern in rule.positive)


def confirm_match(program: core.Program, rule: core.Rule, witness: Witness) -> None:
    """The rule matches the events. CheckerBug if it does not."""
    if identity_bindings(rule, witness) not in bindings_of(program, rule, witness.events, witness.predicates):
        raise CheckerBug(f"{rule.name}: the machine does not match the events that the solver says it matches")


def confirm_blocked(program: core.Program, rule: core.Rule, witness: Witness) -> None:
    """The rule does not match the events, but would without its negated patterns. CheckerBug if not so."""
    if identity_bindings(rule, witness) in bindings_of(program, rule, witness.events, witness.predicates):
        raise CheckerBug(f"{rule.name}: the machine matches the events that the solver says rule the match out")
    confirm_match(program, without_negation(rule), witness)


def without_negation(rule: core.Rule) -> core.Rule:
    """The rule without its negated patterns and their constraints."""
    positive = tuple(constraint for constraint in rule.constraints if not constraint.negated)
    return replace(rule, patterns=rule.positive, constraints=positive)
