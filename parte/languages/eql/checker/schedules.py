"""Checks of a query that runs on a schedule (specification: eql-schedules, query-schedules).

A run that reads the events of a result reports it: fewer events leave a chain a chain, and rule nothing out. So the
distance of these events decides whether a run sees a result. A report is refuted by events that the run does not read:
those before the lookback, and those after the run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from parte.checker.environment.schedule import QuerySchedule, enough, least_reports, most_reports, spread_of
from parte.checker.report.contents import Json, ScheduledRule, ScheduleReport
from parte.checker.solver.clock import Undecided
from parte.checker.solver.errors import CheckerBug
from parte.checker.solver.verdict import Verdict
from parte.languages.eql.checker.absences import Rulings
from parte.languages.eql.checker.work import Trace, Work, lines
from parte.languages.eql.semantics.syntax import tree
from parte.semantics.events.event import Event

SEEN, TRUE = "seen-by-a-run", "reports-stay-true"


@dataclass(frozen=True, slots=True)
class Arriving:
    """Events with their times of arrival, in ms, and the ids of those that are a result for a run."""

    events: Trace
    ids: tuple[str, ...]
    late: Mapping[str, int]
    run: int

    def whole(self) -> list[Event]:
        """Return all events in order."""
        return sorted(self.events, key=lambda event: (event.timestamp, self.arrival(event)))

    def arrival(self, event: Event) -> int:
        """Return when an event arrives."""
        return event.timestamp + self.late.get(event.id, 0)

    def reports(self, work: Work, schedule: QuerySchedule, run: int) -> bool:
        """Return whether a run reports the result."""
        read = [event for event in self.whole() if schedule.reads(run, event, self.arrival(event))]
        return self.ids in work.results(read)

    def record(self, work: Work, schedule: QuerySchedule, runs: Sequence[int]) -> dict[str, Json]:
        """Return the evidence: the trace, times of arrival, and the runs."""
        described: list[Json] = [{"at": run, "reports": self.reports(work, schedule, run)} for run in runs]
        arrivals: dict[str, Json] = {event.id: self.arrival(event) for event in self.events}
        return {"trace": lines(self.whole()), "arrivals": arrivals, "result": list(self.ids), "runs": described}


def check_schedule(work: Work, schedule: QuerySchedule, trace: Trace | None) -> ScheduleReport:
    """Report results that no run sees, and reports that do not stay true. `trace` has a result and no other events."""
    rows: tuple[ScheduledRule, ...] = ()
    open_ = _unexamined(work)
    for name in (SEEN, TRUE):
        with work.collector.deciding(name) as decision:
            if trace is None or open_:
                decision.verdict = Verdict.VACUOUS if work.satisfiable is Verdict.REFUTED else Verdict.NOT_PROVED
                decision.detail = open_ or "no result is known"
            elif name == SEEN:
                rows = (_seen(work, schedule, trace),)
                decision.detail = rows[0].text()
            else:
                with work.open("refuted-report", work.query.span, "whether each report stays true"):
                    _refuted(work, schedule, trace)
    by = "arrival" if schedule.by_arrival else "timestamp"
    return ScheduleReport(schedule.every, schedule.lookback, schedule.delay, by, rows)


def _unexamined(work: Work) -> str:
    """Return why a query is not examined on a schedule; "" if it is."""
    if not isinstance(work.query, tree.Sample) and work.query.pipes:
        return "pipes choose among the results of a run"
    if work.readings.order == "arrival" or work.readings.missing == "pending":
        return "not examined under the readings `order=arrival` and `missing=pending`"
    return ""


def _maxspan(work: Work) -> int | None:
    maxspan = work.query.maxspan if isinstance(work.query, tree.Sequence) else None
    return None if maxspan is None else maxspan.milliseconds


def _seen(work: Work, schedule: QuerySchedule, trace: Trace) -> ScheduledRule:
    several, maxspan = len(trace) > 1, _maxspan(work)
    widest = maxspan if several else 0
    spread = None
    if widest is not None:
        spread = spread_of(widest, schedule.delay, by_arrival=schedule.by_arrival, events=len(trace))
    least = None if spread is None else enough(spread, schedule.every)
    at_least = 0 if spread is None else least_reports(spread, schedule.every, schedule.lookback)
    row = ScheduledRule("query", least, True, at_least, most_reports(0, schedule.every, schedule.lookback), True)
    if least is not None and schedule.lookback >= least:
        return row
    apart = schedule.lookback + schedule.every if widest is None else widest
    events = (*trace[:-1], replace(trace[-1], timestamp=apart)) if several else trace
    events = tuple(replace(event, timestamp=0) for event in events[:-1]) + events[-1:]
    late = schedule.delay if several or not schedule.by_arrival else 0
    run = schedule.lookback + 1
    example = Arriving(events, tuple(event.id for event in events), {events[-1].id: late}, run)
    runs = (run - schedule.every, run)
    if example.ids not in work.results(example.whole()) or any(example.reports(work, schedule, run) for run in runs):
        raise CheckerBug("a run sees the result that none is to see")
    work.collector.find(
        "unseen-result",
        work.query.span,
        "no run of this schedule sees some result",
        reason=[
            f"the result begins at 0 ms and ends at {apart} ms, its last event arrives at {apart + late} ms",
            f"the run at {runs[0]} ms is too early for the last event, the one at {runs[1]} ms too late for the first",
        ],
        hint="no lookback is enough: add a maxspan" if least is None else "look further back, or run it more often",
        evidence=example.record(work, schedule, runs),
    )
    return row


def _refuted(work: Work, schedule: QuerySchedule, trace: Trace) -> None:
    for what, example in _refuting(work, schedule, trace):
        if example.ids in work.results(example.whole()) or not example.reports(work, schedule, example.run):
            raise Undecided(f"the trace that was tried does not show it: {what}")
        work.collector.find(
            "refuted-report",
            work.query.span,
            f"a run may report a result that the whole trace does not have: {what}",
            reason=[f"the run at {example.run} ms reads only some of the events, and reports {', '.join(example.ids)}"],
            hint="no lookback prevents this",
            evidence=example.record(work, schedule, [example.run]),
        )
        return


def _refuting(work: Work, schedule: QuerySchedule, trace: Trace) -> Iterator[tuple[str, Arriving]]:
    """Yield traces on which a report does not stay true, and what refutes it. If there are none, all reports do."""
    ids, again, lookback = tuple(event.id for event in trace), replace(trace[0], id="other"), schedule.lookback
    if isinstance(work.query, tree.Sample):
        events = (replace(again, timestamp=0), *(replace(event, timestamp=lookback + 1) for event in trace))
        yield "an earlier event is the first of an item", Arriving(events, ids, {}, lookback + 1)
    if not isinstance(work.query, tree.Sequence):
        return
    rulings, gaps, maxspan = Rulings(work, work.query), tree.between(work.query), _maxspan(work)
    rulings.useless = {id(stage) for stage in work.events}  # it does not matter which of several rules a result out
    late = min(1, schedule.delay) if maxspan == 0 else 0
    behind = late if schedule.by_arrival else 0
    for answer in (rulings.rules_out(stage, 0) for stage in gaps[0] if maxspan or behind):
        if answer.trace is not None:
            arrivals = dict.fromkeys(answer.result, behind)
            yield (
                "a missing event lies before the lookback",
                Arriving(answer.trace, answer.result, arrivals, lookback + 1),
            )
    for answer in (rulings.rules_out(stage, len(trace)) for stage in gaps[-1] if maxspan or late):
        if answer.trace is not None:
            last = next(event for event in answer.trace if event.id == answer.result[-1])
            after = {event.id: late for event in answer.trace[answer.trace.index(last) + 1 :]}
            yield "a missing event comes after the run", Arriving(answer.trace, answer.result, after, last.timestamp)
    if len(trace) > 1 and schedule.delay > 1 and maxspan != 0 and (lookback or schedule.by_arrival):
        events = (replace(trace[0], timestamp=0), replace(again, timestamp=0))
        events += tuple(replace(event, timestamp=1) for event in trace[1:])
        arrivals = {trace[0].id: int(schedule.by_arrival), again.id: 2}
        yield "a late event begins a later chain", Arriving(events, ids, arrivals, 1)
