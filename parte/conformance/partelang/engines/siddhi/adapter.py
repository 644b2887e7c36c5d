"""Siddhi behind the protocol.

The events are sent in the order of their timestamps, those of one time in their order of arrival: Siddhi does not wait
for late events. Strata are apps: the emissions of one are sent to the next, at their own time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from parte.conformance.engines.foreign import plain
from parte.conformance.partelang.engines.declared import all_but
from parte.conformance.partelang.engines.jvm.fired import matches
from parte.conformance.partelang.engines.jvm.harness import Harness
from parte.conformance.partelang.engines.orders import farthest, orders
from parte.conformance.partelang.engines.siddhi.jdk import installation, siddhi_version
from parte.conformance.partelang.engines.siddhi.queries import app, columns_of, decoded, output_name, stream_name
from parte.conformance.protocol import Greeting
from parte.semantics.events.bounds import GREATEST_INTEGER
from parte.semantics.events.domain import Predicates
from parte.semantics.events.event import Arrival
from parte.semantics.partelang.syntax import core

Json = Any


class SiddhiAdapter:
    """One Java process, and in it a new app for every trace and stratum. Unavailable without Siddhi or a JDK."""

    def __init__(self) -> None:
        installed = installation()
        self.greeting = Greeting("Siddhi", siddhi_version(installed.jars), constructs=all_but("ast:list"))
        self._harness = Harness(installed)

    def compile(self, program: core.Program, domain: Predicates) -> Callable[[Sequence[Arrival]], list[Json]]:
        """Compile the apps of a program, by stratum."""
        strata = [(rules, app(program, rules, domain)) for rules in program.rules_by_stratum()]

        def find(arrivals: Sequence[Arrival]) -> list[Json]:
            events = [arrival.event for arrival in arrivals if arrival.event is not None]
            rows = [
                {"template": event.template, "timestamp": event.timestamp, "attributes": event.attributes, "number": n}
                for n, event in enumerate(events)
            ]
            fired: list[Json] = []
            for rules, text in strata:
                read = {pattern.template for rule in rules for pattern in rule.patterns}
                sent = [_row(program.template(event["template"]), event) for event in rows if event["template"] in read]
                outputs = {output_name(rule.name): rule for rule in rules}
                request = {
                    "app": text,
                    "outputs": list(outputs),
                    "events": sorted(sent, key=_time),
                    "end": _end(rules, sent),
                }
                for firing in self._harness.ask({"run": request})["fired"]:
                    match = decoded(outputs[firing["output"]], firing["row"])
                    rule = outputs[firing["output"]]
                    for emitted, emission in zip(match["emits"], rule.emissions, strict=True):
                        if emitted is not None:
                            emitted["number"] = len(rows)
                            rows.append({"template": emission.template, **emitted})
                    fired.append(match)
            return list(matches(program, events, fired))

        return find


def _time(row: Json) -> int:
    return int(row["timestamp"])


def _row(template: core.Template, event: Json) -> Json:
    values = [plain(event["attributes"].get(name)) for name in columns_of(template)]
    return {
        "stream": stream_name(template.name),
        "timestamp": event["timestamp"],
        "data": [event["number"], event["timestamp"], *values],
    }


def _end(rules: Sequence[core.Rule], sent: Sequence[Json]) -> int:
    """Return the time at which everything is decided that waits for time to pass."""
    longest = max(farthest(rule, order) for rule in rules for order in orders(rule))
    return min(max((_time(row) for row in sent), default=0) + longest + 2, GREATEST_INTEGER)
