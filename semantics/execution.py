"""Running a program on a trace with a machine, from the first arrival to the last token."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from semantics.blocking import Blocked, diagnose
from semantics.capacities import UNBOUNDED, Capacities
from semantics.compilation import compile_program
from semantics.events.event import Arrival
from semantics.events.match import Match, canonical
from semantics.expressions import Predicates
from semantics.machine import Machine, Step
from semantics.repairs import SOUND, Model
from semantics.schedules import RoundRobin, Schedule
from semantics.state import EmissionFailure
from semantics.syntax import core


@dataclass(frozen=True, slots=True)
class Execution:
    """What a run gave: the matches in canonical order (each as often as it was found), the emissions that had no
    value, why the machine stopped with input left (None: it did not), and how many steps of PROC it took."""

    matches: tuple[Match, ...]
    failures: tuple[EmissionFailure, ...]
    blocked: Blocked | None
    steps: int


def sources_of(arrivals: Iterable[Arrival]) -> dict[str, tuple[str, ...]]:
    """The sources of each template, in the order of their first arrivals."""
    sources: dict[str, dict[str, None]] = {}
    for arrival in arrivals:
        sources.setdefault(arrival.template, {})[arrival.source] = None
    return {template: tuple(names) for template, names in sources.items()}


def execute(
    program: core.Program,
    arrivals: Sequence[Arrival],
    *,
    model: Model = SOUND,
    schedule: Schedule | None = None,
    predicates: Predicates | None = None,
    capacities: Capacities = UNBOUNDED,
    recorder: Callable[[Step], None] | None = None,
) -> Execution:
    """Run a machine until no step is possible. MissingPredicate if a declared predicate is not supplied."""
    network = compile_program(program, predicates or {}, sources_of(arrivals), model.family)
    machine = Machine(network, model, capacities, recorder)
    with _collector_paused():
        (schedule or RoundRobin()).drive(machine, arrivals)
    failures = tuple(sorted(machine.failures, key=lambda failure: (failure.rule, failure.position, failure.bindings)))
    steps = machine.steps if machine.quick is None else machine.quick.steps
    return Execution(tuple(canonical(machine.matches)), failures, diagnose(machine), steps)


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Without the cyclic garbage collector: histories hold no cycles, and it walks all of them again and again."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
