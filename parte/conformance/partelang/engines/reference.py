"""The project's own models as engines: the evaluators of the algebra and the machines."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from typing import Any

from parte.algebra.partelang import relational
from parte.algebra.partelang.evaluators import EVALUATORS
from parte.conformance.engines.answers import diagnostic_to_json, invalid, lines_of
from parte.conformance.partelang.engines.reading import Loaded, read_program
from parte.conformance.protocol import (
    INCREMENTAL,
    INVALID_DOMAIN,
    Accepted,
    Failed,
    Found,
    Greeting,
    Load,
    Rejected,
    Reply,
    Unsupported,
)
from parte.semantics.events.event import Arrival
from parte.semantics.events.match import Match, canonical
from parte.semantics.events.outcome import EmissionFailure
from parte.semantics.events.problems import DomainError, TraceError
from parte.semantics.events.scenario import Arriving, Scenario
from parte.semantics.partelang.capacities import UNBOUNDED, Capacities
from parte.semantics.partelang.compilation import compile_program
from parte.semantics.partelang.execution import execute
from parte.semantics.partelang.machine import Machine
from parte.semantics.partelang.repairs import SOUND, Model
from parte.semantics.partelang.schedules import RoundRobin, Schedule, settle
from parte.semantics.partelang.syntax import core
from parte.semantics.source.diagnostics import ProgramError
from parte.semantics.source.packages import PackageMissing

Json = Any
Sizes = Callable[[Scenario[core.Program], Model], Capacities]
"""The room that a machine is given for a trace."""


@dataclass(slots=True)
class _Feeding:
    """A machine that is fed line by line, and the trace as it arrives."""

    arriving: Arriving
    machine: Machine


@dataclass(slots=True)
class ReferenceEngine:
    """A model behind the protocol; `model` is the name of an evaluator of the algebra, or a machine.

    A machine has any room, or what `sizes` gives it when it runs a whole trace.
    """

    model: str | Model = SOUND
    schedule: Schedule = field(default_factory=RoundRobin)
    sizes: Sizes | None = None
    _loaded: Loaded | None = field(default=None, init=False)
    _feeding: _Feeding | None = field(default=None, init=False)

    @property
    def name(self) -> str:
        """What the engine calls itself."""
        return self.model if isinstance(self.model, str) else self.model.name

    @property
    def _incremental(self) -> bool:
        # The machines with a queue for all sources could block on a prefix; the algebra needs the whole trace.
        repaired = isinstance(self.model, Model) and self.model.repairs == SOUND.repairs
        return repaired and isinstance(self.schedule, RoundRobin) and self.sizes is None

    def hello(self) -> Greeting:
        """Who the engine is."""
        features = ("text", "diagnostics", "failures", *((INCREMENTAL,) if self._incremental else ()))
        return Greeting(f"parte {self.name}", metadata.version("parte"), features)

    def load(self, request: Load) -> Reply:
        """Read the text of a program and bind its domain."""
        self._loaded, self._feeding = None, None
        try:
            self._loaded = read_program(request)
        except ProgramError as error:
            return Rejected(tuple(map(diagnostic_to_json, error.diagnostics)))
        except DomainError as error:
            return Rejected(({"code": INVALID_DOMAIN, "message": error.render()},))
        return Accepted(tuple(map(diagnostic_to_json, self._loaded.program.warnings)))

    def run(self, trace: Sequence[Json]) -> Reply:
        """The matches of a whole trace."""
        loaded = self._loaded
        if loaded is None:
            return Failed("no program is loaded")
        try:
            scenario = loaded.scenario(trace)
        except TraceError as error:
            return invalid(error)
        if isinstance(self.model, str):
            try:
                outcome = EVALUATORS[self.model](loaded.program, scenario.items, loaded.predicates)
            except (relational.Unsupported, PackageMissing) as reason:
                return Unsupported(str(reason))
        else:
            room = UNBOUNDED if self.sizes is None else self.sizes(scenario, self.model)
            outcome = execute(scenario, model=self.model, schedule=self.schedule, capacities=room)
        if outcome.blocked is not None:
            return Failed(outcome.blocked.render())
        return _found(outcome.matches, outcome.failures)

    # --- One step after the other -----------------------------------------------------------------------------------

    def feed(self, trace: Sequence[Json]) -> Reply:
        """The matches that are certain after some more lines."""
        if self._loaded is None or not self._incremental:
            return Unsupported(f"{self.name} runs whole traces only")
        feeding = self._begun(self._loaded)
        try:
            come = feeding.arriving.more(lines_of(trace))
        except TraceError as error:
            return invalid(error)
        return _fed(feeding.machine, come)

    def advance(self) -> Reply:
        """The matches after the end of every source."""
        if self._loaded is None or not self._incremental:
            return Unsupported(f"{self.name} runs whole traces only")
        feeding = self._begun(self._loaded)
        try:
            feeding.arriving.more(())
        except TraceError as error:
            return invalid(error)
        return _fed(feeding.machine, feeding.arriving.promises.ends(self._loaded.pairs))

    def _begun(self, loaded: Loaded) -> _Feeding:
        if self._feeding is None:
            self._feeding = _Feeding(loaded.arriving(), _machine(loaded))
        return self._feeding


def _fed(machine: Machine, arrivals: Iterable[Arrival]) -> Found:
    for arrival in arrivals:
        settle(machine, (machine.feed(arrival),))
    return _found(canonical(machine.matches), machine.failures)


def _machine(loaded: Loaded) -> Machine:
    named: dict[str, list[str]] = {}
    for source, template in loaded.pairs:
        named.setdefault(template, []).append(source)
    sources = {template: tuple(names) for template, names in named.items()}
    network = compile_program(loaded.program, loaded.predicates, sources, SOUND.family)
    machine = Machine(network, SOUND)
    settle(machine, range(len(machine.queues)))
    return machine


def _found(matches: Sequence[Match], failed: Sequence[EmissionFailure]) -> Found:
    failures = sorted(map(EmissionFailure.record, failed), key=lambda failure: json.dumps(failure, sort_keys=True))
    return Found(tuple(json.loads(match.to_json()) for match in matches), tuple(failures))
