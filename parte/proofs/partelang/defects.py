"""The twelve known defects of `published`, each with its smallest counterexample (specification: repairs).

A counterexample fails under `published`, where other defects may show first, and under `exhibits`: `sound` less the
repair, and for one defect also without another repair that would hide it. `sound` passes it, so the missing repair is
the cause. No line of its trace can be left out. Distances and timestamps are milliseconds.

D §8.4.2 requires that sources report regularly that nothing has happened. Each defect also occurs with such "no change"
tokens (`with_silence`), defect 8 if they are sent only where there is no event (D §8.4.3).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from parte.semantics.events.event import POSITIVE_INFINITY, Arrival, Event
from parte.semantics.events.outcome import Outcome
from parte.semantics.events.records import read_records
from parte.semantics.events.scenario import Scenario
from parte.semantics.events.trace import read_trace
from parte.semantics.partelang.capacities import Capacities
from parte.semantics.partelang.compilation import compile_program
from parte.semantics.partelang.execution import execute, network_of, run_network, sources_of
from parte.semantics.partelang.repairs import SOUND, family_of
from parte.semantics.partelang.schedules import RoundRobin, Schedule
from parte.semantics.partelang.sizes import Rate, prescribed_capacities
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.elaborate import parse
from parte.semantics.rulebook.models import Model
from parte.semantics.source.packages import data_file

TEMPLATES = """
template A { k: Integer }
template B { k: Integer }
template C { k: Integer }
"""


_WINDOWS_OVER = 12
"""Milliseconds after the last event in which every window of a counterexample ends."""


@dataclass(frozen=True, slots=True)
class Arriving:
    """A short notation for an event: its template, its timestamp, the value of k and its source."""

    template: str
    timestamp: int
    k: int = 0
    source: str = "s"


@dataclass(frozen=True, slots=True)
class Defect:
    """A defect, the repair that mends it, and the counterexample.

    `symptom` is the failure of `exhibits`: a match is "lost" or "spurious", or the run is "blocked". `rates` (of the
    source `s`) replace `capacities` if the sizes that a model prescribes are wrong.
    """

    number: int
    repair: str
    title: str
    rule: str
    arriving: Sequence[Arriving]
    symptom: str
    capacities: Capacities = Capacities()
    rates: Mapping[str, Rate] = field(default_factory=dict)
    less: tuple[str, ...] = ()

    schedule: ClassVar[Schedule] = RoundRobin()

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
        """Return the counterexample, ready to run."""
        return Scenario.of(parse(self.program), read_trace(self.trace))

    def capacities_for(self, scenario: Scenario[core.Program], model: Model) -> Capacities:
        """Return the capacities under which a model runs the counterexample."""
        if not self.rates:
            return self.capacities
        rates = {("s", template): rate for template, rate in self.rates.items()}
        return prescribed_capacities(network_of(scenario, model), rates, model)

    def run(self, model: Model, schedule: Schedule | None = None) -> Outcome:
        """Run a model on the counterexample under its schedule, or another one."""
        scenario = self.scenario
        capacities = self.capacities_for(scenario, model)
        return execute(scenario, model=model, schedule=schedule or self.schedule, capacities=capacities)

    def run_with_silence(self, model: Model, *, beside_events: bool) -> Outcome:
        """Do the same as `run`, on `with_silence`."""
        scenario, arrivals = self.scenario, self.with_silence(beside_events=beside_events)
        network = compile_program(scenario.program, scenario.predicates, sources_of(arrivals), family_of(model))
        return run_network(network, arrivals, model, self.schedule, self.capacities_for(scenario, model))

    def with_silence(self, *, beside_events: bool) -> tuple[Arrival, ...]:
        """Return the arrivals if every source reports at each millisecond that nothing has happened (D §8.4.2).

        It does so where it has no event to send (D §8.4.3), or, `beside_events`, after each event as well, and for
        every template of the rule; from 0 until every window is over. Each "no change" comes as late as possible: just
        before the next item of the same source about that template.
        """
        scenario = self.scenario
        events = [item for item in scenario.items if isinstance(item, Event)]
        templates = dict.fromkeys(pattern.template for rule in scenario.program.rules for pattern in rule.patterns)
        pairs = dict.fromkeys(
            [(event.source, event.template) for event in events] + [("s", name) for name in templates]
        )
        silent_from = dict.fromkeys(pairs, 0)
        arrivals = []
        for event in events:
            pair = event.source, event.template
            silent = range(silent_from[pair], event.timestamp)
            arrivals += [Arrival(*pair, time, None) for time in silent]
            arrivals.append(Arrival(*pair, event.timestamp, event))
            arrivals += [Arrival(*pair, event.timestamp, None)] * beside_events
            silent_from[pair] = event.timestamp + 1
        end = max(event.timestamp for event in events) + _WINDOWS_OVER
        for pair, start in silent_from.items():
            arrivals += [Arrival(*pair, time, None) for time in range(start, end)]
        return (*arrivals, *(Arrival(*pair, POSITIVE_INFINITY, None) for pair in pairs))

    @property
    def trace(self) -> str:
        """Return the trace of the counterexample, as JSON Lines."""
        return "".join(f"{_line(number, item)}\n" for number, item in enumerate(self.arriving, 1))


def _line(number: int, item: Arriving) -> str:
    return json.dumps(
        {
            "id": f"{item.template.lower()}{number}",
            "template": item.template,
            "timestamp": item.timestamp,
            "source": item.source,
            "attributes": {"k": item.k},
        }
    )


DEFECTS = read_records(data_file("parte.proofs.partelang", "defects.toml"), "defect", Defect)
"""All defects, by number."""
