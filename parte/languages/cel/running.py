"""Running queries of CEL: the machine as a trace arrives, and the definition on a whole trace."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Any

from parte.languages.cel.algebra.denotation import TooManyValuations
from parte.languages.cel.algebra.queries import evaluate as define
from parte.languages.cel.algebra.readings import CHOICES, Readings
from parte.languages.cel.semantics.determinised import TooManyStates
from parte.languages.cel.semantics.machine import Machine
from parte.languages.cel.semantics.refinement import Unsupported
from parte.languages.cel.semantics.repairs import MODELS
from parte.languages.cel.semantics.syntax.parser import Source
from parte.languages.cel.semantics.syntax.streams import Stream, stream
from parte.semantics.events.complex_event import ComplexEvent
from parte.semantics.events.event import Event
from parte.semantics.events.trace import read_trace
from parte.semantics.rulebook.models import ALGEBRA, DEFINITION, PUBLISHED, SOUND, Model
from parte.semantics.rulebook.running import Option, Request, Runner, Running, UnsupportedRun

Json = Any
MAX_RESULTS = 500_000
"""Results of a whole trace, which are held together: their number may double with each event."""
RIVALS = "rivals"


class TooManyResults(RuntimeError):
    """A whole trace has more results than can be held."""


@dataclass(slots=True)
class Feeding(Running[Json]):
    """A machine that is fed line by line, and the stream as it comes. Results are certain when they end."""

    machine: Machine
    stream: Stream
    lines: int = 0

    def feed(self, lines: Iterable[str]) -> Iterator[Sequence[Json]]:
        """Yield the results that end with each of the next events."""
        for line in lines:
            events = self.stream.more((line,))
            self.lines += 1
            for event in events:
                yield [result_to_json(result, self.stream.events) for result in sorted(self.machine.event(event))]

    def end(self) -> Iterator[Sequence[Json]]:
        """Yield nothing: no result ends after the last event."""
        return iter(())

    def stored(self) -> Mapping[str, int]:
        """Return the number of nodes that a window may still reach, by substream; 0 without a window."""
        return {
            f"substream {number}": substream.evaluation.tecs.remembered
            for number, substream in enumerate(self.machine.substreams.values(), 1)
        }


def begin(source: Source, request: Request) -> Feeding:
    """Start the machine for a query."""
    return Feeding(_machine(source, request), Stream(source.query, request.filename))


def evaluate(source: Source, lines: Iterable[str], request: Request) -> Sequence[Json]:
    """Return the results of a query on a whole trace; of several processes, the share of one."""
    events = stream(source.query, read_trace(lines, filename=request.filename), request.filename)
    if request.called in (DEFINITION, ALGEBRA):
        results = define(source.query, events, Readings(rivals=_rivals(request)))
        shared = _share(results, *_processes(request.options))
    else:
        shared = sorted(islice(_machine(source, request).run(events), MAX_RESULTS + 1))
        if len(shared) > MAX_RESULTS:
            raise TooManyResults(f"more than {MAX_RESULTS} results on this trace; give it a window, or a shorter trace")
    return [result_to_json(result, events) for result in shared]


def supports(source: Source, request: Request) -> None:
    """Raise UnsupportedRun or Unsupported if the model does not run a query."""
    _processes(request.options)
    if request.called not in (DEFINITION, ALGEBRA):
        _machine(source, request)


def _machine(source: Source, request: Request) -> Machine:
    model = request.model if isinstance(request.model, Model) else MODELS[request.model]
    return Machine(source.query, model, *_processes(request.options), _rivals(request))


def _rivals(request: Request) -> str:
    return request.options.get(RIVALS, CHOICES[RIVALS][0])


def _processes(options: Mapping[str, str]) -> tuple[int, int]:
    """Return how many processes share the results, and which of them this is. UnsupportedRun for other options."""
    options = {name: value for name, value in options.items() if name != RIVALS}
    if not options:
        return 1, 0
    numbers = [options.get(name, "") for name in ("processes", "index")]
    if len(options) == len(numbers) and all(re.fullmatch(r"\d{1,9}", number, re.ASCII) for number in numbers):
        processes, index = map(int, numbers)
        if index < processes:
            return processes, index
    listed = ", ".join(f"{name} {value}" for name, value in options.items())
    raise UnsupportedRun(f"expected processes and an index below them, from 0; asked for are {listed}"[:500])


def _share(results: Iterable[ComplexEvent], processes: int, index: int) -> list[ComplexEvent]:
    """Return a share by the definition: each process has one in turn of the results that end together (CORE/SHARE)."""
    ends = groupby(results, lambda result: result.end)
    return [result for _, some in ends for result in list(some)[index::processes]]


def result_to_json(result: ComplexEvent, events: Sequence[Event]) -> dict[str, Json]:
    """A result with the ids of its events."""
    ids = [events[position].id for position in result.positions]
    return {"start": result.start, "end": result.end, "events": ids}


RUNNER: Runner[Source] = Runner(
    models=(DEFINITION, ALGEBRA, SOUND, PUBLISHED),
    whole=frozenset((DEFINITION, ALGEBRA)),
    evaluate=evaluate,
    begin=begin,
    supports=supports,
    unsupported=(Unsupported,),
    failures=(TooManyValuations, TooManyStates, TooManyResults),
    options={
        "processes": Option("Share the results among N.", default="1"),
        "index": Option("Print the share of process P, from 0.", default="0"),
        RIVALS: Option("What a strategy compares a result with.", CHOICES[RIVALS]),
    },
    stored="nodes",
)
