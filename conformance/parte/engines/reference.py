"""The project's own models as engines: the evaluators of the algebra and the machines."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from typing import Any

from parte.algebra.parte import relational
from parte.algebra.parte.evaluators import EVALUATORS
from parte.conformance.parte.engines.reading import Loaded, read_program
from parte.conformance.protocol import (
    INCREMENTAL,
    INVALID_DOMAIN,
    INVALID_TRACE,
    Accepted,
    DiagnosticRecord,
    Failed,
    Found,
    Greeting,
    Load,
    Rejected,
    Reply,
    Unsupported,
)
from parte.semantics.events.event import POSITIVE_INFINITY, Arrival, Progress
from parte.semantics.events.match import Match, canonical
from parte.semantics.events.outcome import EmissionFailure
from parte.semantics.events.problems import DomainError, TraceError
from parte.semantics.events.promises import pairs
from parte.semantics.events.scenario import Scenario
from parte.semantics.events.values import LEAST_INTEGER
from parte.semantics.parte.capacities import UNBOUNDED, Capacities
from parte.semantics.parte.compilation import compile_program
from parte.semantics.parte.execution import execute
from parte.semantics.parte.machine import Machine
from parte.semantics.parte.repairs import SOUND, Model
from parte.semantics.parte.schedules import RoundRobin, Schedule, settle
from parte.semantics.parte.syntax import core
from parte.semantics.source.diagnostics import Diagnostic, ProgramError
from parte.semantics.source.packages import PackageMissing

Json = Any
Sizes = Callable[[Scenario[core.Program], Model], Capacities]
"""The room that a machine is given for a trace."""


@dataclass(slots=True)
class _Feeding:
    """A machine that is fed line by line: the lines so far, and how many of the arrivals it has been given."""

    items: list[Json] = field(default_factory=list)
    machine: Machine | None = None
    fed: int = 0


@dataclass(slots=True)
class ReferenceEngine:
    """A model behind the protocol; `model` is the name of an evaluator of the algebra, or a machine.

    A machine has any room, or what `sizes` gives it when it runs a whole trace.
    """

    model: str | Model = SOUND
    schedule: Schedule = field(default_factory=RoundRobin)
    sizes: Sizes | None = None
    _loaded: Loaded | None = field(default=None, init=False)
    _feeding: _Feeding = field(default_factory=_Feeding, init=False)

    @property
    def name(self) -> str:
        """What the engine calls itself."""
        return self.model if isinstance(self.model, str) else self.model.name

    @property
    def _incremental(self) -> bool:
        # The machines with a queue for all sources could block on a prefix; the algebra needs the whole trace.
        return self.model == SOUND and isinstance(self.schedule, RoundRobin) and self.sizes is None

    def hello(self) -> Greeting:
        """Who the engine is."""
        features = ("text", "diagnostics", "failures", *((INCREMENTAL,) if self._incremental else ()))
        return Greeting(f"parte {self.name}", metadata.version("parte"), features)

    def load(self, request: Load) -> Reply:
        """Read the text of a program and bind its domain."""
        self._loaded, self._feeding = None, _Feeding()
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
            return _invalid(error)
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
        self._feeding.items.extend(trace)
        return self._go_on(self._loaded, ended=False)

    def advance(self) -> Reply:
        """The matches after the end of every source."""
        if self._loaded is None or not self._incremental:
            return Unsupported(f"{self.name} runs whole traces only")
        return self._go_on(self._loaded, ended=True)

    def _go_on(self, loaded: Loaded, *, ended: bool) -> Reply:
        # Promises depend on whether a pair has progress lines anywhere, which only the deployment tells beforehand: a
        # line at the least timestamp promises nothing and says so.
        feeding = self._feeding
        sources = loaded.deployment.get("sources", [])
        explicit = [
            Progress(item["source"], item["template"], LEAST_INTEGER)
            for item in sources
            if item["promises"] == "progress"
        ]
        try:
            scenario = loaded.scenario(feeding.items, explicit)
        except TraceError as error:
            return _invalid(error)
        machine = feeding.machine
        if machine is None:
            machine = feeding.machine = _machine(loaded, sources)
        come = scenario.arrivals if ended else scenario.arrivals[: len(scenario.items)]
        for arrival in come[feeding.fed :]:
            settle(machine, (machine.feed(arrival),))
        feeding.fed = len(come)
        if ended:
            known = set(pairs(scenario.items))
            for item in sources:  # sources that never spoke
                if (item["source"], item["template"]) not in known:
                    settle(machine, (machine.feed(_silence(item)),))
        return _found(canonical(machine.matches), machine.failures)


def _machine(loaded: Loaded, sources: Sequence[Json]) -> Machine:
    named: dict[str, dict[str, None]] = {}
    for item in sources:
        named.setdefault(item["template"], {})[item["source"]] = None
    network = compile_program(
        loaded.program, loaded.predicates, {template: tuple(names) for template, names in named.items()}, SOUND.family
    )
    machine = Machine(network, SOUND)
    settle(machine, range(len(machine.queues)))
    return machine


def _silence(item: Mapping[str, Json]) -> Arrival:
    return Arrival(item["source"], item["template"], POSITIVE_INFINITY, None)


def _invalid(error: TraceError) -> Rejected:
    return Rejected(
        tuple({"code": INVALID_TRACE, "line": item.line, "message": item.message} for item in error.problems)
    )


def _found(matches: Sequence[Match], failed: Sequence[EmissionFailure]) -> Found:
    failures = sorted(map(EmissionFailure.record, failed), key=lambda failure: json.dumps(failure, sort_keys=True))
    return Found(tuple(json.loads(match.to_json()) for match in matches), tuple(failures))


def diagnostic_to_json(diagnostic: Diagnostic) -> DiagnosticRecord:
    """A diagnostic as replies hold it."""
    start = diagnostic.span.start
    return {"code": diagnostic.code, "line": start.line, "column": start.column, "message": diagnostic.message}
