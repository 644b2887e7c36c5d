"""The check of a query: it decides every guarantee, with evidence that it replays (specification: eql-checks)."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter

from parte.checker.environment.deployment import Deployment
from parte.checker.environment.schedule import QuerySchedule
from parte.checker.report.collecting import Collector
from parte.checker.report.contents import Report
from parte.checker.solver.backend import alone
from parte.checker.solver.queries import DEFAULT_TIMEOUT
from parte.languages.eql.checker.absences import check_absences
from parte.languages.eql.checker.codes import CODES, GUARANTEES
from parte.languages.eql.checker.memory import check_memory
from parte.languages.eql.checker.schedules import check_schedule
from parte.languages.eql.checker.stages import check_conditions, check_satisfiable, check_stages
from parte.languages.eql.checker.work import Work
from parte.languages.eql.semantics.syntax.parser import parse_source
from parte.languages.eql.semantics.syntax.readings import USUAL, Readings


@alone
def check(
    text: str,
    timeout: float = DEFAULT_TIMEOUT,
    readings: Readings = USUAL,
    schedule: QuerySchedule | None = None,
    deployment: Deployment | None = None,
) -> Report:
    """Decide the guarantees of a query under readings, with `timeout` seconds for one question; those about runs on a
    schedule if there is one. Raise ProgramError if the text is no query."""
    started = perf_counter()
    source = parse_source(text)
    collector = Collector.of_text(CODES, text)
    work = Work(source, readings, collector, timeout)
    dead = check_stages(work)
    trace = check_satisfiable(work)
    check_absences(work)
    check_conditions(work, dead)
    check_memory(work, deployment, trace)
    scheduled = None if schedule is None else check_schedule(work, schedule, trace)
    return replace(collector.report(GUARANTEES, perf_counter() - started), schedule=scheduled)
