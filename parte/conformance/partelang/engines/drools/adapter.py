"""Drools behind the protocol.

The events are inserted in their order of arrival. Before each, the pseudo clock advances to the least timestamp that is
still to come, like a running clock: scheduled actions of Drools happen at their time. All rules fire after every
insertion, and each firing is a match. At the end the clock advances until Drools has scheduled nothing more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from parte.conformance.partelang.engines.drools.jdk import drools_version, installation
from parte.conformance.partelang.engines.drools.translation import describe, timed
from parte.conformance.partelang.engines.jvm.fired import matches
from parte.conformance.partelang.engines.jvm.harness import Harness
from parte.conformance.protocol import Greeting
from parte.semantics.events.domain import Predicates
from parte.semantics.events.event import Arrival
from parte.semantics.partelang.syntax import core

Json = Any


class DroolsAdapter:
    """One Java process, and in it a new session of Drools for every trace. Unavailable without Drools or a JDK."""

    def __init__(self, *, explicit_expiry: bool = False) -> None:
        """Start the harness. With `explicit_expiry` events expire after an explicit time, not after the one that Drools
        infers."""
        installed = installation()
        self._kept = explicit_expiry
        name = "Drools, events kept" if explicit_expiry else "Drools"
        self._greeting = Greeting(name, drools_version(installed.jars[0]))
        self._harness = Harness(installed)

    @property
    def greeting(self) -> Greeting:
        """Drools, with the version of drools-core."""
        return self._greeting

    def compile(self, program: core.Program, domain: Predicates) -> Callable[[Sequence[Arrival]], list[Json]]:
        """Load the rules of a program into the harness, where they replace those of the program before."""
        self._harness.ask({"load": describe(program, domain, explicit_expiry=self._kept)})

        def find(arrivals: Sequence[Arrival]) -> list[Json]:
            events = [arrival.event for arrival in arrivals if arrival.event is not None]
            fired = self._harness.ask({"run": timed(arrivals)})["fired"]
            return list(matches(program, events, fired))

        return find
