"""Flink CEP behind the protocol.

Strata are jobs: the next one reads the emissions of a stratum, before all arriving events.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from parte.conformance.partelang.engines.declared import all_but
from parte.conformance.partelang.engines.flink.watermarks import paced
from parte.conformance.partelang.engines.flink_cep.jdk import flink_version, installation
from parte.conformance.partelang.engines.flink_cep.translation import describe
from parte.conformance.partelang.engines.jvm.description import described_event
from parte.conformance.partelang.engines.jvm.fired import matches
from parte.conformance.partelang.engines.jvm.harness import Harness
from parte.conformance.protocol import Greeting
from parte.semantics.events.bounds import GREATEST_INTEGER, LEAST_INTEGER
from parte.semantics.events.domain import Predicates
from parte.semantics.events.event import Arrival
from parte.semantics.partelang.syntax import core

Json = Any


class FlinkCepAdapter:
    """One Java process with one MiniCluster. Unavailable without the jars of Flink or a JDK."""

    def __init__(self) -> None:
        installed = installation()
        version = f"apache-flink-libraries {flink_version(installed.jars)}"
        self.greeting = Greeting("Flink CEP", version, constructs=all_but())
        self._harness = Harness(installed)

    def compile(self, program: core.Program, domain: Predicates) -> Callable[[Sequence[Arrival]], list[Json]]:
        """Load the Patterns of a program into the harness, where they replace those of the program before."""
        self._harness.ask({"load": describe(program, domain)})

        def find(arrivals: Sequence[Arrival]) -> list[Json]:
            events = [arrival.event for arrival in arrivals if arrival.event is not None]
            fired: list[Json] = []
            emitted: list[Json] = []
            for rules in program.rules_by_stratum():
                read = {pattern.template for rule in rules for pattern in rule.patterns}
                rows_read = [row for row in emitted if row["template"] in read] + rows(arrivals, read)
                stratum_fired = self._harness.ask({"run": {"rules": [rule.name for rule in rules], "rows": rows_read}})[
                    "fired"
                ]
                for match in stratum_fired:
                    emissions = zip(match["emits"], program.rule(match["rule"]).emissions, strict=True)
                    for event, emission in ((event, emission) for event, emission in emissions if event is not None):
                        event["number"] = len(events) + len(emitted)
                        emitted.append({"template": emission.template, **event})
                fired += stratum_fired
            return list(matches(program, events, fired))

        return find


def rows(arrivals: Sequence[Arrival], read: set[str]) -> list[Json]:
    """Return the arrivals of templates that are read, with numbers among all events of the trace, and the watermark
    that the promises allow after each: a promise of t states that nothing below t follows, a watermark that nothing up
    to it does."""
    events = [arrival.event for arrival in arrivals if arrival.event is not None]
    number = {event.id: position for position, event in enumerate(events)}
    lines = []
    for event, before, reached in paced(arrivals, read):
        watermark = min(reached - 1, GREATEST_INTEGER) if reached > LEAST_INTEGER else None
        paced_row = {} if watermark is None else {"watermark": watermark}
        if event is not None:
            lines.append(described_event(event) | {"number": number[event.id]} | paced_row)
        elif reached > before and watermark is not None:
            nothing = {"template": "", "timestamp": watermark, "attributes": {}, "number": -1}
            lines.append(nothing | paced_row)
    return lines
