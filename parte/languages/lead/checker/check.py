"""Checking a rule: every guarantee decided, with evidence that was replayed (specification: lead-checks)."""

from __future__ import annotations

from time import perf_counter

from parte.checker.report.collecting import Collector
from parte.checker.report.contents import Report
from parte.checker.solver.backend import alone
from parte.checker.solver.queries import DEFAULT_TIMEOUT, Session
from parte.languages.lead.checker.codes import CODES, GUARANTEES
from parte.languages.lead.checker.conditions import check_conditions
from parte.languages.lead.checker.growth import check_places
from parte.languages.lead.checker.liveness import check_matches_again, check_satisfiable, check_transitions
from parte.languages.lead.checker.work import Work
from parte.languages.lead.semantics.syntax.parser import parse_source


@alone
def check(text: str, timeout: float = DEFAULT_TIMEOUT) -> Report:
    """Decide the guarantees of a rule, with so many seconds for one question. ProgramError if the text is none."""
    started = perf_counter()
    source = parse_source(text)
    found = Collector.of_text(CODES, text)
    work = Work(source, found, Session(timeout, found.journal), timeout)
    check_conditions(work)
    stream = check_satisfiable(work)
    check_matches_again(work, stream)
    check_transitions(work)
    check_places(work, stream)
    return found.report(GUARANTEES, perf_counter() - started)
