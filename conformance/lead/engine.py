"""Definition and machine of LEAD as engines of the kit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import metadata
from random import Random
from typing import Any

from parte.algebra.lead.formulas import TooManyMatches
from parte.algebra.lead.readings import Readings
from parte.algebra.lead.rules import evaluate
from parte.conformance.engines.answers import diagnostic_to_json, invalid, lines_of
from parte.conformance.protocol import Accepted, Failed, Found, Greeting, Load, Rejected, Reply, Unsupported
from parte.semantics.events.problems import TraceError
from parte.semantics.events.trace import read_trace
from parte.semantics.lead.machine import Machine
from parte.semantics.lead.net import TooManyFirings
from parte.semantics.lead.repairs import MODELS, Repairs
from parte.semantics.lead.syntax.matches import match_to_json
from parte.semantics.lead.syntax.parser import Source, parse_source
from parte.semantics.lead.syntax.streams import occurrences
from parte.semantics.source.diagnostics import ProgramError

Json = Any
NAME = "LEAD"
DEFINITION, ALGEBRA = "definition", "algebra"
"""The evaluator of the definition, and its other name."""
RULE = "rule"
"""What a rule is called whose file nobody knows."""


@lru_cache(8)
def parsed(text: str) -> Source:
    """A rule, kept for the other traces that it is loaded for."""
    return parse_source(text)


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

    def hello(self) -> Greeting:
        """Who the engine is."""
        return Greeting(f"parte {self.model}", metadata.version("parte"), ("text", "diagnostics"), languages=(NAME,))

    def load(self, request: Load) -> Reply:
        """Read the text of a rule."""
        self._loaded = None
        try:
            self._loaded = parsed(request.text)
        except ProgramError as error:
            return Rejected(tuple(map(diagnostic_to_json, error.diagnostics)))
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
            if self.model in (DEFINITION, ALGEBRA):
                found = evaluate(rule, events, Readings())
            else:
                repairs = MODELS[self.model] if self.repairs is None else self.repairs
                schedule = None if self.schedule is None else Random(self.schedule)
                found = Machine(rule, repairs, schedule).run(events)
        except (TooManyMatches, TooManyFirings) as error:
            return Failed(str(error))
        return Found(tuple(match_to_json(self.called, match) for match in found))

    def feed(self, trace: Sequence[Json]) -> Reply:
        """Not offered."""
        return Unsupported(f"{self.model} runs whole traces only, not {len(trace)} lines of one")

    def advance(self) -> Reply:
        """Not offered."""
        return Unsupported(f"{self.model} runs whole traces only")
