"""The check of a query: every guarantee decided, with replayed evidence (specification: cel-checks)."""

from __future__ import annotations

from time import perf_counter

from parte.checker.report.collecting import Collector
from parte.checker.report.contents import Report
from parte.checker.solver.backend import alone
from parte.checker.solver.queries import DEFAULT_TIMEOUT, Session
from parte.checker.solver.verdict import Verdict
from parte.languages.cel.checker.codes import CODES, GUARANTEES
from parte.languages.cel.checker.demands import check_events_in_results, check_results, check_space
from parte.languages.cel.checker.parts import check_clauses_count, check_parts_count
from parte.languages.cel.checker.satisfiability import check_parts, check_satisfiable
from parte.languages.cel.checker.work import Work
from parte.languages.cel.semantics.syntax.parser import parse_source


@alone
def check(text: str, timeout: float = DEFAULT_TIMEOUT) -> Report:
    """Decide the guarantees of a query, with at most `timeout` seconds for one question. Raise ProgramError if the text
    is no query."""
    started = perf_counter()
    source = parse_source(text)
    collector = Collector.of_text(CODES, text)
    work = Work(source, collector, Session(timeout, collector.journal), timeout)
    _warnings(work)
    satisfiable = check_satisfiable(work)
    check_parts(work)
    if satisfiable is False:
        for name in ABOUT_RESULTS:
            with collector.deciding(name) as decision:
                decision.verdict, decision.detail = Verdict.VACUOUS, "there is no result"
    else:
        check_parts_count(work)
        check_clauses_count(work)
        check_events_in_results(work)
        check_results(work)
    check_space(work)
    return collector.report(GUARANTEES, perf_counter() - started)


ABOUT_RESULTS = ("every-part-counts", "every-clause-counts", "events-in-results", "bounded-results")
"""The guarantees about results; they are vacuous for a query without results."""


def _warnings(work: Work) -> None:
    """Add the warnings of the parser to the guarantees that they belong to."""
    for name in ("bound-variables", "runs"):
        with work.collector.deciding(name):
            for warning in work.source.warnings:
                if CODES[warning.code].guarantee == name:
                    work.collector.find(warning.code, warning.span, warning.message, hint=warning.hint)
