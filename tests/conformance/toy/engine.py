"""Definition and machine of PAIRS as engines of the kit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from parte.conformance.protocol import (
    INVALID_TRACE,
    Accepted,
    Failed,
    Found,
    Greeting,
    Load,
    Rejected,
    Reply,
    Unsupported,
)
from parte.semantics.source.diagnostics import ProgramError
from tests.conformance.toy.pairs import Program, definition, machine, parse

Json = Any
MODELS: Mapping[str, Callable[[Program, Sequence[Json]], list[Json]]] = {"definition": definition, "sound": machine}


@dataclass(slots=True)
class PairsEngine:
    """A model by its name; it runs whole traces."""

    model: str
    program: Program | None = None

    def hello(self) -> Greeting:
        return Greeting(f"pairs {self.model}", "1", languages=("PAIRS",))

    def load(self, request: Load) -> Reply:
        try:
            self.program = parse(request.text)
        except ProgramError as error:
            (found,) = error.diagnostics
            start = found.span.start
            return Rejected(({"code": found.code, "line": start.line, "column": start.column},))
        return Accepted(())

    def run(self, trace: Sequence[Json]) -> Reply:
        if self.program is None:
            return Failed("no program is loaded")
        wrong = [number for number, event in enumerate(trace, 1) if not {"id", "template"} <= event.keys()]
        if wrong:
            return Rejected(tuple({"code": INVALID_TRACE, "line": number} for number in wrong))
        return Found(tuple(MODELS[self.model](self.program, trace)))

    def feed(self, trace: Sequence[Json]) -> Reply:
        return Unsupported(f"whole traces only, not {len(trace)} lines")

    def advance(self) -> Reply:
        return Unsupported("whole traces only")
