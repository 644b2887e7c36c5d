"""What wild programs mean: brute force against the evaluators of the algebra, DuckDB, and the machine under schedules,
with several sources that are late and with stores of the checker's sizes."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod

from parte import api
from parte.checker.environment.deployment import Deployment, Emits, Source
from parte.checker.partelang.bounds.bounds import bounds
from parte.checker.partelang.bounds.replay import schedules
from parte.semantics.events.domain import Predicates, bind_domain, read_domain
from parte.semantics.events.event import Event, Progress, TraceItem
from parte.semantics.events.outcome import Outcome
from parte.semantics.events.rates import Rate
from parte.semantics.events.values import LEAST_INTEGER
from parte.semantics.partelang.capacities import Capacities
from parte.semantics.partelang.counting import NotComputed
from parte.semantics.partelang.schedules import RoundRobin, Schedule
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.elaborate import parse
from parte.semantics.partelang.syntax.parser import parse_source
from parte.semantics.source.diagnostics import ProgramError
from tests.campaigns import brute, wild
from tests.campaigns.bounds import RUN, TIMEOUT
from tests.campaigns.running import Broken
from tests.campaigns.wild import Wild

TUPLES = 30_000
"""Rules with more tuples of events are not put to the evaluator that forms them all."""

_IDS = ("a,b", "a=b", 'q"', "x\\", "()", "é", "#1", " ", "x" * 90)
_SOURCES = ("default", "s", "t")


@dataclass(frozen=True, slots=True)
class Meant:
    """A program with traces in order of arrival, whether promises are stated, and for the sizes of stores how late
    sources may be and the interval that their rates speak of."""

    program: Wild
    stated: bool
    late: int
    period: int
    seed: int


class Meaning:
    """The campaign."""

    name = "meaning"

    def draw(self, source: random.Random) -> Meant:
        """A rich program with traces from several sources, in an order of arrival of their own."""
        program = wild.wild(source, traces=6, rich=True)
        traces = tuple(_arriving(source, trace) for trace in program.traces)
        late, period = source.choice((0, 0, 1, 3)), source.choice((1, 2, 5, 2**40))
        return Meant(replace(program, traces=traces), source.random() < 0.4, late, period, source.randrange(1000))

    def smaller(self, case: Meant) -> Iterator[Meant]:
        """The case with less of its program and traces."""
        for program in wild.smaller(case.program):
            yield replace(case, program=program)
        for number, trace in enumerate(case.program.traces):
            plain = tuple(replace(event, source="default") for event in trace)
            if plain != trace:
                traces = (*case.program.traces[:number], plain, *case.program.traces[number + 1 :])
                yield replace(case, program=replace(case.program, traces=traces))
        if case.stated:
            yield replace(case, stated=False)

    def show(self, case: Meant) -> str:
        """The program, the traces and how they arrive."""
        return f"{case.program.show()}{replace(case, program=Wild((), None))}\n"

    def attack(self, case: Meant, counts: Counter[str]) -> None:
        """Whatever evaluates the program finds what brute force finds."""
        try:
            program = parse(case.program.text)
        except ProgramError as error:
            counts[f"no program: {error.diagnostics[0].code}"] += 1
            return
        source = parse_source(case.program.text)
        domain = read_domain(
            {**{predicate.name: {"true_for": []} for predicate in program.predicates}, **case.program.tables}
        )
        rows = {predicate.name: (case.program.domain or {}).get(predicate.name, []) for predicate in program.predicates}
        for trace in case.program.traces:
            try:
                matches, failed = brute.meaning(source, trace, rows)
            except brute.TooMany:
                counts["too many events are emitted"] += 1
                continue
            counts["traces"] += 1
            counts["matches"] += len(matches)
            counts["emitted"] += sum(len(emits) for _, _, emits in matches)
            counts["emissions without a value"] += len(failed)
            _Compared(case, program, bind_domain(program, domain), trace, matches, failed, counts).run()


def _arriving(source: random.Random, trace: tuple[Event, ...]) -> tuple[Event, ...]:
    """The events from several sources, in the order of their times, or a little or wholly out of it."""
    sources = _SOURCES[: source.choice((1, 2, 3))]
    ids = source.sample(_IDS, 2) if source.random() < 0.2 else []
    events = [
        replace(event, source=source.choice(sources), id=ids[number] if number < len(ids) else event.id)
        for number, event in enumerate(trace)
    ]
    late = source.choice((0, 0, 3, 2**66))
    return tuple(sorted(events, key=lambda event: event.timestamp + source.randint(0, late)))


@dataclass(frozen=True)
class _Compared:
    """One trace, and what brute force found on it."""

    case: Meant
    program: core.Program
    predicates: Predicates
    trace: tuple[Event, ...]
    matches: set[brute.Found]
    failed: set[brute.Failed]
    counts: Counter[str]

    def run(self) -> None:
        """Every evaluator and machine."""
        items, disorder = _promised(self.trace, self.case.stated)
        first = self.trace is self.case.program.traces[0]
        if self.tuples() <= TUPLES:
            self.same("algebra", self.executed(items, disorder, "algebra"))
        for model in ("indexed", "duckdb") if first else ("indexed",):  # DuckDB takes longer than all others together
            self.same(model, self.executed(items, disorder, model))
        for schedule in self.schedules():
            outcome = self.executed(items, disorder, "sound", schedule)
            self.same(f"sound, {schedule.name.partition(' ')[0]}", outcome)
        if first:
            self.within_sizes()

    def schedules(self) -> tuple[Schedule, ...]:
        """Round-robin, and one that depends on the trace."""
        orderly, *others = schedules(self.case.seed)[:4]
        return orderly, others[sum(map(hash, (event.timestamp for event in self.trace))) % len(others)]

    def executed(
        self,
        items: Sequence[TraceItem],
        disorder: int,
        model: str,
        schedule: Schedule | None = None,
        capacities: Capacities | None = None,
    ) -> Outcome:
        return api.execute(
            self.program,
            items,
            model=model,
            schedule=schedule,
            domain=self.predicates,
            capacities=capacities,
            disorder=disorder,
        )

    def same(self, who: str, outcome: Outcome) -> None:
        self.counts[f"compared: {who}"] += 1
        if outcome.blocked is not None:
            raise Broken(f"{who} is blocked", str(outcome.blocked))
        matches = [(match.rule, match.bindings, tuple(map(brute.record, match.emits))) for match in outcome.matches]
        failures = [
            (emission_failure.rule, emission_failure.position, emission_failure.bindings)
            for emission_failure in outcome.failures
        ]
        if len(set(matches)) != len(matches) or len(set(failures)) != len(failures):
            raise Broken(f"{who} finds a match twice")
        if set(matches) != self.matches:
            raise Broken(
                f"matches of {who}", f"missing {self.matches - set(matches)}, surplus {set(matches) - self.matches}"
            )
        if set(failures) != self.failed:
            raise Broken(f"failures of {who}", f"{self.failed ^ set(failures)}")

    def tuples(self) -> int:
        """How many tuples of events the rule with the most of them has, at most."""
        emitted = Counter(template for _, _, emits in self.matches for _, template, _, _ in emits)
        stream = Counter(event.template for event in self.trace) + emitted
        return max(prod(stream[pattern.template] + 1 for pattern in rule.patterns) for rule in self.program.rules)

    # --- Sizes -------------------------------------------------------------------------------------------------------

    def within_sizes(self) -> None:
        """The machine with the sizes that the checker computes for a deployment that allows this very trace."""
        if not self.trace:
            return
        late, period = self.case.late, self.case.period
        draw = random.Random(self.case.seed)
        order = sorted(self.trace, key=lambda event: event.timestamp + draw.randint(0, late))
        pairs = sorted({(event.source, event.template) for event in order})
        deployment = Deployment(
            tuple(
                Source(name, tuple(Emits(t, _rate(order, s, t, period)) for s, t in pairs if s == name), late)
                for name in dict.fromkeys(source for source, _ in pairs)
            )
        )
        try:
            report = bounds(self.program, deployment, timeout=TIMEOUT)
        except NotComputed:
            self.counts["sizes not computed"] += 1
            return
        if not report.bounded or any((size.viable or 0) > RUN for size in report.sizes):
            self.counts["sizes too large"] += 1
            return
        items: list[TraceItem] = []
        latest = LEAST_INTEGER
        for event in order:
            latest = max(latest, event.timestamp)
            items += [Progress(source, name, max(latest - late, LEAST_INTEGER)) for source, name in pairs]
            items.append(event)
        for schedule in self.schedules() if report.any_schedule else (RoundRobin(),):
            outcome = self.executed(items, 0, "sound", schedule, report.capacities())
            self.same(f"sound within sizes, {schedule.name.partition(' ')[0]}", outcome)


def _rate(events: Sequence[Event], source: str, template: str, period: int) -> Rate:
    """The least rate for an interval of this length."""
    times = [event.timestamp for event in events if (event.source, event.template) == (source, template)]
    return Rate(max(sum(start <= time < start + period for time in times) for start in times), period)


def _promised(trace: Sequence[Event], stated: bool) -> tuple[tuple[TraceItem, ...], int]:
    """The trace with the strongest promises that it keeps, or the disorder that it has without any."""
    items: list[TraceItem] = []
    disorder = 0
    for number, event in enumerate(trace):
        items.append(event)
        rest = [later.timestamp for later in trace[number + 1 :] if _pair(later) == _pair(event)]
        disorder = max(disorder, *(event.timestamp - time for time in rest), 0)
        if stated and rest:
            items.append(Progress(event.source, event.template, min(rest)))
    return tuple(items), 0 if stated else disorder


def _pair(event: Event) -> tuple[str, str]:
    return event.source, event.template
