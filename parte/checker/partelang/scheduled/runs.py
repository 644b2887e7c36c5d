"""Runs of a query on a schedule, by the definition: the program over the events that each run reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from parte.algebra.partelang.programs import run as matches_of
from parte.checker.environment.schedule import QuerySchedule
from parte.checker.partelang.replay import FALSE
from parte.checker.partelang.scheduled.questions import LATENESS, RUN
from parte.checker.partelang.witness import Witness, event_json
from parte.checker.report.contents import Json
from parte.semantics.events.domain import Predicates
from parte.semantics.events.event import Event
from parte.semantics.partelang.syntax import core

MOST_NAIVE = 25
"""The most events for which the evaluator that defines the truth is used; beyond, the one with indexes."""


@dataclass(frozen=True, slots=True)
class ScheduledTrace:
    """A trace with the arrival of each event by its id, one run of the schedule, and a match, event by variable."""

    events: tuple[Event, ...]
    arrivals: Mapping[str, int]
    run: int
    match: Mapping[str, str]
    domain: Predicates = field(default_factory=dict)

    @classmethod
    def of(cls, witness: Witness, rule: core.Rule) -> ScheduledTrace:
        """Return the trace of a witness of one of the `Questions`."""
        events = sorted(witness.trace.values(), key=lambda event: event.timestamp)
        names = _names(
            [event.id for event in events], set(witness.events) & {pattern.variable for pattern in rule.patterns}
        )
        arrivals, plain = {}, []
        for event in events:
            if event.id != RUN:
                late = event.attributes.get(LATENESS, 0)
                assert isinstance(late, int)
                arrivals[names[event.id]] = event.timestamp + late
                own = {name: value for name, value in event.attributes.items() if name != LATENESS}
                plain.append(replace(event, id=names[event.id], attributes=own))
        match = {pattern.variable: pattern.variable for pattern in rule.positive}
        return cls(tuple(plain), arrivals, witness.events[RUN].timestamp, match, witness.predicates)

    def moved(self, milliseconds: int) -> ScheduledTrace:
        """Return the trace that many milliseconds later."""
        events = tuple(replace(event, timestamp=event.timestamp + milliseconds) for event in self.events)
        arrivals = {name: time + milliseconds for name, time in self.arrivals.items()}
        return replace(self, events=events, arrivals=arrivals, run=self.run + milliseconds)

    def without(self, event: Event) -> ScheduledTrace:
        """Return the trace without an event."""
        arrivals = {name: time for name, time in self.arrivals.items() if name != event.id}
        return replace(self, events=tuple(entry for entry in self.events if entry != event), arrivals=arrivals)

    def read_at(self, run: int, schedule: QuerySchedule) -> list[Event]:
        """Return the events that the run at a time reads."""
        return [event for event in self.events if schedule.reads(run, event, self.arrivals[event.id])]

    def runs(self, schedule: QuerySchedule) -> range:
        """Return the runs that read all positive events of the match."""
        bound = [event for event in self.events if event.id in self.match.values()]
        latest = max(self.arrivals[event.id] for event in bound)
        times = self.arrivals if schedule.by_arrival else {event.id: event.timestamp for event in bound}
        earliest = min(times[event.id] for event in bound)
        first = latest + (self.run - latest) % schedule.every
        return range(first, earliest + schedule.lookback + 1, schedule.every)

    def stretches(self, schedule: QuerySchedule) -> list[range]:
        """Return `runs` in stretches of runs that read the same events."""
        runs = self.runs(schedule)
        changes = set()
        for event in self.events:
            arrival = self.arrivals[event.id]
            gone = (arrival if schedule.by_arrival else event.timestamp) + schedule.lookback + 1
            # The number of the first run at or after a change.
            changes |= {-(-(time - runs.start) // schedule.every) for time in (arrival, gone)}
        ends = sorted({0, len(runs), *(number for number in changes if 0 < number < len(runs))})
        return [runs[begin:end] for begin, end in pairwise(ends)]

    def record(self, schedule: QuerySchedule, runs: Iterable[int], reporting: Container[int]) -> dict[str, Json]:
        """Return the form for `--json`: the trace, arrivals, bindings, phase, and runs with the events that they
        read."""
        described: list[Json] = [
            {"at": run, "reads": [event.id for event in self.read_at(run, schedule)], "reports": run in reporting}
            for run in runs
        ]
        trace: list[Json] = [event_json(event) for event in self.events]
        return {
            "trace": trace,
            "arrivals": dict(self.arrivals),
            "bindings": dict(self.match),
            "domain": Witness({}, self.domain).record()["domain"],
            "phase": self.run % schedule.every,
            "runs": described,
        }


def _names(ids: Sequence[str], variables: Container[str]) -> dict[str, str]:
    """Return new ids of events: variables of the rule stay, elements of sets get the variable and a number."""
    names: dict[str, str] = {}
    numbers: Counter[str] = Counter()
    for name in ids:
        of = name.partition("#")[0].partition(" at ")[0]
        numbers[of] += name not in variables
        names[name] = name if name in variables else f"{of}#{numbers[of]}"
    return names


class Definition:
    """The definition of one rule of a program, which it evaluates over given events."""

    def __init__(self, program: core.Program, rule: core.Rule) -> None:
        # The rule alone: the guarantees are about rules that read no emitted events.
        read = {pattern.template for pattern in rule.patterns}
        templates = tuple(template for template in program.templates if template.name in read)
        strata = tuple((name, 0) for name in sorted(read))
        self._program = core.Program(templates, program.predicates, (replace(rule, emissions=()),), strata)

    def finds(self, events: Iterable[Event], trace: ScheduledTrace) -> bool:
        """Return whether the match of the trace is one of the rule over some events. Raise TooMuch."""
        known = list(events)
        domain = {predicate.name: trace.domain.get(predicate.name, FALSE) for predicate in self._program.predicates}
        outcome = matches_of(self._program, known, domain, "naive" if len(known) <= MOST_NAIVE else "indexed")
        wanted = frozenset(trace.match.items())
        return any(frozenset(match.bindings) == wanted for match in outcome.matches)

    def reporting(self, trace: ScheduledTrace, schedule: QuerySchedule) -> list[range]:
        """Return the runs that report the match of the trace, in stretches. Raise TooMuch."""
        return [runs for runs in trace.stretches(schedule) if self.finds(trace.read_at(runs.start, schedule), trace)]
