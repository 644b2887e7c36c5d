"""A program and a trace in the form that the Java harness reads.

A window becomes Drools's `after` or `before`, on whichever of its two patterns comes later; conditions and emissions
keep their form in `program.schema.json`. Drools measures time by Java class, so every template is a class.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from parte.conformance.engines.foreign import Inexpressible
from parte.conformance.partelang.engines.jvm.description import check, described_emission, described_event, table
from parte.semantics.events.domain import Predicates
from parte.semantics.events.event import Arrival
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.json_form import expression_to_json

Json = Any

MOST_OTHERS = 5
"""Events, besides its own, that a condition may mention: the pattern DSL has a method for each number of them."""


KEPT_DAYS = 1000
_KEPT = KEPT_DAYS * 24 * 60 * 60 * 1000


def describe(program: core.Program, domain: Predicates, *, explicit_expiry: bool = False) -> Json:
    """Return the input of the harness: events expire when Drools infers that they may, or after `KEPT_DAYS` with
    `explicit_expiry`.

    If they are kept, the clock ends half that time after the last event, before any of the last events expires.
    Inexpressible names what cannot be translated.
    """
    described = _described(program, domain)
    if not explicit_expiry:
        return described
    if any(max(-item.begins, item.upper) > _KEPT // 2 for rule in program.rules for item in rule.constraints):
        raise Inexpressible(f"a window of more than {KEPT_DAYS // 2} days, when events are kept for {KEPT_DAYS}")
    return described | {"expires": f"{KEPT_DAYS}d", "rest": _KEPT // 2}


def _described(program: core.Program, domain: Predicates) -> Json:
    types = {template.name: number for number, template in enumerate(program.templates)}
    return {
        "templates": list(types),
        "predicates": {name: table(name, relation) for name, relation in domain.items()},
        "rules": [_rule(rule, types) for rule in program.rules],
    }


def timed(arrivals: Sequence[Arrival]) -> list[Json]:
    """Return the events in their order of arrival, each with the time of the clock at its arrival.

    That is the least timestamp still to come, its own included: in an ordered trace the clock shows the timestamp of
    each event, and for a late event the clock has waited.
    """
    events = [arrival.event for arrival in arrivals if arrival.event is not None]
    clocks: list[int] = []
    for event in reversed(events):
        clocks.append(min([event.timestamp, *clocks[-1:]]))
    return [described_event(event) | {"clock": clock} for event, clock in zip(events, reversed(clocks), strict=True)]


def _rule(rule: core.Rule, types: dict[str, int]) -> Json:
    order = [pattern.variable for pattern in rule.patterns]
    return {
        "name": rule.name,
        "patterns": [
            {
                "variable": pattern.variable,
                "type": types[pattern.template],
                "negated": pattern.negated,
                "windows": [
                    _window(constraint, pattern.variable)
                    for constraint in rule.constraints
                    if pattern.variable == max(constraint.subject, constraint.reference, key=order.index)
                ],
                "conditions": [_condition(rule, pattern, condition) for condition in pattern.conditions],
            }
            for pattern in rule.patterns
        ],
        "emissions": [described_emission(emission) for emission in rule.emissions],
    }


def _window(constraint: core.Constraint, later: str) -> Json:
    """`x after[l, u] y` means l <= x - y <= u, and `x before[l, u] y` means l <= y - x <= u."""
    after = constraint.subject == later
    operator, partner = ("after", constraint.reference) if after else ("before", constraint.subject)
    return {"operator": operator, "other": partner, "lower": constraint.lower, "upper": constraint.upper}


def _condition(rule: core.Rule, pattern: core.Pattern, condition: core.Expression) -> Json:
    check(condition)
    more_variables = sorted(core.variables_of(condition) - {pattern.variable})
    if len(more_variables) > MOST_OTHERS:
        raise Inexpressible(f"rule {rule.name}: a condition over more than {MOST_OTHERS + 1} events")
    described = {"others": more_variables, "test": expression_to_json(condition)}
    key = _key(pattern.variable, condition)
    return described if key is None else described | {"key": key}


def _key(variable: str, condition: core.Expression) -> Json:
    """Return the attributes that must be equal, of the pattern's event and of another: Drools hashes joins by them.

    None for Floats: 0.0 and -0.0 are equal, and two keys. None for attributes that an event may lack: what is missing
    equals nothing.
    """
    match condition:
        case core.Comparison(operator="=", left=core.AttributeOf() as left, right=core.AttributeOf() as right):
            own, partner = (left, right) if left.variable == variable else (right, left)
            lacking = own.optional or partner.optional or own.type is core.Scalar.FLOAT
            if own.variable == variable != partner.variable and not lacking:
                return {"own": own.attribute, "other": partner.attribute}
    return None
