"""What a harness replies: events by number, those of the trace first, then what is emitted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from parte.semantics.events.event import Event
from parte.semantics.events.match import emitted_id, production_source
from parte.semantics.partelang.syntax import core

Json = Any


def matches(program: core.Program, events: Sequence[Event], fired: Sequence[Json]) -> Iterator[Json]:
    """What fired, in order, as matches. Events go by number: those of the trace first, then what is emitted."""
    known = dict(enumerate(events))
    for each in fired:
        rule = program.rule(each["rule"])
        variables = [pattern.variable for pattern in rule.positive]
        bound = list(zip(variables, (known[number] for number in each["events"]), strict=True))
        emits = []
        for position, (emission, told) in enumerate(zip(rule.emissions, each["emits"], strict=True), 1):
            if told is None:  # it has no value
                continue
            id_ = emitted_id(rule.name, position if len(rule.emissions) > 1 else None, bound)
            record = {"template": emission.template, "timestamp": told["timestamp"], "attributes": told["attributes"]}
            known[told["number"]] = Event(id=id_, source=production_source(rule.name, position), **record)
            emits.append({"id": id_} | record)
        yield {"rule": rule.name, "bindings": {variable: event.id for variable, event in bound}, "emits": emits}
