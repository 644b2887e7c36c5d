"""A program in the form that the Java harness reads: for each rule the sequences from which Patterns are built.

A place of a sequence is a stage, `followedByAny` the one before it. A condition belongs to the last of the events that
it mentions, and so does a window. An absence is a `notFollowedBy` at every place where the absent event could come; the
last one waits until the Pattern's time is over (`within`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from parte.conformance.engines.foreign import Inexpressible
from parte.conformance.partelang.engines.jvm.description import check, described_emission, table
from parte.conformance.partelang.engines.orders import Absence, Order, absences, farthest, itself, orders
from parte.semantics.events.bounds import GREATEST_INTEGER
from parte.semantics.events.domain import Predicates
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.json_form import expression_to_json

Json = Any


def describe(program: core.Program, domain: Predicates) -> Json:
    """Return the input of the harness. Inexpressible names what Flink CEP cannot express."""
    return {
        "predicates": {name: table(name, relation) for name, relation in domain.items()},
        "rules": {rule.name: _rule(rule) for rule in program.rules},
    }


def _rule(rule: core.Rule) -> Json:
    for condition in (condition for pattern in rule.patterns for condition in pattern.conditions):
        check(condition)
    return {
        "variables": [pattern.variable for pattern in rule.positive],
        "emissions": [described_emission(emission) for emission in rule.emissions],
        "sequences": [_sequence(rule, order) for order in orders(rule)],
    }


def _sequence(rule: core.Rule, order: Order) -> Json:
    absent: dict[int, list[Absence]] = {}
    for pattern in (pattern for pattern in rule.patterns if pattern.negated):
        for absence in absences(rule, order, pattern):
            absent.setdefault(absence.after, []).append(absence)
    last = len(order.places) - 1
    time = farthest(rule, order) if last in absent else order.span
    if time >= GREATEST_INTEGER:
        if last in absent:
            raise Inexpressible("an absence in a window of 2^63 - 1 ms: a Pattern ends sooner")
        time = GREATEST_INTEGER - 1
    stages = []
    for number, place in enumerate(order.places):
        stages.append(_stage(rule, order, number) | {"name": place[0], "negated": False})
        if number in absent:
            options = [_filled(absence.pattern, absence.windows) for absence in absent[number]]
            stages.append({"name": f"no${number}", "negated": True, "options": options})
    return {
        "places": {variable: place[0] for place in order.places for variable in place},
        "stages": stages,
        "within": time + 1 if len(stages) > 1 else None,
    }


def _stage(rule: core.Rule, order: Order, number: int) -> Json:
    place = order.places[number]
    past = {variable for earlier in order.places[: number + 1] for variable in earlier}
    conditions = [
        condition
        for pattern in rule.positive
        for condition in pattern.conditions
        if (variables := core.variables_of(condition) or {pattern.variable}) <= past and variables & set(place)
    ]
    windows = [
        window
        for window in rule.constraints
        if not window.negated
        and (variables := {window.subject, window.reference}) <= past
        and variables & set(place)
        and order.place(window.subject) != order.place(window.reference)
    ]
    unless = []
    if number == len(order.places) - 1:
        for pattern in (pattern for pattern in rule.patterns if pattern.negated):
            own = [window for window in rule.constraints if window.subject == pattern.variable]
            unless += [_filled(pattern, own) | {"at": order.places[at][0]} for at in itself(rule, order, pattern)]
    template = next(pattern.template for pattern in rule.patterns if pattern.variable == place[0])
    demand = _demand(template, place, conditions, windows)
    return {"options": [demand | {"unless": unless}]}


def _filled(pattern: core.Pattern, windows: Sequence[core.Constraint]) -> Json:
    return _demand(pattern.template, [pattern.variable], pattern.conditions, windows) | {"unless": []}


def _demand(
    template: str,
    variables: Sequence[str],
    conditions: Sequence[core.Expression],
    windows: Sequence[core.Constraint],
) -> Json:
    return {
        "template": template,
        "variables": list(variables),
        "conditions": [expression_to_json(condition) for condition in conditions],
        "windows": [
            {"subject": w.subject, "reference": w.reference, "lower": w.lower, "upper": w.upper} for w in windows
        ],
    }
