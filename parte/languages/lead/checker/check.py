"""The check of a rule: it decides every guarantee, with evidence that it replays (specification: lead-checks)."""

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
    """Decide the guarantees of a rule, with `timeout` seconds for one question. Raise ProgramError if the text is no
    rule."""
    started = perf_counter()
    source = parse_source(text)
    collector = Collector.of_text(CODES, text)
    work = Work(source, collector, Session(timeout, collector.journal), timeout)
    check_conditions(work)
    stream = check_satisfiable(work)
    check_matches_again(work, stream)
    check_transitions(work)
    check_places(work, stream)
    return collector.report(GUARANTEES, perf_counter() - started)
