"""What engines are given, read: a program with its predicates, and traces for it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from parte.conformance.protocol import Load
from parte.semantics.events.domain import Predicates, bind_domain, read_domain
from parte.semantics.events.event import Progress
from parte.semantics.events.scenario import Scenario
from parte.semantics.events.trace import read_trace
from parte.semantics.parte.syntax import core
from parte.semantics.parte.syntax.elaborate import parse

Json = Any


@dataclass(frozen=True, slots=True)
class Loaded:
    """A program as `load` gives it, read."""

    program: core.Program
    predicates: Predicates
    disorder: int
    deployment: Mapping[str, Json]

    def scenario(self, trace: Sequence[Json], silent: Sequence[Progress] = ()) -> Scenario[core.Program]:
        """The program on a trace, after lines that promise nothing. TraceError if it does not fit or keep promises."""
        read = read_trace([json.dumps(line, ensure_ascii=False) for line in trace])
        return Scenario.of(self.program, (*silent, *read), self.predicates, disorder=self.disorder)


def read_program(request: Load) -> Loaded:
    """The program that is to be loaded. ProgramError or DomainError if it is to be rejected."""
    program = parsed(request.text)
    predicates = bind_domain(program, read_domain(request.domain))
    return Loaded(program, predicates, int(request.deployment.get("disorder", 0)), request.deployment)


@lru_cache(8)
def parsed(text: str) -> core.Program:
    """A program, kept for the other traces that it is loaded for."""
    return parse(text)
