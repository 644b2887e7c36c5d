"""Definition and machine of LEAD as engines of the kit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from parte.conformance.engines.foreign import Inexpressible
from parte.conformance.engines.own import OwnEngine
from parte.conformance.protocol import Found, Load
from parte.languages.lead.algebra.effort import TooManyMatches
from parte.languages.lead.algebra.rules import evaluate
from parte.languages.lead.semantics.feeding import Feeding
from parte.languages.lead.semantics.machine import Machine
from parte.languages.lead.semantics.net import TooManyFirings
from parte.languages.lead.semantics.repairs import MODELS
from parte.languages.lead.semantics.syntax.matches import match_to_json
from parte.languages.lead.semantics.syntax.parser import Source
from parte.languages.lead.semantics.syntax.readings import CHOICES, USUAL, Readings
from parte.languages.lead.semantics.syntax.streams import occurrences
from parte.languages.lead.semantics.syntax.tree import Rule
from parte.languages.lead.semantics.text import parsed
from parte.languages.lead.semantics.translation import NoNet
from parte.semantics.events.event import Event
from parte.semantics.events.problems import TraceError
from parte.semantics.events.strictjson import quoted
from parte.semantics.events.trace import DEFAULT_FILENAME, LineReader, read_trace
from parte.semantics.rulebook.models import PUBLISHED, Model

Json = Any
NAME = "LEAD"
RULE = "rule"
"""What a rule is called whose file nobody knows."""


def readings_of(options: Mapping[str, str]) -> Readings:
    """The readings that the options of a run name. ValueError if there is no such reading."""
    for name in options:
        if name not in CHOICES:
            raise ValueError(f"expected a reading of {', '.join(CHOICES)}, found {quoted(name)}")
    return Readings(**options)


@dataclass(slots=True)
class Fed:
    """A machine that is fed line by line. Matches whose instant is over are certain."""

    machine: Feeding
    called: str
    reader: LineReader = field(default_factory=lambda: LineReader(DEFAULT_FILENAME))
    lines: int = 0

    def feed(self, lines: Iterable[str]) -> Iterator[dict[str, Json]]:
        """The matches of the instants that are over after some more lines."""
        for line in lines:
            self.lines += 1
            item = self.reader.read(line, self.lines)
            if self.reader.problems:
                raise TraceError(self.reader.problems)
            if isinstance(item, Event):
                for match in self.machine.event(item):
                    yield match_to_json(self.called, match)

    def end(self) -> Iterator[dict[str, Json]]:
        """The matches that are left, when time has run on until no guard is due."""
        for match in self.machine.end():
            yield match_to_json(self.called, match)


@dataclass(slots=True)
class LeadEngine(OwnEngine[Source]):
    """A model behind the protocol: the definition, or a machine. `called` is the name of the rule, and
    `schedule` the seed of a choice among equal ranks."""

    called: str = RULE
    disorder: int | None = None
    schedule: int | None = None
    _disorder: int = field(default=0, init=False)
    _readings: Readings = field(default=USUAL, init=False)

    LANGUAGE = NAME
    PROGRAM = "rule"
    UNSUPPORTED = (NoNet,)
    FAILED = (TooManyMatches, TooManyFirings)

    def read(self, request: Load) -> Source:
        """The rule of a request; which readings there are not is said first."""
        try:
            self._readings = readings_of(request.options)
        except ValueError as error:
            raise Inexpressible(str(error)) from None
        source = parsed(request.text)
        if not self.defining and self._readings != USUAL:
            if self.name == PUBLISHED:
                raise Inexpressible("the nets of L have one reading")
            self._machine(source.rule)
        self._disorder = self.disorder if self.disorder is not None else int(request.deployment.get("disorder", 0))
        return source

    def answer(self, program: Source, lines: Sequence[str]) -> Found:
        """The matches on a whole trace."""
        events = occurrences(program.rule, read_trace(lines), self._disorder)
        if self.defining:
            matches = evaluate(program.rule, events, self._readings)
        else:
            matches = self._machine(program.rule).run(events)
        return Found(tuple(match_to_json(self.called, match) for match in matches))

    def running(self, program: Source) -> Fed:
        """The net of the rule."""
        return Fed(Feeding(self._machine(program.rule), self._disorder), self.called)

    def _machine(self, rule: Rule) -> Machine:
        model = self.model if isinstance(self.model, Model) else MODELS[self.model]
        schedule = None if self.schedule is None else Random(self.schedule)
        return Machine(rule, model, schedule, self._readings)
