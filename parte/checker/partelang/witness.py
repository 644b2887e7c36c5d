"""Events of a model of the solver, and the check of claims on them by the arithmetic of the machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from parte.checker.partelang.claims import Claim, Every, HasValue, Holds, Not, Window
from parte.checker.partelang.scenes import Filler
from parte.checker.report.contents import Json
from parte.semantics.events.domain import DomainTable, Predicates
from parte.semantics.events.event import Event, Value
from parte.semantics.events.types import ListOf, Scalar
from parte.semantics.partelang.expressions import NoValue, compile_expression
from parte.semantics.partelang.summaries import summarizer
from parte.semantics.partelang.syntax import core

_DEFAULTS: Mapping[Scalar, Value] = {Scalar.INTEGER: 0, Scalar.FLOAT: 0.0, Scalar.STRING: "", Scalar.BOOLEAN: False}


@dataclass(frozen=True, slots=True)
class Witness:
    """One event for each variable, and tables of the predicates with which the claims hold.

    `elements` are further events of the trace, and `sets` the sets of which aggregates are.
    """

    events: Mapping[str, Event]
    predicates: Predicates = field(default_factory=dict)
    elements: tuple[Event, ...] = ()
    sets: tuple[Filler, ...] = ()

    @property
    def trace(self) -> dict[str, Event]:
        """Return all events of the trace by their ids."""
        return {event.id: event for event in (*self.events.values(), *self.elements)}

    def renamed(self, ids: Mapping[str, str]) -> Witness:
        """Return the witness with other ids of events."""
        moved = {
            variable: Event(ids.get(variable, event.id), event.template, event.timestamp, event.attributes)
            for variable, event in self.events.items()
        }
        return Witness(moved, self.predicates, self.elements, self.sets)

    def record(self) -> dict[str, Json]:
        """Return the form for `--json`: a trace that can be run, bindings, and possible tables of the predicates."""
        # In the order of time, which the one source of the trace promises.
        trace: list[Json] = [
            event_json(event) for event in sorted(self.trace.values(), key=lambda entry: entry.timestamp)
        ]
        domain: dict[str, Json] = {}
        for name, predicate in self.predicates.items():
            if isinstance(predicate, DomainTable):
                rows: list[Json] = [list(row) for row in sorted(predicate.rows, key=repr)]
                domain[name] = {"true_for" if predicate.member_means else "false_for": rows}
        bindings: dict[str, Json] = {variable: event.id for variable, event in self.events.items()}
        return {"trace": trace, "bindings": bindings, "domain": domain}


def event_json(event: Event) -> Json:
    """Return an event as a line of a trace."""
    attributes: dict[str, Json] = {
        name: list(value) if isinstance(value, tuple) else value for name, value in event.attributes.items()
    }
    return {"id": event.id, "template": event.template, "timestamp": event.timestamp, "attributes": attributes}


def default_value(type_: core.Type) -> Value:
    """Return a value for an attribute that no claim mentions."""
    return () if isinstance(type_, ListOf) else _DEFAULTS[type_]


def holds(claim: Claim, witness: Witness) -> bool:
    """Return whether a claim holds of the events."""
    match claim:
        case Holds(condition=condition):
            return _value(condition, witness) is True
        case HasValue(expression=expression):
            return _value(expression, witness) is not None
        case Window(subject=subject, reference=reference, lower=lower, upper=upper):
            difference = witness.events[subject].timestamp - witness.events[reference].timestamp
            return lower <= difference <= upper
        case Not(claim=inner):
            return not holds(inner, witness)
        case Every(claims=claims):
            return all(holds(part, witness) for part in claims)


def elements_of(of: Filler, witness: Witness) -> list[Event]:
    """Return the events of the trace that fill the pattern of a set."""
    alike = [event for event in witness.trace.values() if event.template == of.pattern.template]
    beside = Witness(witness.events, witness.predicates)
    return [event for event in alike if holds(of.claim, replace(beside, events={**beside.events, of.variable: event}))]


def _value(expression: core.Expression, witness: Witness) -> Value | None:
    events = dict(witness.events)
    for of in witness.sets:
        parts = core.EXPRESSIONS.within(expression)
        aggregates = [part for part in parts if isinstance(part, core.Aggregate) and part.variable == of.variable]
        if aggregates:
            events[of.variable] = summarizer(of.pattern, aggregates).summary(elements_of(of, witness), 0)
    positions = {variable: position for position, variable in enumerate(events)}
    evaluate = compile_expression(expression, positions, witness.predicates)
    try:
        return evaluate(tuple(events.values()))
    except NoValue:
        return None
