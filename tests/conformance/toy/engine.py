"""Definition and machine of PAIRS: how they run, and as engines of the kit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from parte.conformance.engines.own import RunnerEngine
from parte.semantics.events.problems import Problem, TraceError
from parte.semantics.events.trace import read_records
from parte.semantics.rulebook.running import Request, Runner
from tests.conformance.toy.pairs import TEXT_OF_PAIRS, Program, definition, machine

Json = Any
MODELS: Mapping[str, Callable[[Program, Sequence[Json]], list[Json]]] = {"definition": definition, "sound": machine}


def evaluate(program: Program, lines: Iterable[str], request: Request) -> Sequence[Json]:
    events = read_records(lines, filename=request.filename)
    wrong = [number for number, event in events if not {"id", "template"} <= event.keys()]
    if wrong:
        raise TraceError([Problem(request.filename, number, "expected an id and a template") for number in wrong])
    return MODELS[request.called](program, [event for _, event in events])


RUNNER: Runner[Program] = Runner(models=tuple(MODELS), whole=frozenset(MODELS), evaluate=evaluate)


@dataclass(slots=True)
class PairsEngine(RunnerEngine):
    """A model by its name; it runs whole traces."""

    LANGUAGE = "PAIRS"
    RUNNER = RUNNER
    TEXT = TEXT_OF_PAIRS
