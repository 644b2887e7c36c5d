"""The program, domain and trace of a command, read together."""

from __future__ import annotations

from collections.abc import Sequence

from parte.inputs import (
    STANDARD_INPUT,
    check_one_standard_input,
    domain_from,
    explained,
    program_from,
    trace_from,
)
from parte.options import disorder_of
from parte.rejecting import without_rejected
from parte.semantics.events.domain import Predicates
from parte.semantics.events.ids import LastIds
from parte.semantics.events.rejection import EventCheck
from parte.semantics.events.scenario import Scenario
from parte.semantics.events.trace import Trace
from parte.semantics.events.types import has_optional
from parte.semantics.partelang.syntax import core


def read_together(
    program: str, trace: str, domain: str | None, include: Sequence[str] | None, rejected: str | None
) -> tuple[core.Program, Predicates, Trace]:
    """Return a program, its predicates and a trace, from their files.

    With `rejected`, lines that are no events of the program go to this file and are left out.
    """
    check_one_standard_input(program, trace)
    read = program_from(program, include)
    predicates = domain_from(read, domain)
    check = EventCheck(read, LastIds() if trace == STANDARD_INPUT else None)
    templates = [template.name for template in read.templates]
    with without_rejected(rejected, trace, check, program, templates) as lines:
        return read, predicates, trace_from(trace, nulls=has_optional(read), read=lines)


def scenario_from(
    program: str,
    trace: str,
    domain: str | None,
    disorder: str | None,
    include: Sequence[str] | None,
    rejected: str | None = None,
) -> Scenario[core.Program]:
    """Return what `read_together` returns, as a scenario: events may be late by `disorder`, a duration."""
    lag = disorder_of(disorder)
    read, predicates, events = read_together(program, trace, domain, include, rejected)
    with explained(trace):
        return Scenario.of(read, events, predicates, disorder=lag)
