"""The project's own models as engines: the evaluators of the algebra and the machines."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from importlib import metadata
from typing import Any

from algebra import relational
from algebra.programs import Outcome
from algebra.programs import run as evaluate
from conformance.protocol import (
    INCREMENTAL,
    INVALID_DOMAIN,
    INVALID_TRACE,
    Accepted,
    Failed,
    Found,
    Greeting,
    Load,
    Rejected,
    Reply,
    Unsupported,
)
from semantics.capacities import UNBOUNDED, Capacities
from semantics.compilation import compile_program
from semantics.events.conformity import conform
from semantics.events.domain import bind_domain, read_domain
from semantics.events.event import POSITIVE_INFINITY, Arrival, Progress, TraceItem
from semantics.events.match import Match, canonical
from semantics.events.problems import DomainError, TraceError
from semantics.events.promises import arrivals, pairs
from semantics.events.trace import read_trace
from semantics.events.values import LEAST_INTEGER
from semantics.execution import execute
from semantics.machine import Machine
from semantics.repairs import MODELS, SOUND, Model
from semantics.schedules import RoundRobin, Schedule, settle
from semantics.syntax import core
from semantics.syntax.diagnostics import Diagnostic, ProgramError
from semantics.syntax.elaborate import parse

Json = Any
Predicates = Mapping[str, Callable[..., bool]]
EVALUATORS: Mapping[str, Callable[[core.Program, Sequence[TraceItem], Predicates], Outcome]] = {
    "algebra": evaluate,
    "indexed": partial(evaluate, evaluator="indexed"),
    "duckdb": relational.run,
}
"""What finds the matches of a whole trace, without a machine."""

Sizes = Callable[[core.Program, Predicates, Sequence[Arrival], Model], Capacities]
"""The room that a machine is given for a trace."""

MODEL_NAMES = (*EVALUATORS, *MODELS)
"""What an engine of the project may be called."""


@dataclass(slots=True)
class _Loaded:
    program: core.Program
    predicates: Predicates
    disorder: int
    deployment: Mapping[str, Json]
    items: list[Json] = field(default_factory=list)  # the lines fed so far
    machine: Machine | None = None
    fed: int = 0  # arrivals that the machine has been given


@dataclass(slots=True)
class ReferenceEngine:
    """A model behind the protocol; `model` is the name of an evaluator of the algebra, or a machine.

    A machine has any room, or what `sizes` gives it when it runs a whole trace.
    """

    model: str | Model = SOUND
    schedule: Schedule = field(default_factory=RoundRobin)
    sizes: Sizes | None = None
    _loaded: _Loaded | None = field(default=None, init=False)

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
        self._loaded = None
        try:
            program = _parsed(request.text)
        except ProgramError as error:
            return Rejected(tuple(map(diagnostic_to_json, error.diagnostics)))
        try:
            predicates = bind_domain(program, read_domain(request.domain))
        except DomainError as error:
            return Rejected(({"code": INVALID_DOMAIN, "message": error.render()},))
        disorder = int(request.deployment.get("disorder", 0))
        self._loaded = _Loaded(program, predicates, disorder, request.deployment)
        return Accepted(tuple(map(diagnostic_to_json, program.warnings)))

    def run(self, trace: Sequence[Json]) -> Reply:
        """The matches of a whole trace."""
        loaded = self._loaded
        if loaded is None:
            return Failed("no program is loaded")
        try:
            items = _items(loaded.program, trace)
            arriving = arrivals(items, disorder=loaded.disorder)
        except TraceError as error:
            return _invalid(error)
        if isinstance(self.model, str):
            try:
                outcome = EVALUATORS[self.model](loaded.program, items, loaded.predicates)
            except (relational.Unsupported, relational.EngineMissing) as reason:
                return Unsupported(str(reason))
            failed = [(item.rule, item.emission, item.bindings) for item in outcome.failures]
            return _found(outcome.matches, failed)
        room = UNBOUNDED
        if self.sizes is not None:
            room = self.sizes(loaded.program, loaded.predicates, arriving, self.model)
        result = execute(
            loaded.program,
            arriving,
            model=self.model,
            schedule=self.schedule,
            predicates=loaded.predicates,
            capacities=room,
        )
        if result.blocked is not None:
            return Failed(result.blocked.render())
        return _found(result.matches, [(item.rule, item.position, item.bindings) for item in result.failures])

    # --- One step after the other -----------------------------------------------------------------------------------

    def feed(self, trace: Sequence[Json]) -> Reply:
        """The matches that are certain after some more lines."""
        if self._loaded is None or not self._incremental:
            return Unsupported(f"{self.name} runs whole traces only")
        self._loaded.items.extend(trace)
        return self._go_on(self._loaded, ended=False)

    def advance(self) -> Reply:
        """The matches after the end of every source."""
        if self._loaded is None or not self._incremental:
            return Unsupported(f"{self.name} runs whole traces only")
        return self._go_on(self._loaded, ended=True)

    def _go_on(self, loaded: _Loaded, *, ended: bool) -> Reply:
        # Promises depend on whether a pair has progress lines anywhere, which only the deployment tells beforehand: a
        # line at the least timestamp promises nothing and says so.
        sources = loaded.deployment.get("sources", [])
        explicit = [
            Progress(item["source"], item["template"], LEAST_INTEGER)
            for item in sources
            if item["promises"] == "progress"
        ]
        try:
            items = (*explicit, *_items(loaded.program, loaded.items))
            arriving = arrivals(items, disorder=loaded.disorder)
        except TraceError as error:
            return _invalid(error)
        machine = loaded.machine
        if machine is None:
            machine = loaded.machine = _machine(loaded, sources)
        come = arriving if ended else arriving[: len(arriving) - len(pairs(items))]
        for arrival in come[loaded.fed :]:
            settle(machine, (machine.feed(arrival),))
        loaded.fed = len(come)
        if ended:
            known = set(pairs(items))
            for item in sources:  # sources that never spoke
                if (item["source"], item["template"]) not in known:
                    settle(machine, (machine.feed(_silence(item)),))
        failed = [(item.rule, item.position, item.bindings) for item in machine.failures]
        return _found(canonical(machine.matches), failed)


@lru_cache(8)
def _parsed(text: str) -> core.Program:
    """A program, kept for the other traces that it is loaded for."""
    return parse(text)


def _machine(loaded: _Loaded, sources: Sequence[Json]) -> Machine:
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


def _items(program: core.Program, lines: Sequence[Json]) -> tuple[TraceItem, ...]:
    trace = read_trace([json.dumps(line, ensure_ascii=False) for line in lines])
    return conform(program, trace)


def _invalid(error: TraceError) -> Rejected:
    return Rejected(
        tuple({"code": INVALID_TRACE, "line": item.line, "message": item.message} for item in error.problems)
    )


def _found(matches: Sequence[Match], failed: Sequence[tuple[str, int, tuple[tuple[str, str], ...]]]) -> Found:
    failures = [{"rule": rule, "emission": emission, "bindings": dict(bound)} for rule, emission, bound in failed]
    failures.sort(key=lambda failure: json.dumps(failure, sort_keys=True))
    return Found(tuple(json.loads(match.to_json()) for match in matches), tuple(failures))


def diagnostic_to_json(diagnostic: Diagnostic) -> dict[str, Json]:
    """A diagnostic as replies hold it."""
    start = diagnostic.span.start
    return {"code": diagnostic.code, "line": start.line, "column": start.column, "message": diagnostic.message}
