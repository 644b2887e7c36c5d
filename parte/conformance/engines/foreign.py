"""What adapters of foreign engines share: they are given checked programs and traces (specification: protocol-load).

The adapter says how an engine is asked; reading programs, tables and traces is the project's part, so a foreign engine
has no say in what is rejected: such cases are `unsupported`, lest the project's own answers count as its.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from parte.conformance.protocol import Accepted, Failed, Found, Greeting, Load, Reply, Unsupported
from parte.semantics.events.problems import DomainError, TraceError
from parte.semantics.source.diagnostics import ProgramError

Json = Any
P = TypeVar("P")
T = TypeVar("T")


class Inexpressible(ValueError):
    """A program or a trace that an engine cannot be asked about; the message says why."""


class EngineFailure(RuntimeError):
    """The engine gave up on a case; the message is its own."""


@dataclass(frozen=True, slots=True)
class Reading(Generic[P, T]):
    """What a language makes of a `load`, and then of a trace: a program, with all it needs, and the trace for it.

    The first raises ProgramError or DomainError, the second TraceError.
    """

    program: Callable[[Load], P]
    trace: Callable[[P, Sequence[Json]], T]


@dataclass(slots=True)
class ForeignEngine(Generic[P, T]):
    """A foreign engine behind the protocol. It runs whole traces; all sources end with the trace.

    `compile` makes of a program a function from traces to matches as JSON. Both raise Inexpressible and EngineFailure.
    """

    greeting: Greeting
    reading: Reading[P, T]
    compile: Callable[[P], Callable[[T], list[Json]]]
    _loaded: tuple[P, Callable[[T], list[Json]]] | None = field(default=None, init=False)

    def hello(self) -> Greeting:
        """Who the engine is."""
        return self.greeting

    def load(self, request: Load) -> Reply:
        """Compile a program for the engine."""
        self._loaded = None
        name = self.greeting.name
        try:
            # The text, not the tree that came with it: whoever sent that, what the engine is made to run is checked.
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
        """The matches of a whole trace."""
        if self._loaded is None:
            return Failed("no program is loaded")
        program, find = self._loaded
        try:
            read = self.reading.trace(program, trace)
        except TraceError:
            return Unsupported(f"traces are read and rejected by PARTE: {self.greeting.name} is given valid ones")
        try:
            return Found(tuple(find(read)))
        except Inexpressible as reason:
            return Unsupported(str(reason))
        except EngineFailure as failure:
            return Failed(str(failure))

    def feed(self, trace: Sequence[Json]) -> Reply:
        """Not offered."""
        return Unsupported(f"the adapter of {self.greeting.name} runs whole traces; {len(trace)} lines are none")

    def advance(self) -> Reply:
        """Not offered."""
        return Unsupported(f"the adapter of {self.greeting.name} runs whole traces")


def plain(value: object) -> Json:
    """A value as replies hold it. JSON has no infinities and no NaN: they become texts, which equal no Float."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value
