"""The project's own models as engines: the evaluators of the algebra and the machines."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from parte.algebra.partelang import relational
from parte.algebra.partelang.evaluators import EVALUATORS
from parte.conformance.engines.foreign import EngineFailure
from parte.conformance.engines.own import OwnEngine
from parte.conformance.partelang.engines.reading import Loaded, read_program
from parte.conformance.protocol import (
    DEFAULT_LANGUAGE,
    Found,
    Load,
)
from parte.semantics.events.match import Match, canonical
from parte.semantics.events.outcome import EmissionFailure, SuppressedEmission, Unemitted
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.capacities import UNBOUNDED, Capacities
from parte.semantics.partelang.compilation import compile_program
from parte.semantics.partelang.execution import execute
from parte.semantics.partelang.machine import Machine
from parte.semantics.partelang.repairs import SOUND, family_of
from parte.semantics.partelang.schedules import RoundRobin, Schedule
from parte.semantics.partelang.streaming import Streaming
from parte.semantics.partelang.syntax import core
from parte.semantics.rulebook.models import Model
from parte.semantics.source.diagnostics import Diagnostic
from parte.semantics.source.packages import Unavailable

Json = Any
Sizes = Callable[[Scenario[core.Program], Model], Capacities]
"""A function that returns the capacities of a machine for a trace."""


@dataclass(slots=True)
class ReferenceEngine(OwnEngine[Loaded, Match]):
    """A model behind the protocol: an evaluator of the algebra by its name, or a machine.

    A machine has unbounded capacities, or those of `sizes` when it runs a whole trace.
    """

    model: str | Model = SOUND
    schedule: Schedule = field(default_factory=RoundRobin)
    sizes: Sizes | None = None
    _unemitted: list[Unemitted] = field(default_factory=list, init=False)

    LANGUAGE = DEFAULT_LANGUAGE
    FEATURES = ("text", "diagnostics", "failures", "suppressed")
    UNSUPPORTED = (relational.Unsupported, Unavailable)

    @property
    def incremental(self) -> bool:
        """True if no queue can block on a prefix, as one for all sources could; the algebra needs the whole trace."""
        repaired = isinstance(self.model, Model) and self.model.repairs == SOUND.repairs
        return repaired and isinstance(self.schedule, RoundRobin) and self.sizes is None

    def read(self, request: Load) -> Loaded:
        """Return the program of a request, with its domain."""
        return read_program(request)

    def warnings(self, program: Loaded) -> Sequence[Diagnostic]:
        """Return the warnings of the parser."""
        return program.warnings

    def answer(self, program: Loaded, lines: Sequence[str]) -> Found:
        """Return the matches of a whole trace."""
        scenario = program.on(lines)
        if isinstance(self.model, str):
            outcome = EVALUATORS[self.model](program.program, scenario.items, program.predicates)
        else:
            room = UNBOUNDED if self.sizes is None else self.sizes(scenario, self.model)
            outcome = execute(scenario, model=self.model, schedule=self.schedule, capacities=room)
        if outcome.blocked is not None:
            raise EngineFailure(outcome.blocked.render())
        return _reply(outcome.matches, (*outcome.failures, *outcome.suppressed))

    def running(self, program: Loaded) -> Streaming:
        """Return the machine, and the trace as it arrives."""
        arriving = program.arriving()
        self._unemitted = []
        return Streaming(_machine(program), arriving, lambda: arriving.promises.ends(program.pairs))

    def fed(self, matches: Sequence[Match]) -> Found:
        """Return the reply in canonical order, with the emissions that emitted nothing."""
        assert self._running is not None
        self._unemitted += self._running.lost()
        return _reply(canonical(matches), self._unemitted)


def _machine(loaded: Loaded) -> Machine:
    named: dict[str, list[str]] = {}
    for source, template in loaded.pairs:
        named.setdefault(template, []).append(source)
    sources = {template: tuple(names) for template, names in named.items()}
    network = compile_program(loaded.program, loaded.predicates, sources, family_of(SOUND))
    return Machine(network, SOUND)


def _reply(matches: Sequence[Match], unemitted: Sequence[Unemitted]) -> Found:
    failures, suppressed = (
        sorted(
            (emission.record() for emission in unemitted if isinstance(emission, kind)),
            key=lambda record: json.dumps(record, sort_keys=True),
        )
        for kind in (EmissionFailure, SuppressedEmission)
    )
    return Found(tuple(json.loads(match.to_json()) for match in matches), tuple(failures), tuple(suppressed))
