"""Definition and machine of LEAD as engines of the kit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import metadata
from random import Random
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
from parte.languages.lead.algebra.effort import TooManyMatches
from parte.languages.lead.algebra.rules import evaluate
from parte.languages.lead.semantics.feeding import Feeding
from parte.languages.lead.semantics.machine import Machine
from parte.languages.lead.semantics.net import TooManyFirings
from parte.languages.lead.semantics.repairs import MODELS, Repairs
from parte.languages.lead.semantics.syntax.matches import Match, match_to_json
from parte.languages.lead.semantics.syntax.parser import Source, parse_source
from parte.languages.lead.semantics.syntax.readings import CHOICES, USUAL, Readings
from parte.languages.lead.semantics.syntax.streams import occurrences
from parte.languages.lead.semantics.syntax.tree import Rule
from parte.semantics.events.event import Event
from parte.semantics.events.problems import TraceError
from parte.semantics.events.strictjson import quoted
from parte.semantics.events.trace import DEFAULT_FILENAME, LineReader, read_trace
from parte.semantics.source.diagnostics import ProgramError

Json = Any
NAME = "LEAD"
DEFINITION, ALGEBRA = "definition", "algebra"
"""The evaluator of the definition, and its other name."""
PRINTED = "published"
"""The nets as L prints them."""
RULE = "rule"
"""What a rule is called whose file nobody knows."""


@lru_cache(8)
def parsed(text: str) -> Source:
    """A rule, kept for the other traces that it is loaded for."""
    return parse_source(text)


def readings_of(options: Mapping[str, str]) -> Readings:
    """The readings that the options of a run name. ValueError if there is no such reading."""
    for name in options:
        if name not in CHOICES:
            raise ValueError(f"expected a reading of {', '.join(CHOICES)}, found {quoted(name)}")
    return Readings(**options)


@dataclass(slots=True)
class _Fed:
    """A machine that is fed line by line, and what it found."""

    machine: Feeding
    reader: LineReader = field(default_factory=lambda: LineReader(DEFAULT_FILENAME))
    lines: int = 0
    found: list[Match] = field(default_factory=list)

    def more(self, lines: Iterable[str]) -> Iterator[Event]:
        """The events of the next lines. TraceError if one is none of a trace."""
        for line in lines:
            self.lines += 1
            item = self.reader.read(line, self.lines)
            if self.reader.problems:
                raise TraceError(self.reader.problems)
            if isinstance(item, Event):
                yield item

    def reply(self, called: str) -> Found:
        """All that was found so far."""
        return Found(tuple(match_to_json(called, match) for match in self.found))


@dataclass(slots=True)
class LeadEngine:
    """A model behind the protocol: the definition, or a machine. `called` is the name of the rule, and
    `schedule` the seed of a choice among equal ranks."""

    model: str
    repairs: Repairs | None = None
    called: str = RULE
    disorder: int | None = None
    schedule: int | None = None
    _loaded: Source | None = field(default=None, init=False)
    _disorder: int = field(default=0, init=False)
    _readings: Readings = field(default=USUAL, init=False)
    _feeding: _Fed | None = field(default=None, init=False)

    def hello(self) -> Greeting:
        """Who the engine is."""
        features = ("text", "diagnostics", OPTIONS, *(() if self._defining else (INCREMENTAL,)))
        return Greeting(f"parte {self.model}", metadata.version("parte"), features, languages=(NAME,))

    @property
    def _defining(self) -> bool:
        return self.model in (DEFINITION, ALGEBRA)

    def load(self, request: Load) -> Reply:
        """Read the text of a rule; which readings there are not is said here."""
        self._loaded, self._feeding = None, None
        try:
            self._readings = readings_of(request.options)
            self._loaded = parsed(request.text)
            self._translatable(self._loaded.rule)
        except ProgramError as error:
            return Rejected(tuple(map(diagnostic_to_json, error.diagnostics)))
        except ValueError as error:
            self._loaded = None
            return Unsupported(str(error))
        self._disorder = self.disorder if self.disorder is not None else int(request.deployment.get("disorder", 0))
        return Accepted(tuple(map(diagnostic_to_json, self._loaded.warnings)))

    def run(self, trace: Sequence[Json]) -> Reply:
        """The matches on a whole trace."""
        if self._loaded is None:
            return Failed("no rule is loaded")
        rule = self._loaded.rule
        try:
            events = occurrences(rule, read_trace(lines_of(trace)), self._disorder)
        except TraceError as error:
            return invalid(error)
        try:
            found = evaluate(rule, events, self._readings) if self._defining else self._machine(rule).run(events)
        except (TooManyMatches, TooManyFirings) as error:
            return Failed(str(error))
        return Found(tuple(match_to_json(self.called, match) for match in found))

    def feed(self, trace: Sequence[Json]) -> Reply:
        """The matches that are certain after some more lines: those whose instant is over. Each line is read once."""
        if self._defining or self._loaded is None:
            return Unsupported(f"{self.model} runs whole traces only")
        if self._feeding is None:
            self._feeding = _Fed(Feeding(self._machine(self._loaded.rule), self._disorder))
        feeding = self._feeding
        try:
            for item in feeding.more(lines_of(trace)):
                feeding.found += feeding.machine.event(item)
        except TraceError as error:
            return invalid(error)
        except TooManyFirings as error:
            return Failed(str(error))
        return feeding.reply(self.called)

    def advance(self) -> Reply:
        """The matches at the end of the trace, when time has run on until no guard is due."""
        reply = self.feed(())
        if isinstance(reply, Found) and self._feeding is not None:
            try:
                self._feeding.found += self._feeding.machine.end()
            except TooManyFirings as error:
                return Failed(str(error))
            return self._feeding.reply(self.called)
        return reply

    def _machine(self, rule: Rule) -> Machine:
        repairs = MODELS[self.model] if self.repairs is None else self.repairs
        schedule = None if self.schedule is None else Random(self.schedule)
        return Machine(rule, repairs, schedule, self._readings)

    def _translatable(self, rule: Rule) -> None:
        """ValueError if the model has no net for a rule under the readings."""
        if self._defining or self._readings == USUAL:
            return
        if self.model == PRINTED:
            raise ValueError("the nets of L have one reading")
        self._machine(rule)
