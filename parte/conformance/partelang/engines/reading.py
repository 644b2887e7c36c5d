"""Reading the requests that engines get: a program with its predicates, and traces for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from parte.conformance.engines.answers import lines_of
from parte.conformance.protocol import Load
from parte.semantics.events.domain import Predicates, bind_domain, read_domain
from parte.semantics.events.promises import Pair, Promises
from parte.semantics.events.scenario import Arriving, Scenario
from parte.semantics.events.trace import read_trace
from parte.semantics.events.types import has_optional
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.text import parsed
from parte.semantics.source.diagnostics import Diagnostic

Json = Any


@dataclass(frozen=True, slots=True)
class Loaded:
    """The content of a `load`, after reading."""

    program: core.Program
    predicates: Predicates
    disorder: int
    deployment: Mapping[str, Json]

    @property
    def warnings(self) -> Sequence[Diagnostic]:
        """The warnings about the program."""
        return self.program.warnings

    def scenario(self, trace: Sequence[Json]) -> Scenario[core.Program]:
        """Return the program on a trace. TraceError if the trace does not fit the program or breaks a promise."""
        return self.on(lines_of(trace))

    def on(self, lines: Sequence[str]) -> Scenario[core.Program]:
        """Return the program on the lines of a trace. TraceError as `scenario`."""
        trace = read_trace(lines, nulls=has_optional(self.program))
        return Scenario.of(self.program, trace, self.predicates, disorder=self.disorder)

    def arriving(self) -> Arriving:
        """Return an empty trace for the program, to which lines are added. Only the deployment states which pairs
        promise by progress lines."""
        explicit = {pair for pair, promises in self.pairs.items() if promises == "progress"}
        return Arriving(self.program, Promises(explicit, self.disorder))

    @property
    def pairs(self) -> dict[Pair, str]:
        """The pairs of source and template of the deployment, with the way in which each promises."""
        sources = self.deployment.get("sources", [])
        return {(item["source"], item["template"]): item["promises"] for item in sources}


def read_program(request: Load) -> Loaded:
    """Return the program of a request. ProgramError or DomainError if it is to be rejected."""
    program = parsed(request.text)
    predicates = bind_domain(program, read_domain(request.domain))
    return Loaded(program, predicates, int(request.deployment.get("disorder", 0)), request.deployment)
