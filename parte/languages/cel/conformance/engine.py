"""Definition and machine of CEL as engines of the kit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice
from typing import Any

from parte.conformance.engines.foreign import EngineFailure, Inexpressible
from parte.conformance.engines.own import OwnEngine
from parte.conformance.protocol import Found, Load
from parte.languages.cel.algebra.denotation import TooManyValuations
from parte.languages.cel.algebra.queries import evaluate
from parte.languages.cel.algebra.readings import Readings
from parte.languages.cel.semantics import refinement
from parte.languages.cel.semantics.determinised import TooManyStates
from parte.languages.cel.semantics.machine import Machine
from parte.languages.cel.semantics.repairs import MODELS
from parte.languages.cel.semantics.syntax.parser import Source
from parte.languages.cel.semantics.syntax.streams import Stream, stream
from parte.languages.cel.semantics.text import parsed
from parte.semantics.events.complex_event import ComplexEvent
from parte.semantics.events.event import Event
from parte.semantics.events.trace import read_trace
from parte.semantics.rulebook.models import Model

Json = Any
NAME = "CEL"
MAX_RESULTS = 500_000
"""Results of one run of an engine, which are held together and sorted: their number may double with each event."""


@dataclass(slots=True)
class Feeding:
    """A machine that is fed line by line, and the stream as it comes. Results are certain when they end."""

    machine: Machine
    stream: Stream

    def feed(self, lines: Iterable[str]) -> Iterator[dict[str, Json]]:
        """The results that end with the events of some more lines."""
        for event in self.stream.more(lines):
            for result in sorted(self.machine.event(event)):
                yield result_to_json(result, self.stream.events)

    def end(self) -> tuple[dict[str, Json], ...]:
        """No more."""
        return ()


@dataclass(slots=True)
class CelEngine(OwnEngine[Source]):
    """A model behind the protocol: the definition, or a machine, which may print the share of one process."""

    processes: int = 1
    index: int = 0
    rivals: str = "interval"
    _share: tuple[int, int] = field(default=(1, 0), init=False)

    LANGUAGE = NAME
    PROGRAM = "query"
    UNSUPPORTED = (refinement.Unsupported,)
    FAILED = (TooManyValuations, TooManyStates)

    def read(self, request: Load) -> Source:
        """The query of a request; which share is asked for is read first."""
        self._share = self._asked(request.options)
        source = parsed(request.text)
        if not self.defining:
            self._machine(source)
        return source

    def _asked(self, options: Mapping[str, str]) -> tuple[int, int]:
        """How many processes there are, and which of them this is."""
        if not options:
            return self.processes, self.index
        numbers = [options.get(name, "") for name in ("processes", "index")]
        if len(options) == len(numbers) and all(re.fullmatch(r"\d{1,9}", number, re.ASCII) for number in numbers):
            processes, index = map(int, numbers)
            if index < processes:
                return processes, index
        listed = ", ".join(f"{name} {value}" for name, value in options.items())
        raise Inexpressible(f"expected processes and an index below them, from 0; asked for are {listed}"[:500])

    def answer(self, program: Source, lines: Sequence[str]) -> Found:
        """The results on a whole trace."""
        events = stream(program.query, read_trace(lines))
        if self.defining:
            results = _shared(evaluate(program.query, events, Readings(rivals=self.rivals)), *self._share)
        else:
            results = sorted(islice(self._machine(program).run(events), MAX_RESULTS + 1))
            if len(results) > MAX_RESULTS:
                raise EngineFailure(
                    f"more than {MAX_RESULTS} results on this trace; give it a window, or a shorter trace"
                )
        return Found(tuple(result_to_json(result, events) for result in results))

    def running(self, program: Source) -> Feeding:
        """The machine, and the stream of the query."""
        return Feeding(self._machine(program), Stream(program.query))

    def _machine(self, source: Source) -> Machine:
        model = self.model if isinstance(self.model, Model) else MODELS[self.model]
        return Machine(source.query, model, *self._share, self.rivals)


def _shared(results: Iterable[ComplexEvent], processes: int, index: int) -> list[ComplexEvent]:
    """A share by the definition: of what ends together each process has one in turn, as many as CORE/SHARE says."""
    ends = groupby(results, lambda result: result.end)
    return [result for _, some in ends for result in list(some)[index::processes]]


def result_to_json(result: ComplexEvent, events: Sequence[Event]) -> dict[str, Json]:
    """A result with the ids of its events."""
    ids = [events[position].id for position in result.positions]
    return {"start": result.start, "end": result.end, "events": ids}
