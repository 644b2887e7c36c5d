"""Polars behind the protocol: a frame for each template, with all events of a trace.

The whole trace is there before a query is collected, so what is absent is known: a frame has no notion of time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import polars as pl

from parte.conformance.engines.foreign import EngineFailure, plain
from parte.conformance.partelang.engines.declared import all_but
from parte.conformance.partelang.engines.polars.expressions import COMPONENT, IDENTITY, TIMESTAMP
from parte.conformance.partelang.engines.polars.frames import emitted, matches, schema_of
from parte.conformance.protocol import Greeting
from parte.semantics.events.domain import Predicates
from parte.semantics.events.event import Arrival, Event
from parte.semantics.events.match import component
from parte.semantics.partelang.syntax import core

Json = Any
Row = dict[str, Any]


class PolarsAdapter:
    """Strata are collected one after the other, and what each emits is appended to the frames."""

    def __init__(self) -> None:
        self.greeting = Greeting("Polars", pl.__version__, constructs=all_but())

    def compile(self, program: core.Program, domain: Predicates) -> Callable[[Sequence[Arrival]], list[Json]]:
        """A program, ready for a trace; its queries are made on empty frames, so that what cannot be asked is told."""
        schemas = {template.name: schema_of(template) for template in program.templates}
        empty = {name: pl.LazyFrame(schema=schema) for name, schema in schemas.items()}
        for rule in program.rules:
            found = matches(rule, empty, domain)
            for position in range(1, len(rule.emissions) + 1):
                emitted(rule, position, found, domain)

        def find(arrivals: Sequence[Arrival]) -> list[Json]:
            events = [arrival.event for arrival in arrivals if arrival.event is not None]
            frames = {
                name: pl.LazyFrame([_row(event) for event in events if event.template == name], schema=schema)
                for name, schema in schemas.items()
            }
            answers: list[Json] = []
            try:
                for stratum in program.rules_by_stratum():
                    new: list[tuple[str, pl.DataFrame]] = []
                    for rule in stratum:
                        found = matches(rule, frames, domain).collect()
                        made = [
                            emitted(rule, position, found.lazy(), domain).collect()
                            for position in range(1, len(rule.emissions) + 1)
                        ]
                        answers += _answers(rule, found, made)
                        new += [(given.template, rows) for given, rows in zip(rule.emissions, made, strict=True)]
                    for name, rows in new:
                        frames[name] = pl.concat([frames[name], rows.lazy().select(*schemas[name])])
            except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
                raise EngineFailure(f"Polars stopped: {type(error).__name__}: {error}"[:2000]) from None
            return answers

        return find


def _row(event: Event) -> Row:
    own = {IDENTITY: event.id, COMPONENT: component(event), TIMESTAMP: event.timestamp}
    return {
        **own,
        **{name: list(value) if isinstance(value, tuple) else value for name, value in event.attributes.items()},
    }


def _answers(rule: core.Rule, found: pl.DataFrame, made: Sequence[pl.DataFrame]) -> Iterator[Json]:
    """The matches of a rule, each with the events that it emitted, in the order of the emissions."""
    emissions = [rows.to_dicts() for rows in made]
    for number, match in enumerate(found.to_dicts()):
        bindings = {pattern.variable: match[f"{pattern.variable}.{IDENTITY}"] for pattern in rule.positive}
        emits = [_event(given, rows[number]) for given, rows in zip(rule.emissions, emissions, strict=True)]
        yield {"rule": rule.name, "bindings": bindings, "emits": emits}


def _event(emission: core.Emission, row: Row) -> Json:
    attributes = {given.attribute: plain(row[given.attribute]) for given in emission.assignments}
    return {
        "id": row[IDENTITY],
        "template": emission.template,
        "timestamp": row[TIMESTAMP],
        "attributes": attributes,
    }
