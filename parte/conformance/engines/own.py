"""The definition and the machines of a language as engines: one engine, over what the language makes of a program.

`RunnerEngine` serves a language by the `Runner` of its record. `OwnEngine` is for PARTElang, whose programs need a
domain and whose machines have schedules: a subclass reads a program (`read`), finds the matches of a whole trace
(`answer`) and starts a run that is fed (`running`). It raises Inexpressible for what a model does not take, and
EngineFailure where one gives up; `UNSUPPORTED` lists other exceptions that mean the former.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import metadata
from itertools import chain
from typing import Any, ClassVar, Generic, TypeVar

from parte.conformance.engines.answers import diagnostic_to_json, invalid, lines_of
from parte.conformance.engines.foreign import EngineFailure, Inexpressible
from parte.conformance.engines.registry import Listed
from parte.conformance.protocol import (
    INCREMENTAL,
    INVALID_DOMAIN,
    OPTIONS,
    Accepted,
    Failed,
    Found,
    Greeting,
    Load,
    Rejected,
    Reply,
    Unsupported,
)
from parte.semantics.events.problems import DomainError, TraceError
from parte.semantics.rulebook.models import Model
from parte.semantics.rulebook.running import Request, Runner, Running, UnsupportedRun
from parte.semantics.source.diagnostics import Diagnostic, ProgramError
from parte.semantics.source.text import Text

Json = Any
Object = dict[str, Json]


P = TypeVar("P")
M = TypeVar("M")


@dataclass(slots=True)
class OwnEngine(ABC, Generic[P, M]):
    """A model behind the protocol: a machine, or the definition or another evaluator by its name."""

    model: str | Model
    _loaded: P | None = field(default=None, init=False)
    _running: Running[M] | None = field(default=None, init=False)
    _matches: list[M] = field(default_factory=list, init=False)

    LANGUAGE: ClassVar[str]
    PROGRAM: ClassVar[str] = "program"
    """The word for a program of the language, in messages."""
    FEATURES: ClassVar[tuple[str, ...]] = ("text", "diagnostics", OPTIONS)
    UNSUPPORTED: ClassVar[tuple[type[Exception], ...]] = ()

    @abstractmethod
    def read(self, request: Load) -> P:
        """The program of a request, for which the model has a machine."""

    @abstractmethod
    def warnings(self, program: P) -> Sequence[Diagnostic]:
        """Return the warnings of the parser."""

    @abstractmethod
    def answer(self, program: P, lines: Sequence[str]) -> Found:
        """The matches of a whole trace."""

    @abstractmethod
    def running(self, program: P) -> Running[M]:
        """A run that is fed, if the engine is incremental."""

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.model if isinstance(self.model, str) else self.model.name

    @property
    @abstractmethod
    def incremental(self) -> bool:
        """True if the engine answers `feed` and `advance`."""

    def hello(self) -> Greeting:
        """Who the engine is."""
        features = (*self.FEATURES, *((INCREMENTAL,) if self.incremental else ()))
        return Greeting(f"parte {self.name}", metadata.version("parte"), features, languages=(self.LANGUAGE,))

    def load(self, request: Load) -> Reply:
        """Read a program, and forget the one before."""
        self._loaded, self._running, self._matches = None, None, []

        def accepted() -> Reply:
            self._loaded = self.read(request)
            return Accepted(tuple(map(diagnostic_to_json, self.warnings(self._loaded))))

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

    @abstractmethod
    def fed(self, matches: Sequence[M]) -> Found:
        """The reply with all matches of a run so far."""

    def _more(self, ask: Callable[[Running[M]], Iterable[Sequence[M]]]) -> Reply:
        loaded = self._loaded
        if loaded is None or not self.incremental:
            return Unsupported(f"{self.name} runs whole traces only")

        def matches() -> Reply:
            running = self._running = self._running or self.running(loaded)
            for batch in ask(running):
                self._matches.extend(batch)
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
        """Return the reply that reports an exception; None for an exception that is an error of the engine."""
        if isinstance(error, ProgramError):
            return Rejected(tuple(map(diagnostic_to_json, error.diagnostics)))
        if isinstance(error, DomainError):
            return Rejected(({"code": INVALID_DOMAIN, "message": error.render()},))
        if isinstance(error, TraceError):
            return invalid(error)
        if isinstance(error, (Inexpressible, UnsupportedRun, *self.UNSUPPORTED)):
            return Unsupported(str(error))
        return Failed(str(error)) if isinstance(error, EngineFailure) else None


@dataclass(slots=True)
class RunnerEngine(OwnEngine[Any, Object]):
    """A model of a language whose record has a `Runner` (`parte.semantics.rulebook.running`), behind the protocol."""

    _request: Request = field(init=False)

    RUNNER: ClassVar[Runner[Any]]
    TEXT: ClassVar[Text[Any]]

    @property
    def incremental(self) -> bool:
        """True if the engine answers `feed` and `advance`."""
        return self.name not in self.RUNNER.whole

    def read(self, request: Load) -> Any:
        """The program of a request; what the model does not run is refused."""
        disorder = int(request.deployment.get("disorder", 0))
        self._request = Request(self.model, request.options, disorder)
        source = self.TEXT.parse(request.text)
        self.RUNNER.supports(source, self._request)
        return source

    def warnings(self, program: Any) -> Sequence[Diagnostic]:
        """Return the warnings of the parser."""
        return self.TEXT.warnings(program)

    def answer(self, program: Any, lines: Sequence[str]) -> Found:
        """The matches of a whole trace."""
        return Found(tuple(self.RUNNER.evaluate(program, lines, self._request)))

    def running(self, program: Any) -> Running[Object]:
        """The machine, which is fed."""
        return self.RUNNER.begin(program, self._request)

    def fed(self, matches: Sequence[Object]) -> Found:
        """The reply with all matches of a run so far."""
        return Found(tuple(matches))

    def _meaning(self, error: Exception) -> Reply | None:
        runner = self.RUNNER
        if isinstance(error, runner.unsupported):
            return Unsupported(str(error))
        if isinstance(error, runner.failures):
            return Failed(str(error))
        code = next((code for kind, code in runner.rejections.items() if isinstance(error, kind)), None)
        return OwnEngine._meaning(self, error) if code is None else Rejected(({"code": code, "message": str(error)},))


def own(make: type[RunnerEngine]) -> dict[str, Listed]:
    """Return the definition of a guest, by both names, and its machines."""
    return {name: Listed(partial(make, name)) for name in make.RUNNER.models}
