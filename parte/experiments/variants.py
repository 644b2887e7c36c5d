"""Experiment `variants`: the optimisations of implementations (D §5.6.5) beside `sound`, under viable sizes."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from parte.checker.environment.deployment import Deployment, Emits, Source
from parte.checker.partelang.bounds.bounds import bounds
from parte.checker.partelang.bounds.replay import worst_arrivals
from parte.experiments.experiment import Experiment, Presentation, Row, Scale, Table, Unit
from parte.experiments.page import span
from parte.proofs.partelang.optimisations import OPTIMISATIONS, Combined, Optimisation, Take
from parte.proofs.variants import applied
from parte.semantics.events.event import Arrival, Event
from parte.semantics.events.outcome import Outcome
from parte.semantics.events.rates import Rate
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.capacities import Capacities, NodeCapacities
from parte.semantics.partelang.execution import network_of, outcome_of
from parte.semantics.partelang.machine import Machine
from parte.semantics.partelang.schedules import Schedule
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.elaborate import parse

if TYPE_CHECKING:
    import pandas as pd

TEMPLATES = "template A { k: Integer } template B { k: Integer } template C { k: Integer } template D { k: Integer }\n"
PREFIX = "a: A, b: B { k = a.k }"
WINDOW = "b in a [0 ms, {w} ms]"
PROGRAMS = {
    "three with a key": f"rule R where {PREFIX}, c: C {{ k = a.k }} when {WINDOW} c in a [0 ms, {{w}} ms] then",
    "negation": "rule R where a: A, no b: B { k = a.k } when no b in a [0 ms, {w} ms] then",
    "two rules, one prefix": (
        f"rule R where {PREFIX}, c: C {{ k = a.k }} when {WINDOW} c in a [0 ms, {{w}} ms] then\n"
        f"rule S where {PREFIX}, no d: D {{ k = a.k }} when {WINDOW} no d in b [0 ms, {{w}} ms] then"
    ),
    "two strata": (
        f"rule R where {PREFIX} when {WINDOW} then emit D at b.timestamp with {{ k = a.k }}\n"
        "rule S where c: C, no d: D { k = c.k } when no d in c [0 ms, {w} ms] then"
    ),
}
"""Rules with placeholders for the windows."""

SOUND = "sound"
FEWER = {
    "share": "nodes",
    "prop-batch": "choices per event",
    "coalesce": "tokens per event",
    "fuse": "choices per event",
}
"""The column in which each optimisation is to be less than `sound`."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """The events of each template, the milliseconds between them and of the windows, and the factor of larger
    buffers."""

    events: int = 100
    period: int = 4
    window: int = 16
    larger: int = 4
    seeds: int = 2


def _units(parameters: Parameters) -> list[Unit]:
    names = (SOUND, *(choice.name for choice in OPTIMISATIONS))
    rooms = (1, parameters.larger)
    return [{"program": p, "variant": name, "room": room} for p in PROGRAMS for name in names for room in rooms]


def _measure(parameters: Parameters, unit: Unit) -> Sequence[Row]:
    program = parse(TEMPLATES + PROGRAMS[str(unit["program"])].replace("{w}", str(parameters.window)))
    emitted = {emission.template for rule in program.rules for emission in rule.emissions}
    read = {pattern.template for rule in program.rules for pattern in rule.patterns}
    sends = tuple(Emits(name, Rate(1, parameters.period)) for name in sorted(read - emitted))
    deployment = Deployment((Source("s", sends),))
    report = bounds(program, deployment)
    arrivals = worst_arrivals(program, deployment, 0, parameters.events)
    capacities = scaled(report.capacities(), int(unit["room"] or 1))
    optimisation = {choice.name: choice for choice in OPTIMISATIONS}.get(str(unit["variant"]), Optimisation(SOUND))
    with applied(optimisation.variant) if optimisation.variant else nullcontext():
        machine, counting = _machine(program, arrivals, capacities), Counting(optimisation.take)
        start = time.perf_counter()
        counting.drive(machine, arrivals)
        seconds = time.perf_counter() - start
        outcomes = [outcome_of(machine)]
        if report.any_schedule:
            outcomes += [
                _run(program, arrivals, capacities, Combined(n, optimisation.take)) for n in range(parameters.seeds)
            ]
    events = sum(isinstance(arrival.event, Event) for arrival in arrivals)
    return [
        {
            "nodes": len(machine.nodes),
            "places": sum(_places(capacities.of(state.node.name)) for state in machine.nodes),
            "tokens per event": machine.steps / events,
            "choices per event": counting.choices / events,
            "choices to a match, at most": counting.latest,
            "waiting at most": counting.waiting,
            "matches": len(outcomes[0].matches),
            "results": len({outcome.matches for outcome in outcomes}),
            "blocked": sum(outcome.blocked is not None for outcome in outcomes),
            "µs per event": 1e6 * seconds / events,
        }
    ]


def scaled(capacities: Capacities, factor: int) -> Capacities:
    """Return capacities with more room at every node."""

    def more(room: int | None) -> int | None:
        return None if room is None else room * factor

    def node(sizes: NodeCapacities) -> NodeCapacities:
        return NodeCapacities(more(sizes.left), more(sizes.right), more(sizes.inbox), more(sizes.outbox))

    return replace(
        capacities,
        default=node(capacities.default),
        nodes={name: node(sizes) for name, sizes in capacities.nodes.items()},
    )


def _places(sizes: NodeCapacities) -> int:
    return sum(size or 0 for size in (sizes.left, sizes.right, sizes.inbox, sizes.outbox))


def _machine(program: core.Program, arrivals: Sequence[Arrival], capacities: Capacities) -> Machine:
    network = network_of(Scenario(program, {}, (), tuple(arrivals)))
    return Machine(network, capacities=capacities, recorder=lambda _: None)


def _run(program: core.Program, arrivals: Sequence[Arrival], capacities: Capacities, schedule: Schedule) -> Outcome:
    machine = _machine(program, arrivals, capacities)
    schedule.drive(machine, arrivals)
    return outcome_of(machine)


@dataclass(slots=True)
class Counting:
    """A schedule that feeds events one by one, and of the possible steps takes the one that was possible longest.

    It counts its choices, and those from an arrival to the last match that follows from it; and notes how many tokens
    waited inside at most.
    """

    take: Take
    choices: int = 0
    latest: int = 0
    waiting: int = 0
    name: str = "counting"

    def drive(self, machine: Machine, arrivals: Iterable[Arrival]) -> None:
        """Feed the arrivals and take steps until none is possible."""
        for arrival in arrivals:
            machine.feed(arrival)
            since, queue = 0, dict.fromkeys(machine.candidates())
            before = len(machine.matches)
            while (taken := next((action for action in queue if self.take(machine, action)), None)) is not None:
                since += 1
                del queue[taken]
                candidates = dict.fromkeys(machine.candidates())
                queue = {action: None for action in (*queue, *candidates) if action in candidates}
                if len(machine.matches) > before:
                    self.latest, before = max(self.latest, since), len(machine.matches)
                waiting = sum(len(state.inbox) + len(state.outbox) for state in machine.nodes)
                self.waiting = max(self.waiting, waiting)
            self.choices += since


# --- Presentation -----------------------------------------------------------------------------------------------------


def _present(_: Parameters, rows: pd.DataFrame) -> Presentation:
    tables = [
        Table(str(program), group.drop(columns=["program"])) for program, group in rows.groupby("program", sort=False)
    ]
    return Presentation(tables, (), " ".join((_same(rows), *_saved(rows))))


def _same(rows: pd.DataFrame) -> str:
    same = rows.groupby("program")["matches"].nunique().max() == 1 and rows["results"].max() == 1
    results = "Each finds the same matches" if same else "**Some find other matches**"
    blocked = "none blocks" if rows["blocked"].max() == 0 else "**some block**"
    return f"{results} as `sound` with the sizes of the checker, and {blocked}."


def _saved(rows: pd.DataFrame) -> Iterator[str]:
    """Yield a sentence on how much less an optimisation needs than `sound`, for each."""
    numbered = rows.set_index(["program", "room"])
    plain = numbered[numbered["variant"] == SOUND]
    for name, column in FEWER.items():
        ratio = numbered[numbered["variant"] == name][column] / plain[column]
        yield f"`{name}`: {span(ratio.min(), ratio.max())} times the {column}."
    latest = plain["choices to a match, at most"].groupby("room").max()
    yield (
        f"With {latest.index.max()} times the room, `sound` reports after at most {latest.iloc[-1]} choices, "
        f"and with the sizes themselves after {latest.iloc[0]}."
    )


VARIANTS = Experiment(
    name="variants",
    title="What optimisations save",
    question="D §5.6.5 names optimisations that implementations make and the model leaves out: equal nodes are one, "
    "tokens go in batches, a token without a payload gives way to the next one, nodes are fused, buffers are larger. "
    "Do they find the same with the checker's sizes, and what does each save?",
    data="One source sends events of each template as fast as its rate allows, with the gaps of a fixed seed. Every "
    "machine has the sizes that the checker computes for `sound`, or *room* times as much. A *choice* is a "
    "step that the schedule selects, so a batch is one. *Tokens* are those that nodes process. *Places* is the sum of "
    "all sizes, *waiting at most* the most tokens that are in inboxes and outboxes at once. Where the sizes are for "
    "any schedule, random schedules run, too: *results* are the different results, *blocked* the runs that stop.",
    scales={
        Scale.SMALL: Parameters(events=10, seeds=1),
        Scale.DEFAULT: Parameters(),
        Scale.FULL: Parameters(events=1_000, seeds=10),
    },
    units=_units,
    measure=_measure,
    present=_present,
    clocked=frozenset({"µs per event"}),
    alone=True,
)
