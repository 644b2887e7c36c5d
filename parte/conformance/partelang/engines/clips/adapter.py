"""CLIPS behind the protocol, through clipspy.

All events are asserted in their order of arrival, then the agenda is run: CLIPS has no notion of passing time, so an
absence is known when all sources have ended. Until then a late event withdraws the activations that its absence had
caused. An `eager` adapter runs the agenda after every event, as an application with single incoming events would.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import clips

from parte.conformance.engines.foreign import EngineFailure, Inexpressible, plain
from parte.conformance.partelang.engines.clips.constructs import (
    BINDINGS,
    CAUSE,
    COMPONENT,
    IDENTITY,
    MATCH,
    POSITION,
    RULE,
    SHORTENED,
    TIMESTAMP,
    constructs,
    domain_template,
    event_template,
)
from parte.conformance.partelang.engines.clips.expressions import MISSING
from parte.conformance.protocol import Greeting
from parte.semantics.events.domain import DomainTable, Predicates
from parte.semantics.events.event import Arrival, Event
from parte.semantics.events.match import component, shortened
from parte.semantics.partelang.syntax import core

Json = Any


class _Errors(clips.Router):  # type: ignore[misc] # clipspy has no types
    """A router that stores what CLIPS writes to its error stream, where errors of the left-hand side appear."""

    def __init__(self) -> None:
        super().__init__("parte-errors", 40)
        self.text = ""

    def query(self, name: str) -> bool:
        return name in ("stderr", "stdwrn")

    def write(self, _name: str, message: str) -> None:
        self.text = (self.text + message)[-2000:]


class ClipsAdapter:
    """An adapter with a new environment of CLIPS for every trace."""

    def __init__(self, eager: bool = False) -> None:
        self._eager = eager
        name = "CLIPS, run after every event" if eager else "CLIPS"
        self.greeting = Greeting(name, f"clipspy {clips.__version__}")

    def compile(self, program: core.Program, domain: Predicates) -> Callable[[Sequence[Arrival]], list[Json]]:
        """Compile the constructs of a program."""
        built = list(constructs(program, domain))
        tables = {
            predicate.name: sorted(table.rows, key=repr)
            for predicate in program.predicates
            if predicate.parameters and isinstance(table := domain[predicate.name], DomainTable)
        }
        for rows in tables.values():
            for row in rows:
                _check(row)

        def find(arrivals: Sequence[Arrival]) -> list[Json]:
            environment, errors = clips.Environment(), _Errors()
            environment.add_router(errors)
            environment.define_function(shortened, SHORTENED)
            for construct in built:
                try:
                    environment.build(construct)
                except clips.CLIPSError as error:
                    raise EngineFailure(f"CLIPS does not take {construct!r}: {error}"[:2000]) from None
            for name, rows in tables.items():
                for row in rows:
                    _assert(environment, domain_template(name), {f"c{n}": cell for n, cell in enumerate(row, 1)})
            for arrival in arrivals:
                if arrival.event is not None:
                    _assert(environment, event_template(arrival.event.template), _slots(arrival.event))
                    if self._eager:
                        _fire(environment, errors)
            _fire(environment, errors)
            return _matches(environment, program)

        return find


def _fire(environment: clips.Environment, errors: _Errors) -> None:
    """Run the agenda until it is empty. Earlier error output concerns tests, which are then false."""
    errors.text = ""
    environment.run()
    if errors.text:
        raise EngineFailure(f"CLIPS stopped: {' '.join(errors.text.split())}")


def _assert(environment: clips.Environment, template: str, slots: dict[str, Any]) -> None:
    environment.find_template(template).assert_fact(**slots)


def _slots(event: Event) -> dict[str, Any]:
    _check((event.id, *event.attributes.values()))
    own = {IDENTITY: event.id, COMPONENT: component(event), TIMESTAMP: event.timestamp, CAUSE: 0, POSITION: 0}
    return own | dict(event.attributes)


def _check(values: Sequence[object]) -> None:
    for value in values:
        if isinstance(value, str) and "\0" in value:
            raise Inexpressible("a string with U+0000: CLIPS's strings end there")
        if isinstance(value, tuple):
            _check(value)


def _matches(environment: clips.Environment, program: core.Program) -> list[Json]:
    """Return the matches that the rules asserted, each with the events that it emitted, in the order of the
    emissions."""
    emitted: dict[int, list[tuple[int, Json]]] = {}
    for template in program.templates:
        for fact in environment.find_template(event_template(template.name)).facts():
            if fact[CAUSE]:
                attributes = {
                    attribute.name: _python(value, attribute.type)
                    for attribute in template.attributes
                    if not (isinstance(value := fact[attribute.name], clips.Symbol) and value == MISSING)
                }
                event = {"id": fact[IDENTITY], "template": template.name, "timestamp": fact[TIMESTAMP]}
                emitted.setdefault(fact[CAUSE], []).append((fact[POSITION], event | {"attributes": attributes}))
    matches = []
    for fact in environment.find_template(MATCH).facts():
        rule = program.rule(fact[RULE])
        bound = zip((pattern.variable for pattern in rule.positive), fact[BINDINGS], strict=True)
        emits = [event for _, event in sorted(emitted.get(fact.index, ()), key=lambda pair: pair[0])]
        matches.append({"rule": rule.name, "bindings": dict(bound), "emits": emits})
    return matches


def _python(value: Any, of: core.Type) -> Json:
    if isinstance(of, core.ListOf):
        return [_python(item, of.element) for item in value]
    return plain(str(value) == "TRUE" if of is core.Scalar.BOOLEAN else value)
