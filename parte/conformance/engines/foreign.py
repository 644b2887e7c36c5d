"""Common base of the adapters of foreign engines, which get checked programs and traces (specification: protocol-load).

The adapter translates; the project itself reads programs, tables and traces. A foreign engine therefore does not
decide what is rejected: such cases are `unsupported`, so that the project's own answers do not count as the engine's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from parte.conformance.protocol import Accepted, Failed, Found, Greeting, Load, Reply, Unsupported
from parte.semantics.events.problems import DomainError, TraceError
from parte.semantics.source.diagnostics import ProgramError
from parte.semantics.source.packages import Unavailable

Json = Any
P = TypeVar("P")
T = TypeVar("T")


class Inexpressible(ValueError):
    """A program or a trace that an adapter cannot translate; the message gives the reason."""


class EngineFailure(RuntimeError):
    """A failure of the engine on a case, with the engine's own message."""


@dataclass(frozen=True, slots=True)
class Reading(Generic[P, T]):
    """The functions with which a language reads a `load`, and then a trace: into a program with all it needs, and a
    trace.

    The first raises ProgramError or DomainError, the second TraceError.
    """

    program: Callable[[Load], P]
    trace: Callable[[P, Sequence[Json]], T]


@dataclass(slots=True)
class ForeignEngine(Generic[P, T]):
    """A foreign engine behind the protocol. It runs whole traces; all sources end with the trace.

    `compile` turns a program into a function from traces to matches as JSON. Both raise Inexpressible and
    EngineFailure.
    """

    greeting: Greeting
    reading: Reading[P, T]
    compile: Callable[[P], Callable[[T], list[Json]]]
    _loaded: tuple[P, Callable[[T], list[Json]]] | None = field(default=None, init=False)

    def hello(self) -> Greeting:
        """Return the greeting."""
        return self.greeting

    def load(self, request: Load) -> Reply:
        """Compile a program for the engine."""
        self._loaded = None
        name = self.greeting.name
        try:
            # The text, not the tree of the request: the engine must only run programs that were checked here.
            program = self.reading.program(request)
        except ProgramError:
            return Unsupported(f"programs are read and rejected by PARTE: {name} is given elaborated ones")
        except DomainError:
            return Unsupported(f"domain tables are read and rejected by PARTE: {name} is given valid ones")
        try:
            self._loaded = program, self.compile(program)
        except Inexpressible as reason:
            return Unsupported(str(reason))
        except EngineFailure as failure:
            return Failed(str(failure))
        return Accepted()

    def run(self, trace: Sequence[Json]) -> Reply:
        """Return the matches of a whole trace."""
        if self._loaded is None:
            return Failed("no program is loaded")
        program, find = self._loaded
        try:
            read = self.reading.trace(program, trace)
        except TraceError:
            return Unsupported(f"traces are read and rejected by PARTE: {self.greeting.name} is given valid ones")
        try:
            return Found(tuple(find(read)))
        except (Inexpressible, Unavailable) as reason:
            return Unsupported(str(reason))
        except EngineFailure as failure:
            return Failed(str(failure))

    def feed(self, trace: Sequence[Json]) -> Reply:
        """Return Unsupported."""
        return Unsupported(f"the adapter of {self.greeting.name} runs whole traces; {len(trace)} lines are none")

    def advance(self) -> Reply:
        """Return Unsupported."""
        return Unsupported(f"the adapter of {self.greeting.name} runs whole traces")


def plain(value: object) -> Json:
    """Return a value for a reply. JSON has no infinities and no NaN: they become texts, which equal no Float."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value
