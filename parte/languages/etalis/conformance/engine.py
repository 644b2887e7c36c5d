"""Definition and machine of ETALIS as engines of the kit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import metadata
from typing import Any

from parte.conformance.engines.answers import diagnostic_to_json, invalid, lines_of
from parte.conformance.protocol import (
    INCREMENTAL,
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
from parte.languages.etalis.algebra import fixpoint
from parte.languages.etalis.algebra.evaluation import evaluate
from parte.languages.etalis.algebra.patterns import TooManyFindings
from parte.languages.etalis.algebra.policies import Recursive
from parte.languages.etalis.algebra.readings import CHOICES, Readings
from parte.languages.etalis.semantics.machine import Machine, TooManyEvents, UnsupportedPolicy
from parte.languages.etalis.semantics.policies import POLICIES
from parte.languages.etalis.semantics.published.machine import NoClauses, Published
from parte.languages.etalis.semantics.published.repairs import RUNNING
from parte.languages.etalis.semantics.published.terms import PrologError
from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.parser import Source, parse_source
from parte.languages.etalis.semantics.syntax.streams import IntervalEvent, Stream, stream
from parte.languages.etalis.semantics.syntax.values import NumberTooLarge, value_to_json
from parte.semantics.events.problems import TraceError
from parte.semantics.events.strictjson import quoted
from parte.semantics.source.diagnostics import ProgramError

Json = Any
NAME = "ETALIS"
DEFINITION, ALGEBRA, PUBLISHED = "definition", "algebra", "published"
"""The evaluator of the definition, its other name, and the clauses that E prints."""

POLICY = "policy"
CHOSEN: dict[str, tuple[str, ...]] = {POLICY: tuple(POLICIES), **CHOICES}
"""The options of a run, each with what it may be, the default first."""


@lru_cache(8)
def parsed(text: str) -> Source:
    """A program, kept for the other traces that it is loaded for."""
    return parse_source(text)


@dataclass(slots=True)
class _Feeding:
    """A machine that is fed line by line, the stream as it comes, and what was found."""

    machine: Machine
    stream: Stream
    found: list[dict[str, Json]] = field(default_factory=list)


@dataclass(slots=True)
class EtalisEngine:
    """A model behind the protocol: the definition, or the machine."""

    model: str
    _loaded: Source | None = field(default=None, init=False)
    _options: dict[str, str] = field(default_factory=dict, init=False)
    _feeding: _Feeding | None = field(default=None, init=False)

    def hello(self) -> Greeting:
        """Who the engine is."""
        features = ("text", "diagnostics", OPTIONS, *((INCREMENTAL,) if self._incremental else ()))
        return Greeting(f"parte {self.model}", metadata.version("parte"), features, languages=(NAME,))

    @property
    def _defining(self) -> bool:
        return self.model in (DEFINITION, ALGEBRA)

    @property
    def _incremental(self) -> bool:
        return not self._defining and self.model != PUBLISHED

    def load(self, request: Load) -> Reply:
        """Read the text of a program; which options there are not is said here."""
        self._loaded, self._feeding = None, None
        wrong = next(unknown(request.options), None)
        if wrong is not None:
            return Unsupported(wrong)
        self._options = {name: choices[0] for name, choices in CHOSEN.items()} | dict(request.options)
        try:
            self._loaded = parsed(request.text)
            if self.model == PUBLISHED:
                self._clauses(self._loaded)
            else:
                self._machine(self._loaded)
        except ProgramError as error:
            return Rejected(tuple(map(diagnostic_to_json, error.diagnostics)))
        except (UnsupportedPolicy, NoClauses) as error:
            self._loaded = None
            return Unsupported(str(error))
        return Accepted(tuple(map(diagnostic_to_json, self._loaded.warnings)))

    def run(self, trace: Sequence[Json]) -> Reply:
        """The derived events of a whole trace."""
        if self._loaded is None:
            return Failed("no program is loaded")
        program = self._loaded.program
        try:
            instants = stream(program, lines_of(trace))
        except TraceError as error:
            return invalid(error)
        try:
            if self.model == PUBLISHED:
                return Found(_written(self._clauses(self._loaded).run(instants)))
            if not self._defining:
                return Found(_written(self._machine(self._loaded).run(instants)))
            readings = Readings(**{name: self._options[name] for name in CHOICES})
            return Found(_written(evaluate(program, instants, readings, self._options[POLICY])))
        except (fixpoint.TooManyEvents, TooManyEvents, NumberTooLarge) as error:
            return stopped(error)
        except Recursive as error:
            return Unsupported(
                f"the equation of policies is for programs without recursion: {error}; "
                "the model sound runs such a program"
            )
        except (TooManyFindings, PrologError) as error:
            return Failed(str(error))

    def feed(self, trace: Sequence[Json]) -> Reply:
        """The derived events that are certain after some more lines: those up to instants that are over."""
        if not self._incremental or self._loaded is None:
            return Unsupported(f"{self.model} runs whole traces only")
        if self._feeding is None:
            self._feeding = _Feeding(self._machine(self._loaded), Stream(self._loaded.program))
        feeding = self._feeding
        try:
            for instant in feeding.stream.more(lines_of(trace)):
                feeding.found += _written(feeding.machine.instant(instant))
        except TraceError as error:
            return invalid(error)
        except (TooManyEvents, NumberTooLarge) as error:
            return stopped(error)
        return Found(tuple(feeding.found))

    def advance(self) -> Reply:
        """The derived events of a stream that has ended."""
        reply = self.feed(())
        feeding = self._feeding
        if not isinstance(reply, Found) or feeding is None:
            return reply
        try:
            for instant in feeding.stream.end():
                feeding.found += _written(feeding.machine.instant(instant))
            feeding.found += _written(feeding.machine.end())
        except (TooManyEvents, NumberTooLarge) as error:
            return stopped(error)
        return Found(tuple(feeding.found))

    def _clauses(self, source: Source) -> Published:
        """The clauses that E prints, with the repairs without which they do not run."""
        if any(self._options[name] != choices[0] for name, choices in CHOICES.items()):
            raise NoClauses("the clauses of E have one reading")
        return Published(source.program, RUNNING, self._options[POLICY])

    def _machine(self, source: Source) -> Machine:
        return machine_of(source.program, self._options)


def machine_of(program: tree.Program, options: Mapping[str, str]) -> Machine:
    """The machine for a program and options. UnsupportedPolicy."""
    chosen = {name: choices[0] for name, choices in CHOSEN.items()} | dict(options)
    policy, lasting, negation, during = (chosen[name] for name in (POLICY, "lasting", "negation", "during"))
    return Machine(program, POLICIES[policy], lasting, negation, during)


def unknown(options: Mapping[str, str]) -> Iterator[str]:
    """What is wrong with options."""
    for name, value in options.items():
        if name not in CHOSEN:
            yield f"there is no option {quoted(name)}; there are {', '.join(CHOSEN)}"
        elif value not in CHOSEN[name]:
            yield f"{name}: expected {', '.join(CHOSEN[name])}, found {quoted(value)}"


def stopped(error: Exception) -> Rejected:
    """The reply to a trace on which a program has no end."""
    code = "number-too-large" if isinstance(error, NumberTooLarge) else "too-many-events"
    return Rejected(({"code": code, "message": str(error)},))


def _written(events: Iterable[IntervalEvent]) -> tuple[dict[str, Json], ...]:
    return tuple(map(event_to_json, events))


def event_to_json(event: IntervalEvent) -> dict[str, Json]:
    """A derived event as results hold it."""
    return {
        "event": event.name,
        "arguments": [*map(value_to_json, event.arguments)],
        "start": value_to_json(event.start),
        "end": value_to_json(event.end),
    }
