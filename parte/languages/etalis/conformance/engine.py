"""Definition and machine of ETALIS as engines of the kit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from parte.conformance.engines.foreign import Inexpressible
from parte.conformance.engines.own import OwnEngine
from parte.conformance.protocol import Found, Load
from parte.languages.etalis.algebra import fixpoint
from parte.languages.etalis.algebra.evaluation import evaluate
from parte.languages.etalis.algebra.patterns import TooManyFindings
from parte.languages.etalis.algebra.policies import Recursive
from parte.languages.etalis.algebra.readings import CHOICES, Readings
from parte.languages.etalis.semantics.machine import Machine, TooManyEvents, UnsupportedPolicy
from parte.languages.etalis.semantics.policies import POLICIES
from parte.languages.etalis.semantics.published import repairs
from parte.languages.etalis.semantics.published.machine import NoClauses, Published
from parte.languages.etalis.semantics.published.terms import PrologError
from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.parser import Source
from parte.languages.etalis.semantics.syntax.streams import IntervalEvent, Stream, stream
from parte.languages.etalis.semantics.syntax.values import NumberTooLarge, value_to_json
from parte.languages.etalis.semantics.text import parsed
from parte.semantics.events.strictjson import quoted
from parte.semantics.rulebook.models import PUBLISHED

Json = Any
NAME = "ETALIS"
POLICY = "policy"
CHOSEN: dict[str, tuple[str, ...]] = {POLICY: tuple(POLICIES), **CHOICES}
"""The options of a run, each with what it may be, the default first."""


@dataclass(slots=True)
class Feeding:
    """A machine that is fed line by line, and the stream as it comes. Events up to instants that are over are
    certain."""

    machine: Machine
    stream: Stream

    def feed(self, lines: Iterable[str]) -> Iterator[dict[str, Json]]:
        """The derived events up to the instants that are over after some more lines."""
        for instant in self.stream.more(lines):
            yield from map(event_to_json, self.machine.instant(instant))

    def end(self) -> Iterator[dict[str, Json]]:
        """The derived events of the last instant, and those that no event is needed for."""
        for instant in self.stream.end():
            yield from map(event_to_json, self.machine.instant(instant))
        yield from map(event_to_json, self.machine.end())


@dataclass(slots=True)
class EtalisEngine(OwnEngine[Source]):
    """A model behind the protocol: the definition, the machine, or the clauses that E prints."""

    _options: dict[str, str] = field(default_factory=dict, init=False)

    LANGUAGE = NAME
    UNSUPPORTED = (UnsupportedPolicy, NoClauses)
    FAILED = (TooManyFindings, PrologError)
    REJECTED: ClassVar = {
        NumberTooLarge: "number-too-large",
        fixpoint.TooManyEvents: "too-many-events",
        TooManyEvents: "too-many-events",
    }

    @property
    def incremental(self) -> bool:
        """Only the machine is."""
        return not self.defining and self.name != PUBLISHED

    def read(self, request: Load) -> Source:
        """The program of a request; its options are read first."""
        for wrong in unknown(request.options):
            raise Inexpressible(wrong)
        self._options = {name: choices[0] for name, choices in CHOSEN.items()} | dict(request.options)
        source = parsed(request.text)
        if self.name == PUBLISHED:
            self._clauses(source)
        else:
            machine_of(source.program, self._options)
        return source

    def answer(self, program: Source, lines: Sequence[str]) -> Found:
        """The derived events of a whole trace."""
        instants = stream(program.program, lines)
        if self.name == PUBLISHED:
            return _found(self._clauses(program).run(instants))
        if not self.defining:
            return _found(machine_of(program.program, self._options).run(instants))
        readings = Readings(**{name: self._options[name] for name in CHOICES})
        try:
            return _found(evaluate(program.program, instants, readings, self._options[POLICY]))
        except Recursive as error:
            raise Inexpressible(
                f"the equation of policies is for programs without recursion: {error}; "
                "the model sound runs such a program"
            ) from None

    def running(self, program: Source) -> Feeding:
        """The machine, and the stream of the program."""
        return Feeding(machine_of(program.program, self._options), Stream(program.program))

    def _clauses(self, source: Source) -> Published:
        """The clauses that E prints, with the repairs without which they do not run."""
        if any(self._options[name] != choices[0] for name, choices in CHOICES.items()):
            raise NoClauses("the clauses of E have one reading")
        return Published(source.program, repairs.PUBLISHED, self._options[POLICY])


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


def _found(events: Iterable[IntervalEvent]) -> Found:
    return Found(tuple(map(event_to_json, events)))


def event_to_json(event: IntervalEvent) -> dict[str, Json]:
    """A derived event as results hold it."""
    return {
        "event": event.name,
        "arguments": [*map(value_to_json, event.arguments)],
        "start": value_to_json(event.start),
        "end": value_to_json(event.end),
    }
