"""durable_rules behind the protocol: a new ruleset for every trace, whose events are asserted as facts as they arrive.

A fact stays and is not used up; events of durable_rules (`post`) would be consumed by the first match. Rules fire as
soon as a fact is asserted, and call their actions: these store the match, and assert its emissions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import metadata
from typing import Any

from durable.engine import Host, MessageNotHandledException

from parte.conformance.engines.foreign import EngineFailure, plain
from parte.conformance.partelang.engines.durable.conditions import COMPONENT, IDENTITY, TEMPLATE, TIMESTAMP, key
from parte.conformance.partelang.engines.durable.reactions import check, emitted
from parte.conformance.partelang.engines.durable.rules import definition
from parte.conformance.protocol import Greeting
from parte.semantics.events.domain import Predicates
from parte.semantics.events.event import Arrival, Event
from parte.semantics.events.match import component
from parte.semantics.partelang.syntax import core

Json = Any


class _Host(Host):  # type: ignore[misc] # durable_rules has no types
    """A host without the threads that look for timers: no rule here has one."""

    def _run(self) -> None:
        pass


class DurableAdapter:
    """An adapter that asserts every fact on its own; rules fire before the next."""

    def __init__(self) -> None:
        self.greeting = Greeting("durable_rules", metadata.version("durable_rules"))

    def compile(self, program: core.Program, domain: Predicates) -> Callable[[Sequence[Arrival]], list[Json]]:
        """Compile a program."""
        for rule in program.rules:
            check(rule)
        definition(program, domain, lambda _: lambda _: None)  # raises Inexpressible

        def find(arrivals: Sequence[Arrival]) -> list[Json]:
            matches: list[Json] = []
            host = _Host()
            try:
                host.register_rulesets({"rules": definition(program, domain, lambda rule: _action(rule, matches))})
                for arrival in arrivals:
                    if arrival.event is not None:
                        _assert(lambda fact: host.assert_fact("rules", fact), _fact(arrival.event))
            except Exception as error:  # of an action or of durable_rules, whose errors have no base class
                raise EngineFailure(f"durable_rules stopped: {type(error).__name__}: {error}"[:2000]) from None
            return matches

        return find


def _action(rule: core.Rule, matches: list[Json]) -> Callable[[Any], None]:
    def react(match: Any) -> None:
        named = zip(rule.positive, core.with_plain_variables(rule).positive, strict=True)
        facts = {pattern.variable: match._m[key(plain_pattern.variable)] for pattern, plain_pattern in named}
        bindings = {variable: fact[IDENTITY] for variable, fact in facts.items()}
        match_record: Json = {"rule": rule.reported, "bindings": bindings, "emits": []}
        matches.append(match_record)
        for position, emission in enumerate(rule.emissions, 1):
            fact = emitted(rule, position, facts)
            if fact is not None:
                match_record["emits"].append(_event(emission, fact))
                _assert(match.assert_fact, fact)

    return react


def _assert(assert_fact: Callable[[dict[str, Any]], None], fact: dict[str, Any]) -> None:
    """Assert a fact. durable_rules raises an exception if no rule reads the fact, which is not a failure."""
    with suppress(MessageNotHandledException):
        assert_fact(fact)


def _fact(event: Event) -> dict[str, Any]:
    own = {TEMPLATE: event.template, IDENTITY: event.id, COMPONENT: component(event), TIMESTAMP: event.timestamp}
    return own | {key(name): value for name, value in event.attributes.items() if value is not None}


def _event(emission: core.Emission, fact: Mapping[str, Any]) -> Json:
    names = [assignment.attribute for assignment in emission.assignments if key(assignment.attribute) in fact]
    attributes = {name: plain(fact[key(name)]) for name in names}
    return {
        "id": fact[IDENTITY],
        "template": emission.template,
        "timestamp": fact[TIMESTAMP],
        "attributes": attributes,
    }
