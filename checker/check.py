"""Checking a program: every guarantee decided, with evidence (`docs/checker.md`)."""

from __future__ import annotations

from collections.abc import Iterable
from time import perf_counter

from checker.findings import Collector
from checker.loading import load
from checker.promises import check_emissions, check_strata, check_time
from checker.queries import DEFAULT_TIMEOUT, Journal, Session
from checker.report import ClosureTable, Finding, Report, Timing
from checker.sources import RuleSource, Sources
from semantics.syntax import core


def check(program: core.Program | str, *, timeout: float = DEFAULT_TIMEOUT) -> Report:
    """Decide the guarantees of a program, elaborated or as text.

    ProgramError if the text is no program; strata and unbounded time are findings, not errors.
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
    return Report(
        tuple(found.guarantees),
        _ordered(found.findings, found.sources.rules),
        strata,
        tuple(closures),
        tuple(Timing(query.name, query.status.value, query.seconds) for query in journal.queries),
        perf_counter() - started,
    )


def _ordered(findings: Iterable[Finding], rules: Iterable[RuleSource]) -> tuple[Finding, ...]:
    """In source order; programs without a source have the order of their rules."""
    position = {source.rule.name: number for number, source in enumerate(rules)}
    return tuple(
        sorted(findings, key=lambda finding: (finding.span.start, position.get(finding.rule or "", -1), finding.code))
    )
