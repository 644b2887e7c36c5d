"""Runs of a query schedule by brute force: every phase, every run, the definition over the events that a run reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import cast

from parte.algebra.partelang.programs import run
from parte.checker.environment.schedule import QuerySchedule
from parte.checker.partelang.check import check
from parte.checker.report.contents import Finding, Json, Report, ScheduledRule
from parte.checker.solver.verdict import Verdict
from parte.semantics.events.event import Event
from parte.semantics.partelang.syntax import core

Match = frozenset[tuple[str, str]]


@dataclass(frozen=True)
class Log:
    """Events with the time of arrival of each."""

    events: tuple[Event, ...]
    arrivals: Mapping[str, int]

    def read_at(self, time: int, schedule: QuerySchedule) -> tuple[Event, ...]:
        """Return the events that the run at a time reads, by the words of the specification."""
        inside = []
        for event in self.events:
            arrival = self.arrivals[event.id]
            placed = arrival if schedule.by_arrival else event.timestamp
            if time - schedule.lookback <= placed <= time and arrival <= time:
                inside.append(event)
        return tuple(inside)


def matches(program: core.Program, rule: core.Rule, events: Iterable[Event]) -> set[Match]:
    """Return the matches of one rule over events."""
    silent = replace(program, rules=(replace(rule, emissions=()),))
    return {frozenset(match.bindings) for match in run(silent, events).matches}


class Simulation:
    """All phases of one schedule over one log."""

    def __init__(self, program: core.Program, rule: core.Rule, log: Log, schedule: QuerySchedule) -> None:
        self.whole = matches(program, rule, log.events)
        self.refuted: set[Match] = set()
        self.reports: dict[Match, list[int]] = {match: [0] * schedule.every for match in self.whole}
        known: dict[tuple[Event, ...], set[Match]] = {(): matches(program, rule, ())}
        # All times at which a run reads something.
        times: set[int] = set()
        for event in log.events:
            arrival = log.arrivals[event.id]
            times.update(range(arrival, (arrival if schedule.by_arrival else event.timestamp) + schedule.lookback + 1))
        for time in sorted(times):
            read = log.read_at(time, schedule)
            if read not in known:
                known[read] = matches(program, rule, read)
            self.refuted |= known[read] - self.whole
            for match in known[read] & self.whole:
                self.reports[match][time % schedule.every] += 1

    @property
    def fewest(self) -> int | None:
        """The least number of reports of a match in a phase."""
        return min((min(numbers) for numbers in self.reports.values()), default=None)

    @property
    def most(self) -> int:
        return max((max(numbers) for numbers in self.reports.values()), default=0)


def log_of(evidence: Mapping[str, Json]) -> Log:
    """Return the log in the evidence of a finding."""
    events = [
        Event(str(e["id"]), str(e["template"]), cast(int, e["timestamp"]), cast(dict[str, int], e["attributes"]))
        for e in cast(list[dict[str, Json]], evidence["trace"])
    ]
    return Log(tuple(events), cast(dict[str, int], evidence["arrivals"]))


def finding_of(report: Report, code: str, rule: core.Rule) -> Finding | None:
    """Return the finding that refutes a guarantee of a rule."""
    findings = [
        finding
        for finding in report.of(code)
        if finding.verdict is Verdict.REFUTED and finding.rule in (rule.name, rule.reported)
    ]
    return findings[0] if findings else None


def attack(program: core.Program, schedule: QuerySchedule, logs: Iterable[Log], *, timeout: float = 2) -> list[str]:
    """Compare every claim about a program on a schedule with brute force; return what the claims were."""
    report = check(program, schedule=schedule, timeout=timeout)
    assert report.schedule is not None
    emitted = {emission.template for rule in program.rules for emission in rule.emissions}
    rows = {row.rule: row for row in report.schedule.rules}
    claims, logs = [], list(logs)
    for rule in program.rules:
        seen, stays = report.verdict("seen-by-a-run", rule.name), report.verdict("reports-stay-true", rule.name)
        claims += [f"seen-by-a-run {seen.value}", f"reports-stay-true {stays.value}"]
        if rule.name not in rows:
            assert Verdict.PROVED not in (seen, stays)
            assert Verdict.REFUTED not in (seen, stays)
            reads_emitted = any(pattern.template in emitted for pattern in rule.patterns)
            never = report.verdict("can-match", rule.name) in (Verdict.REFUTED,)
            claims.append("reads emitted events" if reads_emitted else "never matches")
            assert reads_emitted or never
            continue
        row = rows[rule.name]
        own = list(logs)
        for code, verdict in (("unseen-match", seen), ("refuted-report", stays)):
            finding = finding_of(report, code, rule)
            assert (finding is not None) == (verdict is Verdict.REFUTED) or rule.case
            if finding is not None and not rule.case:
                log = log_of(finding.evidence)
                own.append(log)
                _confirm(program, rule, schedule, code, finding, log)
        _compare_logs(program, rule, schedule, row, own, seen, stays)
        claims += _compare_least(program, rule, schedule, row, own, timeout)
    return claims


def _confirm(
    program: core.Program, rule: core.Rule, schedule: QuerySchedule, code: str, finding: Finding, log: Log
) -> None:
    simulation = Simulation(program, rule, log, schedule)
    match = frozenset(cast(dict[str, str], finding.evidence["bindings"]).items())
    if code == "unseen-match":
        assert simulation.reports[match][cast(int, finding.evidence["phase"])] == 0
    else:
        assert match in simulation.refuted
    assert all(0 <= log.arrivals[event.id] - event.timestamp <= schedule.delay for event in log.events)


def _compare_logs(
    program: core.Program,
    rule: core.Rule,
    schedule: QuerySchedule,
    row: ScheduledRule,
    logs: Iterable[Log],
    seen: Verdict,
    stays: Verdict,
) -> None:
    for log in logs:
        simulation = Simulation(program, rule, log, schedule)
        if simulation.fewest is not None:
            assert row.at_least <= simulation.fewest
            assert simulation.most <= row.at_most
            assert seen is not Verdict.PROVED or simulation.fewest > 0
        assert stays is not Verdict.PROVED or not simulation.refuted


def _compare_least(
    program: core.Program,
    rule: core.Rule,
    schedule: QuerySchedule,
    row: ScheduledRule,
    logs: Iterable[Log],
    timeout: float,
) -> list[str]:
    """Check the least lookback, and that it is the least; and that some match has the least number of reports."""
    if not row.decided or row.least_lookback is None:
        return ["no least lookback" if row.decided else "open least lookback"]
    alone = replace(program, rules=(replace(rule, emissions=()),))
    least = schedule.looking_back(row.least_lookback)
    verdict = check(alone, schedule=least, timeout=timeout).verdict("seen-by-a-run", rule.name)
    assert verdict is not Verdict.REFUTED
    own, decided = list(logs), verdict is Verdict.PROVED
    if row.least_lookback:
        less = schedule.looking_back(row.least_lookback - 1)
        report = check(alone, schedule=less, timeout=timeout)
        assert report.verdict("seen-by-a-run", rule.name) is not Verdict.PROVED
        finding = finding_of(report, "unseen-match", rule)
        if finding is None:
            decided = False
        else:
            _confirm(alone, rule, less, "unseen-match", finding, log_of(finding.evidence))
            own.append(log_of(finding.evidence))
    assert all(Simulation(alone, rule, log, least).fewest != 0 for log in own)
    if row.exact:
        rarer = replace(schedule, every=schedule.every * (row.at_least + 1))
        finding = finding_of(check(alone, schedule=rarer, timeout=timeout), "unseen-match", rule)
        if finding is None:
            decided = False
        else:
            assert Simulation(alone, rule, log_of(finding.evidence), schedule).fewest == row.at_least
    return ["least lookback" if decided else "least lookback, not decided again"]
