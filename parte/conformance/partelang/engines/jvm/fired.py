"""The reply of a harness: events by number, those of the trace first, then the emitted ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from parte.semantics.events.event import Event
from parte.semantics.events.match import emitted_id, production_source
from parte.semantics.partelang.syntax import core

Json = Any


def matches(program: core.Program, events: Sequence[Event], fired: Sequence[Json]) -> Iterator[Json]:
    """Yield the firings, in order, as matches. Events have numbers: those of the trace first, then the emitted ones."""
    known = dict(enumerate(events))
    for firing in fired:
        rule = program.rule(firing["rule"])
        variables = [pattern.variable for pattern in rule.positive]
        bound = list(zip(variables, (known[number] for number in firing["events"]), strict=True))
        emits = []
        for position, (emission, emitted) in enumerate(zip(rule.emissions, firing["emits"], strict=True), 1):
            if emitted is None:  # it has no value
                continue
            id_ = emitted_id(rule.name, position if len(rule.emissions) > 1 else None, bound)
            record = {
                "template": emission.template,
                "timestamp": emitted["timestamp"],
                "attributes": emitted["attributes"],
            }
            known[emitted["number"]] = Event(id=id_, source=production_source(rule.name, position), **record)
            emits.append({"id": id_} | record)
        yield {"rule": rule.name, "bindings": {variable: event.id for variable, event in bound}, "emits": emits}
