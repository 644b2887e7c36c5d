"""Polars behind the protocol: a frame for each template, with all events of a trace.

The whole trace is read before a query is collected, so absences are known: a frame has no notion of time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import polars as pl

from parte.conformance.engines.foreign import EngineFailure, plain
from parte.conformance.partelang.engines.declared import all_but
from parte.conformance.partelang.engines.polars.expressions import COMPONENT, IDENTITY, TIMESTAMP
from parte.conformance.partelang.engines.polars.frames import emitted, matches, required, schema_of
from parte.conformance.protocol import Greeting
from parte.semantics.events.domain import Predicates
from parte.semantics.events.event import Arrival, Event
from parte.semantics.events.match import component
from parte.semantics.partelang.syntax import core

Json = Any
Row = dict[str, Any]


class PolarsAdapter:
    """An adapter that collects strata one after the other, and appends the emissions of each to the frames."""

    def __init__(self) -> None:
        self.greeting = Greeting("Polars", pl.__version__, constructs=all_but())

    def compile(self, program: core.Program, domain: Predicates) -> Callable[[Sequence[Arrival]], list[Json]]:
        """Compile a program; its queries are built on empty frames, so that inexpressible ones are reported."""
        schemas = {template.name: schema_of(template) for template in program.templates}
        empty = {name: pl.LazyFrame(schema=schema) for name, schema in schemas.items()}
        for rule in program.rules:
            matched = matches(rule, empty, domain)
            for position in range(1, len(rule.emissions) + 1):
                emitted(rule, position, matched, domain)

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
                        matched = matches(rule, frames, domain).collect()
                        emissions = [
                            emitted(rule, position, matched.lazy(), domain).collect()
                            for position in range(1, len(rule.emissions) + 1)
                        ]
                        answers += _answers(rule, matched, emissions)
                        new += [
                            (emission.template, rows.drop_nulls(required(emission)))
                            for emission, rows in zip(rule.emissions, emissions, strict=True)
                        ]
                    for name, rows in new:
                        frames[name] = pl.concat([frames[name], rows.lazy()], how="diagonal")
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


def _answers(rule: core.Rule, matched: pl.DataFrame, emission_frames: Sequence[pl.DataFrame]) -> Iterator[Json]:
    """Yield the matches of a rule, each with the events that it emitted, in the order of the emissions."""
    emissions = [rows.to_dicts() for rows in emission_frames]
    for number, match in enumerate(matched.to_dicts()):
        bindings = {pattern.variable: match[f"{pattern.variable}.{IDENTITY}"] for pattern in rule.positive}
        emits = [
            _event(emission, row)
            for emission, rows in zip(rule.emissions, emissions, strict=True)
            if all((row := rows[number])[name] is not None for name in required(emission))
        ]
        yield {"rule": rule.name, "bindings": bindings, "emits": emits}


def _event(emission: core.Emission, row: Row) -> Json:
    attributes = {
        assignment.attribute: plain(value)
        for assignment in emission.assignments
        if (value := row[assignment.attribute]) is not None
    }
    return {
        "id": row[IDENTITY],
        "template": emission.template,
        "timestamp": row[TIMESTAMP],
        "attributes": attributes,
    }
