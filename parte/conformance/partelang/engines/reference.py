"""The project's own models as engines: the evaluators of the algebra and the machines."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
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
    Object,
)
from parte.semantics.events.event import Arrival
from parte.semantics.events.match import Match, canonical
from parte.semantics.events.outcome import EmissionFailure
from parte.semantics.events.scenario import Arriving, Scenario
from parte.semantics.partelang.capacities import UNBOUNDED, Capacities
from parte.semantics.partelang.compilation import compile_program
from parte.semantics.partelang.execution import execute
from parte.semantics.partelang.machine import Machine
from parte.semantics.partelang.repairs import SOUND, family_of
from parte.semantics.partelang.schedules import RoundRobin, Schedule, settle
from parte.semantics.partelang.syntax import core
from parte.semantics.rulebook.models import Model
from parte.semantics.source.packages import Unavailable

Json = Any
Sizes = Callable[[Scenario[core.Program], Model], Capacities]
"""The room that a machine is given for a trace."""


@dataclass(slots=True)
class Feeding:
    """A machine that is fed line by line, and the trace as it arrives."""

    loaded: Loaded
    arriving: Arriving
    machine: Machine

    def feed(self, lines: Iterable[str]) -> Iterator[Object]:
        """The matches that are certain after some more lines."""
        return self._fed(self.arriving.more(lines))

    def end(self) -> Iterator[Object]:
        """The matches that are left."""
        return self._fed(self.arriving.promises.ends(self.loaded.pairs))

    def _fed(self, arrivals: Iterable[Arrival]) -> Iterator[Object]:
        known = len(self.machine.matches)
        for arrival in arrivals:
            settle(self.machine, (self.machine.feed(arrival),))
        return (json.loads(match.to_json()) for match in self.machine.matches[known:])


@dataclass(slots=True)
class ReferenceEngine(OwnEngine[Loaded]):
    """A model behind the protocol: an evaluator of the algebra by its name, or a machine.

    A machine has any room, or what `sizes` gives it when it runs a whole trace.
    """

    model: str | Model = SOUND
    schedule: Schedule = field(default_factory=RoundRobin)
    sizes: Sizes | None = None

    LANGUAGE = DEFAULT_LANGUAGE
    FEATURES = ("text", "diagnostics", "failures")
    UNSUPPORTED = (relational.Unsupported, Unavailable)

    @property
    def incremental(self) -> bool:
        """Whether no queue could block on a prefix, as one for all sources could; the algebra needs the whole trace."""
        repaired = isinstance(self.model, Model) and self.model.repairs == SOUND.repairs
        return repaired and isinstance(self.schedule, RoundRobin) and self.sizes is None

    def read(self, request: Load) -> Loaded:
        """The program of a request, with its domain."""
        return read_program(request)

    def answer(self, program: Loaded, lines: Sequence[str]) -> Found:
        """The matches of a whole trace."""
        scenario = program.on(lines)
        if isinstance(self.model, str):
            outcome = EVALUATORS[self.model](program.program, scenario.items, program.predicates)
        else:
            room = UNBOUNDED if self.sizes is None else self.sizes(scenario, self.model)
            outcome = execute(scenario, model=self.model, schedule=self.schedule, capacities=room)
        if outcome.blocked is not None:
            raise EngineFailure(outcome.blocked.render())
        return _found(outcome.matches, outcome.failures)

    def running(self, program: Loaded) -> Feeding:
        """The machine, and the trace as it arrives."""
        return Feeding(program, program.arriving(), _machine(program))

    def fed(self, matches: Sequence[Object]) -> Found:
        """The reply in canonical order, with the emissions that have no value."""
        assert isinstance(self._running, Feeding)
        del matches  # they are in the order in which they were found
        machine = self._running.machine
        return _found(canonical(machine.matches), machine.failures)


def _machine(loaded: Loaded) -> Machine:
    named: dict[str, list[str]] = {}
    for source, template in loaded.pairs:
        named.setdefault(template, []).append(source)
    sources = {template: tuple(names) for template, names in named.items()}
    network = compile_program(loaded.program, loaded.predicates, sources, family_of(SOUND))
    machine = Machine(network, SOUND)
    settle(machine, range(len(machine.queues)))
    return machine


def _found(matches: Sequence[Match], failed: Sequence[EmissionFailure]) -> Found:
    failures = sorted(map(EmissionFailure.record, failed), key=lambda failure: json.dumps(failure, sort_keys=True))
    return Found(tuple(json.loads(match.to_json()) for match in matches), tuple(failures))
