"""The check of a program: every guarantee decided, with evidence (`docs/checker.md`)."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil
from operator import attrgetter
from time import perf_counter

from parte.checker.environment.deployment import Deployment, Failures
from parte.checker.environment.schedule import QuerySchedule
from parte.checker.partelang.alternatives import has_alternatives
from parte.checker.partelang.bounds.bounds import bounds, equalities_of
from parte.checker.partelang.bounds.recovery import recovery
from parte.checker.partelang.bounds.report import BoundsReport
from parte.checker.partelang.cases import about_rules, guaranteed, several
from parte.checker.partelang.codes import GUARANTEES, OF_ALTERNATIVES, OF_SETS
from parte.checker.partelang.counts import check_counts
from parte.checker.partelang.deployment import fit
from parte.checker.partelang.findings import Collector, Decision
from parte.checker.partelang.loading import load
from parte.checker.partelang.promises import check_emissions, check_strata, check_time
from parte.checker.partelang.prover import Prover
from parte.checker.partelang.scheduled.check import ScheduleCheck
from parte.checker.partelang.sources import RuleSource, Sources
from parte.checker.partelang.vacuity import check_vacuity
from parte.checker.partelang.windows import TimeAnalysis
from parte.checker.report.contents import ClosureTable, Finding, Report, ScheduleReport, Timing
from parte.checker.solver.backend import alone
from parte.checker.solver.queries import DEFAULT_TIMEOUT, Journal, Session
from parte.checker.solver.verdict import Verdict
from parte.semantics.events.domain import Domain, Predicates, bind_domain
from parte.semantics.events.duration import duration_text
from parte.semantics.partelang.counting import NotComputed
from parte.semantics.partelang.syntax import core
from parte.semantics.source.spans import Position, Span


@alone
def check(
    program: core.Program | str,
    deployment: Deployment | None = None,
    *,
    schedule: QuerySchedule | None = None,
    domain: Domain | None = None,
    timeout: float = DEFAULT_TIMEOUT,
) -> Report:
    """Decide the guarantees of a program, elaborated or as text; with a deployment, also its needs there.

    With a schedule, also what is reported if each rule is a query that runs on it.

    Without a domain the predicates may be any relations; with one, the verdicts hold for its relations. Raise
    ProgramError if the text is no program (strata and unbounded time are findings, not errors), DomainError if the
    domain does not fit, DeploymentError if the deployment does not.
    """
    work = _Work(load(program), timeout)
    if deployment is not None:
        fit(deployment, work.program)
    work.promises()
    predicates = {} if domain is None else bind_domain(work.program, domain)
    work.vacuity(predicates, deployment)
    if schedule is not None:
        work.queries(schedule, predicates)
    if deployment is not None:
        work.sizes = _sizes(work.program, deployment, work.collector, timeout)
    return work.report()


@alone
def check_text(text: str, timeout: float) -> Report:
    """Decide the guarantees of the text of a program, without a deployment and a domain."""
    return check(text, timeout=timeout)


def check_promises(program: core.Program | str, *, timeout: float = DEFAULT_TIMEOUT) -> Report:
    """Decide only the conditions for a run: strata, bounded time and the constraints of `when`, monotone `at`."""
    work = _Work(load(program), timeout)
    work.promises()
    return work.report()


class _Work:
    """One check: the program, the results so far, and the solver contexts."""

    def __init__(self, program: core.Program, timeout: float) -> None:
        self._started = perf_counter()
        self.program = program
        self.collector = Collector(Sources(program), Journal())
        self.sizes: BoundsReport | None = None
        self.schedule: ScheduleReport | None = None
        self._timeout = timeout
        self._strata: dict[str, int] = {}
        self._times: list[TimeAnalysis] = []

    def promises(self) -> None:
        """Check strata, time and emissions."""
        session = Session(self._timeout, self.collector.journal)
        self._strata = check_strata(self.program, self.collector, session)
        for source in self.collector.sources.rules:
            self._times.append(check_time(source, self.collector, session))
            check_emissions(source, self.collector, session)

    def vacuity(self, domain: Predicates, deployment: Deployment | None) -> None:
        """Check patterns, matches, negations, conditions and sets; with a deployment, whether its rates allow these."""
        prover = Prover(self.program, domain, self._timeout, self.collector.journal)
        for source, time in zip(self.collector.sources.rules, self._times, strict=True):
            if time.table.contradictory or is_sound(source.rule, time.table):
                check_vacuity(source, time, self.collector, prover)
                if deployment is not None and not time.table.contradictory:
                    check_counts(source, time.table, deployment, self.collector, prover)
                continue
            for kind in sorted(filter(_about_matches, GUARANTEES.values()), key=_about_matches):
                if kind.name in OF_SETS and not source.rule.collected:
                    continue
                if kind.name in OF_ALTERNATIVES and not has_alternatives(source):
                    continue
                with self.collector.deciding(kind.name, source) as decision:
                    decision.verdict = Verdict.NOT_PROVED
                    decision.detail = "not asked, as bounded-time did not come out as proved"

    def queries(self, schedule: QuerySchedule, domain: Predicates) -> None:
        """Check each rule as a query on a schedule."""
        queries = ScheduleCheck(self.program, schedule, domain, self._timeout, self.collector)
        for source, time in zip(self.collector.sources.rules, self._times, strict=True):
            queries.check(source, time.table, bounded=is_sound(source.rule, time.table))
        by = "arrival" if schedule.by_arrival else "timestamp"
        self.schedule = ScheduleReport(schedule.every, schedule.lookback, schedule.delay, by, tuple(queries.rules))

    def report(self) -> Report:
        """Return the report with all results."""
        cases = several(self.program)
        findings = tuple(about_rules(self.collector.findings, cases))
        return Report(
            tuple(guaranteed(self.collector.guarantees, findings, cases)),
            _ordered(findings, self.collector.sources.rules),
            self._strata,
            tuple(time.table for time in self._times),
            tuple(Timing(query.name, query.status.value, query.seconds) for query in self.collector.journal.queries),
            perf_counter() - self._started,
            self.sizes,
            {name: kind.sentence for name, kind in GUARANTEES.items()},
            self.schedule,
        )


_about_matches = attrgetter("matching")

SIZED_IF = ("stratified", "bounded-time", "monotone-at")
"""The guarantees without which a program has no sizes."""


def _sizes(program: core.Program, deployment: Deployment, collector: Collector, timeout: float) -> BoundsReport | None:
    """Return the needs of the program, if it can be run; findings about them are placed at its beginning."""
    open_ = {guarantee.name for guarantee in collector.guarantees if guarantee.verdict is not Verdict.PROVED}
    lacking = [name for name in SIZED_IF if name in open_]
    if lacking:
        with collector.deciding("bounded-space") as decision:
            decision.verdict = Verdict.NOT_PROVED
            decision.detail = f"not asked, as {' and '.join(lacking)} did not come out as proved"
        return None
    start = Position(1, 1)
    try:
        sizes = bounds(program, deployment, timeout=timeout)
    except NotComputed as problem:
        open_guarantees = [("bounded-space", "unbounded-size")]
        open_guarantees += [] if deployment.steps_per_second is None else [("keeps-up", "falls-behind")]
        open_guarantees += [] if deployment.failures is None else [("recovers", "never-recovers")]
        for guarantee, code in open_guarantees:
            with collector.deciding(guarantee) as decision:
                decision.detail = "not computed"
                collector.find(
                    code,
                    Span(start, start),
                    "what the program needs for this deployment was not computed",
                    verdict=Verdict.NOT_PROVED,
                    reason=[str(problem)],
                    hint="narrow the windows of the program, lower the rates, or allow more time by `--timeout`",
                )
        return None
    with collector.deciding("bounded-space"):
        if not sizes.bounded:
            unbounded = [f"{size.node}, {size.store}: {size.reason}" for size in sizes.sizes if size.viable is None]
            collector.find(
                "unbounded-size",
                Span(start, start),
                "no finite memory is enough for this deployment",
                reason=unbounded,
                hint="bound what the deployment leaves open: rates, and by how much a source may be late",
            )
    if sizes.keeps_up is not None:
        with collector.deciding("keeps-up"):
            if not sizes.keeps_up:
                _falls_behind(deployment, sizes, collector)
    if deployment.failures is not None:
        with collector.deciding("recovers") as decision:
            _recovers(deployment, deployment.failures, sizes, collector, decision)
    return sizes


def _recovers(
    deployment: Deployment, failures: Failures, sizes: BoundsReport, collector: Collector, decision: Decision
) -> None:
    """State the greatest delay while hosts crash, or add a finding with the reason for which there is none."""
    cost = recovery(deployment, failures, sizes)
    crashes = f"{failures.at_most:,} in {duration_text(failures.per)}"
    hint = "allow fewer crashes, a shorter restart, another period of checkpoints, or a faster machine"
    span = Span(Position(1, 1), Position(1, 1))
    if cost is None:
        reason = "a size, or the steps of an event, have no bound, so nor has a recovery"
        message = "the time of a recovery was not computed"
        collector.find("never-recovers", span, message, verdict=Verdict.NOT_PROVED, reason=[reason], hint=hint)
        return
    decision.evidence.update(cost.to_json())
    costs = f"a crash costs up to {ceil(cost.crash):,} ms, so that {crashes} and the arrivals"
    if cost.load > 1:
        reason = f"{costs} take {float(cost.load):.0%} of the time in the long run"
        message = f"at this rate of crashes, {crashes}, the machine never catches up"
        collector.find("never-recovers", span, message, reason=[reason], hint=hint)
    elif cost.delay is None:
        reason = f"{costs}, each with its worst steps, take {float(cost.worst):.0%} of the time"
        message = f"no bound on the delay of reports was found for {crashes}"
        collector.find("never-recovers", span, message, verdict=Verdict.NOT_PROVED, reason=[reason], hint=hint)
    else:
        decision.detail = (
            f"a report is at most {cost.delay:,} ms late, {cost.calm:,} ms without crashes; a crash costs up to "
            f"{ceil(cost.crash):,} ms, an event {ceil(cost.steps_per_event):,} steps; fails at {cost.fails_at:,} "
            f"crashes in {duration_text(failures.per)}; best checkpoint {cost.best_checkpoint:,} steps; "
            f"durable {cost.bytes:,} bytes"
        )


def _falls_behind(deployment: Deployment, sizes: BoundsReport, collector: Collector) -> None:
    """Add a finding with the rule that costs most, and ways to reduce its cost."""
    message = "the machine of this deployment falls further and further behind"
    caused = f"arrivals cause {sizes.steps_per_second:,.0f} steps a second"
    takes = f"the machine takes {sizes.machine_steps_per_second:,}"
    if not sizes.steps_by_rule:
        start = Position(1, 1)
        collector.find("falls-behind", Span(start, start), message, reason=[f"{caused}; {takes}"])
        return
    costly = max(collector.sources.rules, key=lambda source: sizes.steps_by_rule[source.name])
    collector.find(
        "falls-behind",
        costly.name_span,
        f"{message}, most of all by the rule `{costly.name}`",
        rule=costly,
        reason=[f"{caused}, of which `{costly.name}` takes {sizes.steps_by_rule[costly.name]:,.0f}; {takes}"],
        hint=f"{_rarer(costly.rule, deployment)}, narrow the windows of the rule, or deploy it on a faster machine",
        evidence={"steps_per_second": {**sizes.steps_by_rule}},
    )


def _rarer(rule: core.Rule, deployment: Deployment) -> str:
    """Return a hint: how to declare, or to ensure, that fewer events are combined."""
    template = {pattern.variable: pattern.template for pattern in rule.positive}
    declared = {(c.template, attribute) for c in deployment.cardinalities for attribute in c.attributes}
    equated = [slot for pair in equalities_of(rule).pairs for slot in pair]
    for variable, attribute in equated:
        if (template[variable], attribute) not in declared and template[variable] in deployment.senders():
            return (
                f"say how many events of {template[variable]} share a value of `{attribute}`, which the rule compares "
                f'([[cardinality]] template = "{template[variable]}", attribute = "{attribute}", '
                'at_most = …, per = "…")'
            )
    if equated:
        return "say of fewer events that they share a value ([[cardinality]])"
    return "have the rule compare an attribute of its events and say how many share a value ([[cardinality]])"


def is_sound(rule: core.Rule, table: ClosureTable) -> bool:
    """Return whether the time constraints of a rule let it run and match at all."""
    constrained = {constraint.subject for constraint in rule.constraints if constraint.negated}
    unbound = {pattern.variable for pattern in rule.written.patterns if not pattern.positive}
    return not table.contradictory and unbound <= constrained and all(row.upper is not None for row in table.distances)


def _ordered(findings: Iterable[Finding], rules: Iterable[RuleSource]) -> tuple[Finding, ...]:
    """Return the findings in source order; programs without a source have the order of their rules."""
    position = {name: n for n, source in enumerate(rules) for name in (source.rule.name, source.rule.reported)}
    return tuple(
        sorted(findings, key=lambda finding: (finding.span.start, position.get(finding.rule or "", -1), finding.code))
    )
