"""Definition and machine of CEL as engines of the kit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import metadata
from itertools import groupby, islice
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
from parte.languages.cel.algebra.denotation import TooManyValuations
from parte.languages.cel.algebra.queries import evaluate
from parte.languages.cel.algebra.readings import Readings
from parte.languages.cel.semantics import refinement
from parte.languages.cel.semantics.determinised import TooManyStates
from parte.languages.cel.semantics.machine import Machine
from parte.languages.cel.semantics.repairs import MODELS, Repairs
from parte.languages.cel.semantics.syntax.parser import Source, parse_source
from parte.languages.cel.semantics.syntax.streams import Stream, stream
from parte.semantics.events.complex_event import ComplexEvent
from parte.semantics.events.event import Event
from parte.semantics.events.problems import TraceError
from parte.semantics.events.trace import read_trace
from parte.semantics.source.diagnostics import ProgramError

Json = Any
NAME = "CEL"
MAX_RESULTS = 500_000
"""Results of one run of an engine, which are held together and sorted: their number may double with each event."""
DEFINITION, ALGEBRA = "definition", "algebra"
"""The evaluator of the definition, and its other name."""


@lru_cache(8)
def parsed(text: str) -> Source:
    """A query, kept for the other traces that it is loaded for."""
    return parse_source(text)


@dataclass(slots=True)
class _Feeding:
    """A machine that is fed line by line, the stream as it comes, and what was found."""

    machine: Machine
    stream: Stream
    found: list[dict[str, Json]] = field(default_factory=list)


@dataclass(slots=True)
class CelEngine:
    """A model behind the protocol: the definition, or a machine, which may print the share of one process."""

    model: str
    repairs: Repairs | None = None
    processes: int = 1
    index: int = 0
    rivals: str = "interval"
    _loaded: Source | None = field(default=None, init=False)
    _share: tuple[int, int] = field(default=(1, 0), init=False)
    _feeding: _Feeding | None = field(default=None, init=False)

    def hello(self) -> Greeting:
        """Who the engine is."""
        features = ("text", "diagnostics", OPTIONS, *(() if self._defining else (INCREMENTAL,)))
        return Greeting(f"parte {self.model}", metadata.version("parte"), features, languages=(NAME,))

    @property
    def _defining(self) -> bool:
        return self.model in (DEFINITION, ALGEBRA)

    def load(self, request: Load) -> Reply:
        """Read the text of a query; what the machine does not support is said here."""
        self._loaded, self._feeding = None, None
        share = self._asked(request.options)
        if share is None:
            listed = ", ".join(f"{name} {value}" for name, value in request.options.items())
            return Unsupported(f"expected processes and an index below them, from 0; asked for are {listed}"[:500])
        self._share = share
        try:
            self._loaded = parsed(request.text)
        except ProgramError as error:
            return Rejected(tuple(map(diagnostic_to_json, error.diagnostics)))
        if not self._defining:
            try:
                self._machine(self._loaded)
            except refinement.Unsupported as error:
                return Unsupported(str(error))
        return Accepted(tuple(map(diagnostic_to_json, self._loaded.warnings)))

    def _asked(self, options: Mapping[str, str]) -> tuple[int, int] | None:
        """How many processes there are, and which of them this is; None if the options do not say that."""
        if not options:
            return self.processes, self.index
        numbers = [options.get(name, "") for name in ("processes", "index")]
        if len(options) > len(numbers) or not all(re.fullmatch(r"\d{1,9}", number, re.ASCII) for number in numbers):
            return None
        processes, index = map(int, numbers)
        return (processes, index) if index < processes else None

    def run(self, trace: Sequence[Json]) -> Reply:
        """The results on a whole trace."""
        if self._loaded is None:
            return Failed("no query is loaded")
        query = self._loaded.query
        try:
            events = stream(query, read_trace(lines_of(trace)))
        except TraceError as error:
            return invalid(error)
        try:
            if self._defining:
                results = _shared(evaluate(query, events, Readings(rivals=self.rivals)), *self._share)
            else:
                results = sorted(islice(self._machine(self._loaded).run(events), MAX_RESULTS + 1))
                if len(results) > MAX_RESULTS:
                    return Failed(
                        f"more than {MAX_RESULTS} results on this trace; give it a window, or a shorter trace"
                    )
        except (TooManyValuations, TooManyStates) as error:
            return Failed(str(error))
        return Found(tuple(result_to_json(result, events) for result in results))

    def feed(self, trace: Sequence[Json]) -> Reply:
        """The results that are certain after some more lines: all that end there. Each line is read once."""
        if self._defining or self._loaded is None:
            return Unsupported(f"{self.model} runs whole traces only")
        if self._feeding is None:
            self._feeding = _Feeding(self._machine(self._loaded), Stream(self._loaded.query))
        feeding = self._feeding
        try:
            events = feeding.stream.more(lines_of(trace))
        except TraceError as error:
            return invalid(error)
        for event in events:
            results = sorted(feeding.machine.event(event))
            feeding.found.extend(result_to_json(result, feeding.stream.events) for result in results)
        return Found(tuple(feeding.found))

    def advance(self) -> Reply:
        """The results at the end: no more."""
        return self.feed(())

    def _machine(self, source: Source) -> Machine:
        repairs = MODELS[self.model] if self.repairs is None else self.repairs
        return Machine(source.query, repairs, *self._share, self.rivals)


def _shared(results: Iterable[ComplexEvent], processes: int, index: int) -> list[ComplexEvent]:
    """A share by the definition: of what ends together each process has one in turn, as many as CORE/SHARE says."""
    ends = groupby(results, lambda result: result.end)
    return [result for _, some in ends for result in list(some)[index::processes]]


def result_to_json(result: ComplexEvent, events: Sequence[Event]) -> dict[str, Json]:
    """A result with the ids of its events."""
    ids = [events[position].id for position in result.positions]
    return {"start": result.start, "end": result.end, "events": ids}
