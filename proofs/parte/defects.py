"""The twelve known defects of `published`, each with its smallest counterexample (specification: repairs).

A counterexample fails under `published`, where other defects may show first, and under `exhibits`: `sound` less the
repair, and for one defect less another repair that would hide it. `sound` passes it, so the missing repair is to blame.
No line of its trace can be left out. Distances and timestamps are milliseconds.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from parte.semantics.events.outcome import Outcome
from parte.semantics.events.scenario import Scenario
from parte.semantics.events.trace import read_trace
from parte.semantics.parte.capacities import Capacities, NodeCapacities
from parte.semantics.parte.execution import execute, network_of
from parte.semantics.parte.repairs import SOUND, Model
from parte.semantics.parte.schedules import RoundRobin, Schedule
from parte.semantics.parte.sizes import Rate, prescribed_capacities
from parte.semantics.parte.syntax import core
from parte.semantics.parte.syntax.elaborate import parse

TEMPLATES = """
template A { k: Integer }
template B { k: Integer }
template C { k: Integer }
"""


@dataclass(frozen=True, slots=True)
class Arriving:
    """A short way to write an event: its template, its timestamp, the value of k and its source."""

    template: str
    timestamp: int
    k: int = 0
    source: str = "s"


@dataclass(frozen=True, slots=True)
class Promising:
    """A short way to write a progress line."""

    template: str
    timestamp: int
    source: str = "s"


@dataclass(frozen=True, slots=True)
class Defect:
    """A defect, the repair that mends it, and the counterexample.

    `symptom` is what `exhibits` does: a match is "lost" or "spurious", or the run is "blocked". `rates` (of the source
    `s`) stand in for `capacities` where the sizes that a model prescribes are what is wrong.
    """

    number: int
    repair: str
    title: str
    rule: str
    arriving: Sequence[Arriving | Promising]
    symptom: str
    capacities: Capacities = Capacities()
    rates: tuple[tuple[str, Rate], ...] = ()
    schedule: Schedule = RoundRobin()
    less: tuple[str, ...] = ()

    @property
    def program(self) -> str:
        """The program of the counterexample."""
        return f"{TEMPLATES}rule R where {self.rule} then"

    @property
    def exhibits(self) -> Model:
        """`sound` without the repair."""
        return SOUND.without(self.repair, *self.less)

    @property
    def scenario(self) -> Scenario[core.Program]:
        """The counterexample, ready to run."""
        return Scenario.of(parse(self.program), read_trace(self.trace))

    def capacities_for(self, scenario: Scenario[core.Program], model: Model) -> Capacities:
        """The capacities under which a model runs the counterexample."""
        if not self.rates:
            return self.capacities
        rates = {("s", template): rate for template, rate in self.rates}
        return prescribed_capacities(network_of(scenario, model), rates, model)

    def run(self, model: Model, schedule: Schedule | None = None) -> Outcome:
        """What a model makes of the counterexample under its schedule, or another one."""
        scenario = self.scenario
        capacities = self.capacities_for(scenario, model)
        return execute(scenario, model=model, schedule=schedule or self.schedule, capacities=capacities)

    @property
    def trace(self) -> str:
        """The trace of the counterexample, as JSON Lines."""
        return "".join(f"{_line(number, item)}\n" for number, item in enumerate(self.arriving, 1))


def _line(number: int, item: Arriving | Promising) -> str:
    if isinstance(item, Promising):
        return json.dumps({"source": item.source, "template": item.template, "progress": item.timestamp})
    return json.dumps(
        {
            "id": f"{item.template.lower()}{number}",
            "template": item.template,
            "timestamp": item.timestamp,
            "source": item.source,
            "attributes": {"k": item.k},
        }
    )


def _all(size: int, **others: int) -> Capacities:
    return Capacities(NodeCapacities(**({"left": size, "right": size} | others)))


DEFECTS = (
    Defect(
        1,
        "expire-by-lifetime",
        "A right token expires a left event that is older than its bound, though its window is still open",
        "a: A, b: B when b in a [2 ms, 5 ms]",
        (Arriving("A", 0), Arriving("B", 1), Arriving("B", 2)),
        "lost",
    ),
    Defect(
        2,
        "join-before-expiry",
        "A left token expires, by its bound, the right event that its own older event would join",
        "a: A, no b: A, c: A when no b in a [1 ms, 1 ms] c in a [0 ms, 0 ms]",
        (Arriving("A", 0),),
        "lost",
    ),
    Defect(
        3,
        "window-per-event",
        "One interval for all events of a left partial match lets in an event outside the window of one of them",
        "a: A, b: B, c: C when b in a [0 ms, 10 ms] c in b [5 ms, 5 ms]",
        (Promising("C", 0), Arriving("A", 0), Arriving("B", 0), Arriving("C", 10)),
        "spurious",
    ),
    Defect(
        4,
        "exhaustive-expiry",
        "A partial match with an old and a young event is neither kept nor released",
        "a: A, b: B, no c: C when b in a [1 ms, 1 ms] no c in a [0 ms, 0 ms]",
        (Arriving("A", 0), Arriving("B", 1), Arriving("C", 1)),
        "lost",
        less=("expire-by-lifetime",),
    ),
    Defect(
        5,
        "negate-in-window",
        "An event removes a partial match although it lies outside its window",
        "a: A, no b: B when no b in a [1 ms, 1 ms]",
        (Arriving("A", 0), Arriving("B", 0)),
        "lost",
    ),
    Defect(
        6,
        "store-only-live",
        "A partial match whose window has closed waits for a right token that never comes",
        "a: A, no b: B when no b in a [0 ms, 0 ms]",
        (Arriving("A", 0),),
        "lost",
    ),
    Defect(
        7,
        "bound-per-token",
        "The first of two tokens of one step carries a bound that its companion breaks",
        "a: A, no b: A, c: A when no b in a [1 ms, 1 ms] c in a [0 ms, 0 ms]",
        (Arriving("A", 0), Arriving("A", 0)),
        "lost",
    ),
    Defect(
        8,
        "report-silence",
        "Rejected events leave the bounds where they are, and a not-node starves until nothing fits any more",
        "a: A, no b: A { k = 1 } when no b in a [0 ms, 0 ms]",
        tuple(Arriving("A", time) for time in range(4)),
        "blocked",
        _all(1, inbox=1, outbox=1),
    ),
    Defect(
        9,
        "slot-per-side",
        "A left token that has no room keeps the right token waiting that would make room",
        "a: A, b: B when b in a [0 ms, 0 ms]",
        (Arriving("A", 0), Arriving("A", 1), Arriving("B", 1)),
        "blocked",
        _all(1, inbox=3, outbox=1),
    ),
    Defect(
        10,
        "bound-on-last-token",
        "A right token releases a full history and has one token more to send than the outbox holds",
        "a: A, no b: B when no b in a [0 ms, 0 ms]",
        (Arriving("A", 0), Arriving("B", 1)),
        "blocked",
        _all(1, inbox=1, outbox=1),
    ),
    Defect(
        11,
        "merge-by-promise",
        "A source that runs ahead fills the histories while a slow one holds the bounds down behind it",
        "a: A, b: A when b in a [0 ms, 0 ms]",
        (*(Arriving("A", time) for time in range(3)), Arriving("A", 0, source="slow")),
        "blocked",
        _all(3, inbox=1, outbox=3),
    ),
    Defect(
        12,
        "retention-sizes",
        "A history of rate times window plus one is too short for a window that begins later",
        "a: A, b: A when b in a [4 ms, 6 ms]",
        tuple(Arriving("A", time) for time in range(6)),
        "blocked",
        rates=(("A", Rate(1, 1)),),
    ),
)
