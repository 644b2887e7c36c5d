"""Tests of capacities by replay: arrivals as fast as a deployment allows, under schedules that look for a deadlock.

A program's conditions are left out, as if every event met them all: the remaining temporal skeleton determines the
sizes. All random choices follow from a seed, so that a witness can be run again.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from parte.checker.environment.deployment import Deployment
from parte.semantics.events.event import NEGATIVE_INFINITY, POSITIVE_INFINITY, Arrival, Event, Value
from parte.semantics.events.outcome import Blocked, Outcome
from parte.semantics.partelang.capacities import Capacities
from parte.semantics.partelang.compilation import compile_program
from parte.semantics.partelang.execution import run_network
from parte.semantics.partelang.machine import Action, Machine
from parte.semantics.partelang.repairs import SOUND
from parte.semantics.partelang.schedules import Adversarial, RoundRobin, Schedule, SeededRandom
from parte.semantics.partelang.syntax import core

_VALUES: dict[core.Scalar, int | float | str | bool] = {
    core.Scalar.INTEGER: 0,
    core.Scalar.FLOAT: 0.0,
    core.Scalar.STRING: "",
    core.Scalar.BOOLEAN: False,
}


@dataclass(frozen=True, slots=True)
class Whimsical:
    """A schedule that takes the possible step with the best random rank, and changes the ranks now and then."""

    seed: int
    constancy: int = 40

    @property
    def name(self) -> str:
        """The name of the schedule in reports."""
        return f"whimsical {self.seed}"

    def drive(self, machine: Machine, arrivals: Iterable[Arrival]) -> None:
        """Feed the arrivals and take steps until none is possible."""
        for arrival in arrivals:
            machine.feed(arrival)
        draw = random.Random(self.seed)
        likings: dict[Action, float] = {}
        while True:
            if draw.randrange(self.constancy) == 0:
                likings.clear()
            for action in sorted(machine.candidates(), key=lambda action: likings.setdefault(action, draw.random())):
                if machine.take(action):
                    break
            else:
                return


@dataclass(frozen=True, slots=True)
class Witness:
    """A run that blocked: its arrivals in the order of the trace, its schedule, and the machine's own report."""

    arrivals: tuple[Arrival, ...]
    schedule: str
    blocked: Blocked


def skeleton(program: core.Program) -> core.Program:
    """Return the program without conditions, and with emissions that always have a value."""
    templates = {template.name: template for template in program.templates}
    rules = tuple(
        replace(
            rule,
            patterns=tuple(replace(pattern, conditions=()) for pattern in rule.patterns),
            emissions=tuple(
                replace(
                    emission,
                    assignments=tuple(
                        core.Assignment(slot.name, _constant(slot.type))
                        for slot in templates[emission.template].attributes
                    ),
                )
                for emission in rule.emissions
            ),
        )
        for rule in program.rules
    )
    return replace(program, predicates=(), rules=rules)


def _constant(type_: core.Type) -> core.Expression:
    if isinstance(type_, core.ListOf):
        return core.ListExpression((), type_)
    return core.Constant(_VALUES[type_], type_)


def worst_arrivals(
    program: core.Program, deployment: Deployment, seed: int, events: int, *, together: bool = False
) -> tuple[Arrival, ...]:
    """Return arrivals of every source as dense as its rate allows, with some gaps, late by at most the allowed time.

    There are about `events` events for each pair of source and template. They come in the order of time, as under
    round-robin; other schedules choose their own order of the sources. For an even seed the sources end. For an odd
    seed they promise the time of the last event and nothing beyond, so that some events wait for a later one. For one
    seed in four some sources send nothing. `together` adds promises, so that no source is later than the deployment
    allows compared with any other.
    """
    draw = random.Random(seed)
    templates = {template.name: template for template in program.templates}
    timed: list[tuple[int, Arrival]] = []
    start = draw.choice((0, 1, 10))
    for (source, name), supply in deployment.supplies().items():
        attributes: dict[str, Value] = {
            slot.name: () if isinstance(slot.type, core.ListOf) else _VALUES[slot.type]
            for slot in templates[name].attributes
        }
        times: list[int] = []
        silent = seed % 4 == 3 and draw.random() < 0.5
        time = draw.randrange(supply.rate.period * max(start, 1)) if start else 0
        density = draw.choice((0.5, 0.8, 0.95, 1.0))
        while len(times) < events and not silent:
            burst = supply.rate.events if draw.random() < density else draw.randint(1, supply.rate.events)
            times.extend([time] * burst)
            gap = 1 if draw.random() < density else draw.randint(1, 6)
            time += supply.rate.period * gap + (draw.randrange(supply.rate.period) if draw.random() > density else 0)
        order = sorted(times, key=lambda moment: moment + draw.randint(0, supply.late))
        bound = NEGATIVE_INFINITY
        for number, moment in enumerate(order):
            bound = max(bound, moment - supply.late)
            event = Event(f"{source}-{name}-{number}", name, moment, attributes, source)
            timed.append((bound, Arrival(source, name, bound, event)))
    timed.sort(key=lambda item: item[0])
    arriving = [arrival for _, arrival in timed]
    if seed % 2:
        del arriving[draw.randint(0, len(arriving)) :]
    latest = max((arrival.event.timestamp for arrival in arriving if arrival.event is not None), default=0)
    last = latest if seed % 2 else POSITIVE_INFINITY
    if together:
        arriving = list(_in_step(arriving, deployment))
    return (*arriving, *(Arrival(source, name, last, None) for source, name in deployment.supplies()))


def _in_step(arriving: Iterable[Arrival], deployment: Deployment) -> Iterator[Arrival]:
    """Yield the arrivals, each event after the promises of all other sources that its timestamp requires."""
    supplies = deployment.supplies()
    promised = dict.fromkeys(supplies, NEGATIVE_INFINITY)
    for arrival in arriving:
        if arrival.event is not None:
            for pair, supply in supplies.items():
                due = arrival.event.timestamp - supply.late
                if promised[pair] < due and pair != (arrival.source, arrival.template):
                    promised[pair] = due
                    yield Arrival(*pair, due, None)
        pair = arrival.source, arrival.template
        promised[pair] = max(promised[pair], arrival.bound)
        yield replace(arrival, bound=promised[pair])


def run(
    program: core.Program,
    deployment: Deployment,
    arrivals: Sequence[Arrival],
    capacities: Capacities,
    schedule: Schedule,
) -> Outcome:
    """Return the outcome of `sound` within capacities. For programs without predicates."""
    return run_network(compile_program(program, {}, deployment.senders()), arrivals, SOUND, schedule, capacities)


def schedules(seed: int) -> tuple[Schedule, ...]:
    """Return one schedule of each kind."""
    return RoundRobin(), SeededRandom(seed), Adversarial(seed), Whimsical(seed), Whimsical(seed + 1, 4)


def find_block(
    program: core.Program, deployment: Deployment, capacities: Capacities, *, tries: int, events: int, seed: int = 0
) -> Witness | None:
    """Return a run of the program's skeleton within capacities that blocks, if `tries` attempts find one."""
    bare = skeleton(program)
    for attempt in range(tries):
        arriving = worst_arrivals(bare, deployment, seed + attempt, events)
        for schedule in schedules(seed + attempt):
            blocked = run(bare, deployment, arriving, capacities, schedule).blocked
            if blocked is not None:
                return Witness(arriving, schedule.name, blocked)
    return None
