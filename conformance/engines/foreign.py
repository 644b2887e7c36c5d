"""What the adapters of foreign engines share: they are given elaborated programs and checked traces (SPEC §7).

The adapter says how an engine is asked; reading programs, domain tables and traces is the project's part, so a foreign
engine has no say in what is rejected: such cases are `unsupported`, lest the project's own answers count as its.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from conformance.protocol import Accepted, Failed, Found, Greeting, Load, Reply, Unsupported
from semantics.events.conformity import conform
from semantics.events.domain import bind_domain, read_domain
from semantics.events.event import Arrival
from semantics.events.problems import DomainError, TraceError
from semantics.events.promises import arrivals
from semantics.events.trace import read_trace
from semantics.syntax import core
from semantics.syntax.diagnostics import ProgramError
from semantics.syntax.elaborate import parse

Json = Any
Domain = Mapping[str, Callable[..., bool]]


class Inexpressible(ValueError):
    """A program or a trace that an engine cannot be asked about; the message says why."""


class EngineFailure(RuntimeError):
    """The engine gave up on a case; the message is its own."""


class Adapter(Protocol):
    """How a foreign engine is asked."""

    @property
    def greeting(self) -> Greeting:
        """Who the engine is, with the version of what is installed."""
        ...

    def compile(self, program: core.Program, domain: Domain) -> Callable[[Sequence[Arrival]], list[Json]]:
        """A function from arrivals, in their order, to matches as JSON. Both raise Inexpressible and EngineFailure."""
        ...


@dataclass(slots=True)
class ForeignEngine:
    """An adapter behind the protocol. It runs whole traces; all sources end with the trace."""

    adapter: Adapter
    _program: core.Program | None = field(default=None, init=False)
    _find: Callable[[Sequence[Arrival]], list[Json]] | None = field(default=None, init=False)
    _disorder: int = field(default=0, init=False)

    def hello(self) -> Greeting:
        """Who the engine is."""
        return self.adapter.greeting

    def load(self, request: Load) -> Reply:
        """Compile a program for the engine."""
        self._find = None
        name = self.adapter.greeting.name
        try:
            # The text, not the tree that came with it: whoever sent that, what the engine is made to run is checked.
            self._program = parse(request.text)
            domain = bind_domain(self._program, read_domain(request.domain))
        except ProgramError:
            return Unsupported(f"programs are read and rejected by PARTE: {name} is given elaborated ones")
        except DomainError:
            return Unsupported(f"domain tables are read and rejected by PARTE: {name} is given valid ones")
        self._disorder = int(request.deployment.get("disorder", 0))
        try:
            self._find = self.adapter.compile(self._program, domain)
        except Inexpressible as reason:
            return Unsupported(str(reason))
        except EngineFailure as failure:
            return Failed(str(failure))
        return Accepted()

    def run(self, trace: Sequence[Json]) -> Reply:
        """The matches of a whole trace."""
        if self._program is None or self._find is None:
            return Failed("no program is loaded")
        try:
            items = conform(self._program, read_trace([json.dumps(line, ensure_ascii=False) for line in trace]))
            arriving = arrivals(items, disorder=self._disorder)
        except TraceError:
            name = self.adapter.greeting.name
            return Unsupported(f"traces are read and rejected by PARTE: {name} is given valid ones")
        try:
            return Found(tuple(self._find(arriving)))
        except Inexpressible as reason:
            return Unsupported(str(reason))
        except EngineFailure as failure:
            return Failed(str(failure))

    def feed(self, trace: Sequence[Json]) -> Reply:
        """Not offered."""
        return Unsupported(
            f"the adapter of {self.adapter.greeting.name} runs whole traces; {len(trace)} lines are none"
        )

    def advance(self) -> Reply:
        """Not offered."""
        return Unsupported(f"the adapter of {self.adapter.greeting.name} runs whole traces")


def plain(value: object) -> Json:
    """A value as replies hold it. JSON has no infinities and no NaN: they become texts, which equal no Float."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value
