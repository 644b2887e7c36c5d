"""Runs in which nodes crash at random: the results are those of the algebra, each once.

Programs of both levels and traces are drawn as in property tests; so are the rate of crashes, the period of
checkpoints, and whether an inbox holds one token a slot or any number.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from parte.algebra.partelang.programs import run as algebra
from parte.conformance.fuzz.draw import Seeded
from parte.conformance.partelang.drawing import ProgramShape
from parte.conformance.partelang.strategies import drawn_case
from parte.semantics.events.event import TraceItem
from parte.semantics.events.promises import arrivals
from parte.semantics.partelang.capacities import UNBOUNDED, Capacities, NodeCapacities
from parte.semantics.partelang.compilation import compile_program
from parte.semantics.partelang.execution import outcome_of, sources_of
from parte.semantics.partelang.failures.machine import FailingMachine
from parte.semantics.partelang.failures.schedules import Crashing
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.printer import print_program
from parte.semantics.partelang.syntax.source_form import source_of
from tests.campaigns.running import Broken

TIGHT = Capacities(NodeCapacities(inbox=1))


@dataclass(frozen=True, slots=True)
class Crashed:
    """A program, a trace, and how nodes crash."""

    program: core.Program
    items: tuple[TraceItem, ...]
    rate: float
    seed: int
    period: int | None
    tight: bool


class Failures:
    """The campaign."""

    name = "failures"

    def draw(self, source: random.Random) -> Crashed:
        """A case with up to a crash every five steps."""
        program, items = drawn_case(Seeded(source), ProgramShape(level=source.choice((1, 1, 2))))
        rate, period = source.choice((0.01, 0.05, 0.2)), source.choice((None, 1, 2, 3, 7))
        return Crashed(program, items, rate, source.randrange(2**32), period, source.random() < 0.5)

    def attack(self, case: Crashed, counts: Counter[str]) -> None:
        """Run with crashes, and compare with the algebra."""
        fed = arrivals(case.items)
        network = compile_program(case.program, {}, sources_of(fed))
        machine = FailingMachine(network, capacities=TIGHT if case.tight else UNBOUNDED, period=case.period)
        schedule = Crashing(case.rate, case.seed)
        schedule.drive(machine, fed)
        for kind, count in schedule.counts.items():
            counts[f"steps: {kind}"] += count
        counts["runs with a crash"] += schedule.counts["crash"] > 0
        if not machine.finished:
            raise Broken("tokens are left, or a node is down")
        expected = algebra(case.program, case.items).matches
        counts["matches"] += len(expected)
        if outcome_of(machine).matches != expected:
            raise Broken("the matches differ", f"expected {expected}, found {outcome_of(machine).matches}")

    def smaller(self, case: Crashed) -> Iterator[Crashed]:
        """The case with less of the trace, fewer crashes, or without checkpoints."""
        for number in range(len(case.items)):
            yield replace(case, items=(*case.items[:number], *case.items[number + 1 :]))
        if case.rate > 0.01:
            yield replace(case, rate=0.01)
        if case.period is not None:
            yield replace(case, period=None)

    def show(self, case: Crashed) -> str:
        """The program, its trace, and how nodes crash."""
        lines = "\n".join(map(str, case.items))
        crashes = f"rate {case.rate}, seed {case.seed}, period {case.period}"
        return f"{print_program(source_of(case.program))}\n{lines}\n{crashes}"
