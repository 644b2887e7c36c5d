"""Programs of level 2: the definition against the indexed evaluator, the machine under three schedules, DuckDB, and
what is extracted from the proof: the evaluator, the compiler and its checks, and the machine where it covers the
program."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from parte.algebra.partelang.programs import run
from parte.algebra.partelang.relational import duckdb
from parte.conformance.fuzz.draw import Seeded
from parte.conformance.partelang.drawing import ProgramShape, drawn_schedule
from parte.conformance.partelang.engines.rocq.adapter import RocqAdapter
from parte.conformance.partelang.engines.rocq.manifest import DECLARED
from parte.conformance.partelang.engines.rocq.replay import REPLAY, Replay
from parte.conformance.partelang.strategies import drawn_case
from parte.proofs.partelang.evaluator.conversation import EVALUATOR
from parte.proofs.partelang.evaluator.evaluation import execute as execute_proved
from parte.semantics.events.event import TraceItem
from parte.semantics.events.outcome import Outcome
from parte.semantics.events.scenario import Scenario
from parte.semantics.events.trace import trace_lines
from parte.semantics.partelang.execution import network_of, run_network
from parte.semantics.partelang.repairs import SOUND
from parte.semantics.partelang.schedules import RoundRobin, Schedule
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.constructs import undeclared
from parte.semantics.partelang.syntax.printer import print_program
from tests.campaigns.rocq_networks import compare_networks, compare_strata
from tests.campaigns.running import Broken

SHAPE = ProgramShape(level=2)


@dataclass(frozen=True, slots=True)
class Drawn:
    """A program, a trace, and two schedules of its machine beside the round-robin schedule."""

    program: core.Program
    items: tuple[TraceItem, ...]
    schedules: tuple[Schedule, Schedule]


class Level2:
    """The campaign."""

    name = "level 2"

    def __init__(self) -> None:
        self._proved = RocqAdapter()
        self._compiler: Replay | None = None

    def draw(self, source: random.Random) -> Drawn:
        """A program with all constructs of level 2, and a trace."""
        draw = Seeded(source)
        program, items = drawn_case(draw, SHAPE)
        return Drawn(program, items, (drawn_schedule(draw), drawn_schedule(draw)))

    def smaller(self, case: Drawn) -> Iterator[Drawn]:
        """The case with one item of its trace less."""
        for number in range(len(case.items)):
            yield replace(case, items=case.items[:number] + case.items[number + 1 :])

    def show(self, case: Drawn) -> str:
        """The program and the trace."""
        return print_program(case.program.source) + "\n".join(trace_lines(case.items))

    def attack(self, case: Drawn, counts: Counter[str]) -> None:
        """Compare everything that evaluates the program with the definition."""
        program, items = case.program, case.items
        expected = _comparable(run(program, items))
        counts["with matches"] += bool(expected[0])
        counts["matches"] += len(expected[0])
        scenario = Scenario.of(program, items)
        network = network_of(scenario)
        outcomes = {
            "indexed": run(program, items, evaluator="indexed"),
            "duckdb": duckdb.run(program, items, threads=1),
            **{
                f"sound, {number}: {schedule.name}": run_network(network, scenario.arrivals, SOUND, schedule)
                for number, schedule in enumerate((RoundRobin(), *case.schedules))
            },
        }
        if EVALUATOR.is_file():
            outcomes["the proved evaluator"] = execute_proved(scenario)
        for name, outcome in outcomes.items():
            model = name.partition(",")[0]
            counts[f"compared with {model}"] += 1
            if (actual := _comparable(outcome)) != expected:
                raise Broken(f"{model} differs", f"{name}: expected {expected}, found {actual}")
        if REPLAY.is_file():
            if self._compiler is None:
                self._compiler = Replay()
            compare_networks(program, scenario.predicates, self._compiler, counts)
            compare_strata(program, random.Random(len(items)), self._compiler, counts)
        if REPLAY.is_file() and not any(True for _ in undeclared(program, DECLARED)):
            counts["compared with the proved machine"] += 1
            matches = self._proved.compile(program, scenario.predicates)(scenario.arrivals)
            if sorted(map(json.dumps, matches)) != sorted(json.dumps(json.loads(line)) for line in expected[0]):
                raise Broken("the proved machine differs", f"expected {expected[0]}, found {matches}")


def _comparable(outcome: Outcome) -> tuple[list[str], list[str], list[str]]:
    """Return the matches, the emissions without a value and those that `once` suppressed, as texts."""
    suppressed = sorted(f"{event.record()} {event.event}" for event in outcome.suppressed)
    return [match.to_json() for match in outcome.matches], sorted(map(str, outcome.failures)), suppressed
