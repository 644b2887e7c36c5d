"""Checking a program: every guarantee decided, with evidence (`docs/checker.md`)."""

from __future__ import annotations

from collections.abc import Iterable
from time import perf_counter

from checker.bounds import bounds
from checker.bounds_report import BoundsReport
from checker.deployment import Deployment
from checker.findings import Collector
from checker.loading import load
from checker.promises import check_emissions, check_strata, check_time
from checker.prover import Prover
from checker.queries import DEFAULT_TIMEOUT, Journal, Session
from checker.report import ClosureTable, Finding, Report, Severity, Timing, Verdict
from checker.sources import RuleSource, Sources
from checker.vacuity import check_implied, check_vacuity
from semantics.events.domain import Domain, bind_domain
from semantics.syntax import core
from semantics.syntax.spans import Position, Span


def check(
    program: core.Program | str,
    deployment: Deployment | None = None,
    *,
    domain: Domain | None = None,
    timeout: float = DEFAULT_TIMEOUT,
) -> Report:
    """Decide the guarantees of a program, elaborated or as text; with a deployment, also what it needs there.

    Without a domain the predicates may be any relations; with one they are those, and what is said holds of them.
    ProgramError if the text is no program (strata and unbounded time are findings, not errors), DomainError if the
    domain does not fit, DeploymentError if the deployment does not.
    """
    started = perf_counter()
    program = load(program)
    journal = Journal()
    found = Collector(Sources(program), journal)
    session = Session(timeout, journal)
    strata = check_strata(program, found, session)
    closures: list[ClosureTable] = []
    for source in found.sources.rules:
        closures.append(check_time(source, found, session))
        check_emissions(source, found, session)
    relations = {} if domain is None else bind_domain(program, domain)
    prover = Prover(program, relations, timeout, journal)
    for source, table in zip(found.sources.rules, closures, strict=True):
        if table.contradictory:
            with found.deciding("can-match", source) as decision:
                decision.verdict, decision.detail = Verdict.REFUTED, "its windows exclude each other"
        elif is_sound(source.rule, table) and check_vacuity(source, found, prover):
            check_implied(source, found, prover)
    sizes = None
    if deployment is not None and not any(finding.severity is Severity.ERROR for finding in found.findings):
        sizes = _sizes(program, deployment, found)
    return Report(
        tuple(found.guarantees),
        _ordered(found.findings, found.sources.rules),
        strata,
        tuple(closures),
        tuple(Timing(query.name, query.status.value, query.seconds) for query in journal.queries),
        perf_counter() - started,
        sizes,
    )


def _sizes(program: core.Program, deployment: Deployment, found: Collector) -> BoundsReport:
    """What the program needs; whoever deploys it is told of it at the beginning of the program."""
    start = Position(1, 1)
    sizes = bounds(program, deployment)
    with found.deciding("bounded-space"):
        if not sizes.bounded:
            unbounded = [f"{size.node}, {size.store}: {size.reason}" for size in sizes.sizes if size.viable is None]
            found.find(
                "unbounded-size",
                Span(start, start),
                "no finite memory is enough for this deployment",
                reason=unbounded,
                hint="bound what the deployment leaves open: rates, and by how much a source may be late",
            )
    if sizes.keeps_up is not None:
        with found.deciding("keeps-up"):
            if not sizes.keeps_up:
                found.find(
                    "falls-behind",
                    Span(start, start),
                    "the machine of this deployment falls further and further behind",
                    reason=[f"arrivals cause {sizes.steps_per_second:.0f} steps a second, it takes {sizes.machine}"],
                    hint="deploy it on a faster machine, or narrow the windows of the program",
                )
    return sizes


def is_sound(rule: core.Rule, table: ClosureTable) -> bool:
    """Whether the time of a rule lets it run and match at all."""
    bounded = {row.subject for row in table.distances if row.negated}
    negated = {pattern.variable for pattern in rule.patterns if pattern.negated}
    return not table.contradictory and negated <= bounded and all(row.lower is not None for row in table.distances)


def _ordered(findings: Iterable[Finding], rules: Iterable[RuleSource]) -> tuple[Finding, ...]:
    """In source order; programs without a source have the order of their rules."""
    position = {source.rule.name: number for number, source in enumerate(rules)}
    return tuple(
        sorted(findings, key=lambda finding: (finding.span.start, position.get(finding.rule or "", -1), finding.code))
    )
