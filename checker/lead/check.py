"""Checking a rule: every guarantee decided, with evidence that was replayed (specification: lead-checks)."""

from __future__ import annotations

from time import perf_counter

from parte.checker.lead.codes import CODES, GUARANTEES
from parte.checker.lead.conditions import check_conditions
from parte.checker.lead.growth import check_places
from parte.checker.lead.liveness import check_matches_again, check_satisfiable, check_transitions
from parte.checker.lead.work import Work
from parte.checker.report.collecting import Collector
from parte.checker.report.contents import Report, Timing
from parte.checker.solver.backend import alone
from parte.checker.solver.queries import DEFAULT_TIMEOUT, Journal, Session
from parte.semantics.lead.syntax.parser import parse_source
from parte.semantics.source.spans import Span


@alone
def check(text: str, timeout: float = DEFAULT_TIMEOUT) -> Report:
    """Decide the guarantees of a rule, with so many seconds for one question. ProgramError if the text is none."""
    started = perf_counter()
    source = parse_source(text)
    lines = text.split("\n")

    def line(span: Span) -> str:
        number = span.start.line
        return lines[number - 1].rstrip("\r") if number <= len(lines) else ""

    journal = Journal()
    found = Collector(CODES, line, journal)
    work = Work(source, found, Session(timeout, journal), timeout)
    check_conditions(work)
    stream = check_satisfiable(work)
    check_matches_again(work, stream)
    check_transitions(work)
    check_places(work, stream)
    return Report(
        tuple(found.guarantees),
        tuple(sorted(found.findings, key=lambda finding: (finding.span.start, finding.code))),
        {},
        (),
        tuple(Timing(query.name, query.status.value, query.seconds) for query in journal.queries),
        perf_counter() - started,
        sentences={name: kind.sentence for name, kind in GUARANTEES.items()},
    )
