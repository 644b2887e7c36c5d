"""Running rules of LEAD: the net as a trace arrives, and the definition on a whole trace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from parte.languages.lead.algebra.effort import TooManyMatches
from parte.languages.lead.algebra.rules import evaluate as define
from parte.languages.lead.semantics.feeding import Feeding as Machines
from parte.languages.lead.semantics.machine import Machine
from parte.languages.lead.semantics.net import TooManyFirings
from parte.languages.lead.semantics.repairs import MODELS
from parte.languages.lead.semantics.syntax.matches import match_to_json
from parte.languages.lead.semantics.syntax.parser import Source
from parte.languages.lead.semantics.syntax.readings import CHOICES, USUAL, Readings
from parte.languages.lead.semantics.syntax.streams import occurrences
from parte.languages.lead.semantics.translation import NoNet
from parte.semantics.events.event import Event
from parte.semantics.events.problems import TraceError
from parte.semantics.events.strictjson import quoted
from parte.semantics.events.trace import LineReader, read_trace
from parte.semantics.rulebook.models import ALGEBRA, DEFINITION, PUBLISHED, SOUND, Model
from parte.semantics.rulebook.running import Request, Runner, Running, UnsupportedRun

Json = Any
RULE = "rule"
"""The name of a rule that comes from no file."""


@dataclass(slots=True)
class Feeding(Running[Json]):
    """The nets of a rule, fed line by line. Matches whose instant is over are certain."""

    machine: Machines
    called: str
    reader: LineReader
    lines: int = 0

    def feed(self, lines: Iterable[str]) -> Iterator[Sequence[Json]]:
        """Yield the matches of the instants that are over after each of the next lines."""
        for line in lines:
            self.lines += 1
            if not line.strip():
                continue
            item = self.reader.read(line, self.lines)
            if self.reader.problems:
                raise TraceError(self.reader.problems)
            if isinstance(item, Event):
                yield [match_to_json(self.called, match) for match in self.machine.event(item)]

    def end(self) -> Iterator[Sequence[Json]]:
        """Yield the matches that are left, when time has run on until no guard is due."""
        yield [match_to_json(self.called, match) for match in self.machine.end()]

    def stored(self) -> Mapping[str, int]:
        """Return how many events wait for their instant and how many tokens the nets hold."""
        return {"the net": self.machine.kept}


def begin(source: Source, request: Request, schedule: Random | None = None) -> Feeding:
    """Start the net of a rule; `schedule` chooses among equal ranks."""
    machines = Machines(machine_of(source, request, schedule), request.disorder, request.filename)
    return Feeding(machines, request.name or RULE, LineReader(request.filename))


def evaluate(source: Source, lines: Iterable[str], request: Request, schedule: Random | None = None) -> Sequence[Json]:
    """Return the matches of a rule on a whole trace."""
    trace = read_trace(lines, filename=request.filename)
    events = occurrences(source.rule, trace, request.disorder, request.filename)
    if request.called in (DEFINITION, ALGEBRA):
        matches = define(source.rule, events, _readings(request))
    else:
        matches = machine_of(source, request, schedule).run(events)
    return [match_to_json(request.name or RULE, match) for match in matches]


def supports(source: Source, request: Request) -> None:
    """Raise UnsupportedRun or NoNet if the model has no net for a rule under the readings."""
    readings = _readings(request)
    if request.called not in (DEFINITION, ALGEBRA) and readings != USUAL:
        if request.called == PUBLISHED:
            raise UnsupportedRun("the nets of L have one reading")
        machine_of(source, request)


def machine_of(source: Source, request: Request, schedule: Random | None = None) -> Machine:
    """The net of a rule. NoNet."""
    model = request.model if isinstance(request.model, Model) else MODELS[request.model]
    return Machine(source.rule, model, schedule, _readings(request))


def readings_of(options: Mapping[str, str]) -> Readings:
    """The readings that the options of a run name. ValueError if there is no such reading."""
    for name in options:
        if name not in CHOICES:
            raise ValueError(f"expected a reading of {', '.join(CHOICES)}, found {quoted(name)}")
    return Readings(**options)


def _readings(request: Request) -> Readings:
    try:
        return readings_of(request.options)
    except ValueError as error:
        raise UnsupportedRun(str(error)) from None


RUNNER: Runner[Source] = Runner(
    models=(DEFINITION, ALGEBRA, SOUND, PUBLISHED),
    whole=frozenset((DEFINITION, ALGEBRA)),
    evaluate=evaluate,
    begin=begin,
    supports=supports,
    unsupported=(NoNet,),
    failures=(TooManyMatches, TooManyFirings),
    readings=CHOICES,
    stored="events and tokens",
    disorder=True,
)
