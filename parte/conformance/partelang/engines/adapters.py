"""The interface of adapters of foreign engines for PARTElang, and the engine of the kit that an adapter becomes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from parte.conformance.engines.foreign import ForeignEngine, Inexpressible, Reading
from parte.conformance.engines.registry import calling
from parte.conformance.partelang.engines.reading import Loaded, read_program
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


LEVEL_2 = "a program of level 2: the translation has level 1"


def behind(adapter: Adapter, level: int = 1) -> Engine:
    """Return the foreign engine behind an adapter that translates programs up to a level."""

    def compiled(read: Loaded) -> Callable[[Sequence[Arrival]], list[Json]]:
        if read.program.level > level:
            raise Inexpressible(LEVEL_2)
        return adapter.compile(read.program, read.predicates)

    return ForeignEngine(
        adapter.greeting, Reading(read_program, lambda loaded, trace: loaded.scenario(trace).arrivals), compiled
    )


def adapted(place: str, *, level: int = 1, **arguments: object) -> Callable[[], Engine]:
    """Return a function that creates the engine behind the adapter that `module:name` creates."""
    make = calling(place, **arguments)
    return lambda: behind(make(), level)
