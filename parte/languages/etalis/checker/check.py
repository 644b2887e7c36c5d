"""The check of a program: every guarantee decided, with replayed evidence (specification: etalis-checks)."""

from __future__ import annotations

from time import perf_counter

from parte.checker.report.collecting import Collector
from parte.checker.report.contents import Report
from parte.checker.solver.backend import alone
from parte.checker.solver.queries import DEFAULT_TIMEOUT, Session
from parte.languages.etalis.algebra.readings import USUAL, Readings
from parte.languages.etalis.checker.codes import CODES, GUARANTEES
from parte.languages.etalis.checker.names import check_names
from parte.languages.etalis.checker.parts import check_parts_count
from parte.languages.etalis.checker.recursion import check_ends, check_negations
from parte.languages.etalis.checker.satisfiability import check_heads, check_parts, check_rules
from parte.languages.etalis.checker.space import check_space
from parte.languages.etalis.checker.work import Work
from parte.languages.etalis.semantics.machine import Machine
from parte.languages.etalis.semantics.policies import POLICIES
from parte.languages.etalis.semantics.syntax.parser import parse


@alone
def check(
    text: str, timeout: float = DEFAULT_TIMEOUT, policy: str = "unrestricted", readings: Readings = USUAL
) -> Report:
    """Decide the guarantees of a program under a policy and readings, with at most `timeout` seconds for one question.

    Raise ProgramError if the text is no program, UnsupportedPolicy for a policy that does not fit the readings.
    """
    started = perf_counter()
    program = parse(text)
    Machine(program, POLICIES[policy], negation=readings.negation)  # raises UnsupportedPolicy
    collector = Collector.of_text(CODES, text)
    work = Work(program, policy, readings, collector, Session(timeout, collector.journal), timeout)
    check_rules(work)
    check_parts(work)
    check_parts_count(work)
    check_heads(work)
    check_ends(work)
    check_negations(work)
    check_space(work)
    check_names(work)
    return collector.report(GUARANTEES, perf_counter() - started)
