"""Running queries of EQL: the machine as a trace arrives, and the definition on a whole trace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from parte.languages.eql.algebra.sequences import TooManyTuples
from parte.languages.eql.algebra.sequences import evaluate as define
from parte.languages.eql.semantics.machine import Machine
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.parser import Source
from parte.languages.eql.semantics.syntax.readings import CHOICES, Readings, readings_of
from parte.languages.eql.semantics.syntax.streams import TIEBREAKER, Stream, ordered
from parte.semantics.events.trace import read_trace
from parte.semantics.rulebook.models import ALGEBRA, DEFINITION, SOUND
from parte.semantics.rulebook.running import Option, Request, Runner, Running, UnsupportedRun

Json = Any


@dataclass(slots=True)
class Feeding(Running[Json]):
    """A machine that is fed line by line. A result is certain when no event comes any more that could change it."""

    machine: Machine
    stream: Stream

    def feed(self, lines: Iterable[str]) -> Iterator[Sequence[Json]]:
        """Yield the results that are certain after each of the next lines."""
        for line in lines:
            arrived = self.stream.read(line)
            self.lines = self.stream.lines
            yield self.machine.arrive(arrived, self.stream.bound)

    def end(self) -> Iterator[Sequence[Json]]:
        """Yield the results that are left when no event comes any more."""
        yield self.machine.end()

    def stored(self) -> Mapping[str, int]:
        """Return how much the machine keeps, by kind."""
        return self.machine.stored()


def begin(source: Source, request: Request) -> Feeding:
    """Start the machine for a query."""
    stream = _stream(source, request)
    return Feeding(Machine(source.query, stream.readings, bool(stream.tiebreaker)), stream)


def evaluate(source: Source, lines: Iterable[str], request: Request) -> Sequence[Json]:
    """Return the results of a query on a whole trace, by the last event and the first."""
    trace = read_trace(lines, filename=request.filename, nulls=True)
    stream = _stream(source, request)
    if request.called in (DEFINITION, ALGEBRA):
        return define(source.query, ordered(trace, stream), stream.readings)
    machine = Machine(source.query, stream.readings, bool(stream.tiebreaker))
    results: list[Json] = []
    for item in trace:
        arrived = stream.add(item)
        results += machine.arrive(arrived, stream.bound)
    return [*results, *machine.end()]


def _stream(source: Source, request: Request) -> Stream:
    query = source.query
    spanned = isinstance(query, tree.Sequence) and query.maxspan is not None
    tiebreaker = request.options.get(TIEBREAKER, "")
    return Stream(_readings(request), tiebreaker, request.disorder, request.filename, spanned)


def _readings(request: Request) -> Readings:
    try:
        return readings_of({name: value for name, value in request.options.items() if name != TIEBREAKER})
    except ValueError as error:
        raise UnsupportedRun(str(error)) from None


RUNNER: Runner[Source] = Runner(
    models=(DEFINITION, ALGEBRA, SOUND),
    whole=frozenset((DEFINITION, ALGEBRA)),
    evaluate=evaluate,
    begin=begin,
    supports=lambda _, request: _readings(request),
    failures=(TooManyTuples,),
    options={TIEBREAKER: Option("The attribute that orders events of one timestamp.", attribute=True)},
    readings=CHOICES,
    stored="chains and events",
    disorder=True,
    in_order=False,
)
