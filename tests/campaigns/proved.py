"""The evaluator that is extracted from the theorem, against the indexed evaluator: programs of both levels, traces in
batches of any size, a few events to forget."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace

from parte.algebra.partelang.programs import run
from parte.conformance.fuzz.draw import Seeded
from parte.conformance.partelang.drawing import ProgramShape
from parte.conformance.partelang.strategies import drawn_case
from parte.proofs.partelang.evaluator.evaluation import Evaluation
from parte.semantics.events.event import Event, TraceItem
from parte.semantics.events.match import canonical
from parte.semantics.events.outcome import in_order
from parte.semantics.events.scenario import Scenario
from parte.semantics.events.trace import trace_lines
from parte.semantics.partelang.execution import sources_of
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.printer import print_program
from tests.campaigns.running import Broken

SHAPES = (ProgramShape(), ProgramShape(level=2))


@dataclass(frozen=True, slots=True)
class Drawn:
    """A program, a trace, and the seed of the sizes of batches."""

    program: core.Program
    items: tuple[TraceItem, ...]
    seed: int


class Proved:
    """The campaign."""

    name = "proved"

    def draw(self, source: random.Random) -> Drawn:
        """A program and a trace."""
        program, items = drawn_case(Seeded(source), source.choice(SHAPES))
        return Drawn(program, items, source.randrange(10**6))

    def smaller(self, case: Drawn) -> Iterator[Drawn]:
        """The case with one item of its trace less."""
        for number in range(len(case.items)):
            yield replace(case, items=case.items[:number] + case.items[number + 1 :])

    def show(self, case: Drawn) -> str:
        """The program and the trace."""
        return print_program(case.program.source) + "\n".join(trace_lines(case.items))

    def attack(self, case: Drawn, counts: Counter[str]) -> None:
        """Compare matches and failures, and that nothing is reported early."""
        scenario = Scenario.of(case.program, case.items)
        truth = run(case.program, scenario.items, evaluator="indexed")
        counts["with matches"] += bool(truth.matches)
        counts["matches"] += len(truth.matches)
        rng = random.Random(case.seed)
        arrivals = list(scenario.arrivals)
        matches = []
        with closing(Evaluation(case.program, scenario.predicates, sources_of(arrivals))) as evaluation:
            while arrivals:
                size = rng.randint(1, 5)
                reported = evaluation.feed(arrivals[:size])
                del arrivals[:size]
                counts["batches"] += 1
                counts["matches before the last batch"] += len(reported) if arrivals else 0
                matches += reported
        counts["emitted events"] += sum(len(match.emits) for match in matches)
        counts["events"] += sum(isinstance(item, Event) for item in case.items)
        if tuple(canonical(matches)) != truth.matches:
            raise Broken("other matches", f"expected {truth.matches}, found {matches}")
        if in_order(evaluation.failures) != truth.failures:
            raise Broken("other failures", f"expected {truth.failures}, found {evaluation.failures}")
        suppressed = in_order(evaluation.suppressed())
        counts["suppressed events"] += len(suppressed)
        if suppressed != truth.suppressed:
            raise Broken("other suppressed emissions", f"expected {truth.suppressed}, found {suppressed}")
