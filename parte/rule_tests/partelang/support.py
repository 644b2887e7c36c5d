"""PARTElang in `parte test`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from parte.conformance.casefiles.rule_tests import RuleTest
from parte.conformance.engines.answers import lines_of
from parte.conformance.partelang.why import Why, why
from parte.rule_tests.discovery import Program
from parte.rule_tests.partelang.edits import edits
from parte.rule_tests.partelang.samples import compared, separating
from parte.rule_tests.support import Json, Reasons, Support
from parte.semantics.events.domain import bind_domain, read_domain
from parte.semantics.events.scenario import Scenario
from parte.semantics.events.trace import read_trace
from parte.semantics.events.types import has_optional
from parte.semantics.partelang.syntax import core


def reasons(
    program: Program,
    test: RuleTest,
    trace: Sequence[Json],
    domain: Mapping[str, Json],
    rule: str,
    bindings: Mapping[str, str],
) -> Reasons:
    """Return why a rule has a match with these bindings, or none. UnknownBinding for what does not exist."""
    scenario = scenario_of(program.program, test, trace, domain)
    answer = why(scenario, rule or None, bindings, nearest=1)
    return Reasons(answer.matches, tuple(_against(answer)), answer.render())


def scenario_of(
    program: core.Program, test: RuleTest, trace: Sequence[Json], domain: Mapping[str, Json]
) -> Scenario[core.Program]:
    """Return a program on the trace of a test. InputError if they do not fit."""
    read = read_trace(lines_of(trace), nulls=has_optional(program))
    return Scenario.of(program, read, bind_domain(program, read_domain(domain)), disorder=test.disorder)


def _against(answer: Why) -> Iterator[str]:
    """Yield the demands that are not met, each with what was found."""
    explanations = [answer.whole] if answer.whole is not None else list(answer.search.nearest if answer.search else ())
    for explanation in explanations[:1]:
        yield from (f"{reason.demand}: {reason.value}" for reason in explanation.reasons if not reason.holds)


def place(program: Program, rule: str) -> str:
    """Return the place of a rule; that of the program if there is no such rule."""
    read: core.Program = program.program
    for candidate in read.rules:
        if rule in (candidate.name, candidate.reported):
            start = candidate.span.start
            return f"{candidate.span.file or program.path}:{start.line}:{start.column} rule {rule}"
    return program.path


SUPPORT = Support(reasons, place, edits, compared, separating)
