"""The interface of adapters of foreign engines for PARTElang, and the engine of the kit that an adapter becomes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from parte.conformance.engines.foreign import ForeignEngine, Reading
from parte.conformance.engines.registry import calling
from parte.conformance.partelang.engines.reading import read_program
from parte.conformance.protocol import Engine, Greeting
from parte.semantics.events.domain import Predicates
from parte.semantics.events.event import Arrival
from parte.semantics.partelang.syntax import core

Json = Any


class Adapter(Protocol):
    """A translation of programs and traces for a foreign engine."""

    @property
    def greeting(self) -> Greeting:
        """The name of the engine, with the installed version."""
        ...

    def compile(self, program: core.Program, domain: Predicates) -> Callable[[Sequence[Arrival]], list[Json]]:
        """Return a function from arrivals, in their order, to matches as JSON. Both raise Inexpressible and
        EngineFailure."""
        ...


def behind(adapter: Adapter) -> Engine:
    """Return the foreign engine behind an adapter."""
    reading = Reading(read_program, lambda loaded, trace: loaded.scenario(trace).arrivals)
    return ForeignEngine(adapter.greeting, reading, lambda read: adapter.compile(read.program, read.predicates))


def adapted(place: str, **arguments: object) -> Callable[[], Engine]:
    """Return a function that creates the engine behind the adapter that `module:name` creates."""
    make = calling(place, **arguments)
    return lambda: behind(make())
