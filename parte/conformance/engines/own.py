"""The definition and the machines of a language as engines: one engine, over what the language makes of a program.

A language subclasses `OwnEngine`. It reads a program (`read`), finds the matches of a whole trace (`answer`) and starts
a run that is fed (`running`). It raises Inexpressible for what a model does not take, and EngineFailure where one gives
up. `UNSUPPORTED`, `FAILED` and `REJECTED` list what its own exceptions mean.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import metadata
from itertools import chain
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from parte.conformance.engines.answers import diagnostic_to_json, invalid, lines_of
from parte.conformance.engines.foreign import EngineFailure, Inexpressible
from parte.conformance.engines.registry import Listed
from parte.conformance.protocol import (
    INCREMENTAL,
    INVALID_DOMAIN,
    OPTIONS,
    Accepted,
    Engine,
    Failed,
    Found,
    Greeting,
    Load,
    Rejected,
    Reply,
    Unsupported,
)
from parte.semantics.events.problems import DomainError, TraceError
from parte.semantics.events.running import Running
from parte.semantics.rulebook.models import PUBLISHED, SOUND, Model
from parte.semantics.source.diagnostics import Diagnostic, ProgramError

Json = Any
Object = dict[str, Json]
DEFINITION, ALGEBRA = "definition", "algebra"
"""The evaluator of the definition of a guest, and its other name."""


class Read(Protocol):
    """A program as its language reads it."""

    @property
    def warnings(self) -> Sequence[Diagnostic]:
        """What the parser warns of."""
        ...


P = TypeVar("P", bound=Read)


@dataclass(slots=True)
class OwnEngine(ABC, Generic[P]):
    """A model behind the protocol: a machine, or the definition or another evaluator by its name."""

    model: str | Model
    _loaded: P | None = field(default=None, init=False)
    _running: Running[Object] | None = field(default=None, init=False)
    _matches: list[Object] = field(default_factory=list, init=False)

    LANGUAGE: ClassVar[str]
    PROGRAM: ClassVar[str] = "program"
    """What the language calls a program."""
    FEATURES: ClassVar[tuple[str, ...]] = ("text", "diagnostics", OPTIONS)
    UNSUPPORTED: ClassVar[tuple[type[Exception], ...]] = ()
    FAILED: ClassVar[tuple[type[Exception], ...]] = ()
    REJECTED: ClassVar[Mapping[type[Exception], str]] = {}
    """The codes with which a trace is rejected."""

    @abstractmethod
    def read(self, request: Load) -> P:
        """The program of a request, for which the model has a machine."""

    @abstractmethod
    def answer(self, program: P, lines: Sequence[str]) -> Found:
        """The matches of a whole trace."""

    @abstractmethod
    def running(self, program: P) -> Running[Object]:
        """A run that is fed, if the engine is incremental."""

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.model if isinstance(self.model, str) else self.model.name

    @property
    def defining(self) -> bool:
        """Whether this is the evaluator of the definition."""
        return self.name in (DEFINITION, ALGEBRA)

    @property
    def incremental(self) -> bool:
        """Whether the engine answers `feed` and `advance`."""
        return not self.defining

    def hello(self) -> Greeting:
        """Who the engine is."""
        features = (*self.FEATURES, *((INCREMENTAL,) if self.incremental else ()))
        return Greeting(f"parte {self.name}", metadata.version("parte"), features, languages=(self.LANGUAGE,))

    def load(self, request: Load) -> Reply:
        """Read a program, and forget the one before."""
        self._loaded, self._running, self._matches = None, None, []

        def accepted() -> Reply:
            self._loaded = self.read(request)
            return Accepted(tuple(map(diagnostic_to_json, self._loaded.warnings)))

        return self._replied(accepted)

    def run(self, trace: Sequence[Json]) -> Reply:
        """The matches of a whole trace."""
        loaded = self._loaded
        if loaded is None:
            return Failed(f"no {self.PROGRAM} is loaded")
        return self._replied(lambda: self.answer(loaded, lines_of(trace)))

    def feed(self, trace: Sequence[Json]) -> Reply:
        """The matches that are certain after some more lines; each line is read once."""
        return self._more(lambda running: running.feed(lines_of(trace)))

    def advance(self) -> Reply:
        """The matches after the end of every source."""
        return self._more(lambda running: chain(running.feed(()), running.end()))

    def fed(self, matches: Sequence[Object]) -> Found:
        """The reply with all matches of a run so far."""
        return Found(tuple(matches))

    def _more(self, ask: Callable[[Running[Object]], Iterable[Object]]) -> Reply:
        loaded = self._loaded
        if loaded is None or not self.incremental:
            return Unsupported(f"{self.name} runs whole traces only")

        def matches() -> Reply:
            running = self._running = self._running or self.running(loaded)
            for match in ask(running):
                self._matches.append(match)
            return self.fed(self._matches)

        return self._replied(matches)

    def _replied(self, ask: Callable[[], Reply]) -> Reply:
        try:
            return ask()
        except Exception as error:
            reply = self._meaning(error)
            if reply is None:
                raise
            return reply

    def _meaning(self, error: Exception) -> Reply | None:
        """What an exception says to who asks; None if it is a mistake of the engine."""
        if isinstance(error, ProgramError):
            return Rejected(tuple(map(diagnostic_to_json, error.diagnostics)))
        if isinstance(error, DomainError):
            return Rejected(({"code": INVALID_DOMAIN, "message": error.render()},))
        if isinstance(error, TraceError):
            return invalid(error)
        if isinstance(error, (Inexpressible, *self.UNSUPPORTED)):
            return Unsupported(str(error))
        if isinstance(error, (EngineFailure, *self.FAILED)):
            return Failed(str(error))
        code = next((code for kind, code in self.REJECTED.items() if isinstance(error, kind)), None)
        return None if code is None else Rejected(({"code": code, "message": str(error)},))


def own(make: Callable[[str], Engine]) -> dict[str, Listed]:
    """The definition of a guest, by both names, and its machines."""
    return {name: Listed(partial(make, name)) for name in (DEFINITION, ALGEBRA, SOUND, PUBLISHED)}
