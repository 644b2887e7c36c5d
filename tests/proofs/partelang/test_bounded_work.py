"""Bounded space and bounded work (D §8.5, §8.6): what the checker computes, beside what the machine does at its sizes.

Three functions of the capacities are compared. *Space*: no history, inbox or outbox ever holds more than its size, and
every token is processed nevertheless. *Steps*: an arrival causes at most `steps_per_event` steps. *Work of a step*:
PROC asks a node's condition at most once for each entry of the opposite history, twice for a left token at a not-node
(two rules compete for it), and sends no more tokens than the outbox holds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from parte.checker.environment.deployment import Deployment, Emits, Source
from parte.checker.partelang.bounds.bounds import bounds
from parte.checker.partelang.bounds.replay import schedules, skeleton, worst_arrivals
from parte.checker.partelang.bounds.report import BoundsReport
from parte.conformance.partelang.strategies import EXTERNAL, ProgramShape, programs
from parte.proofs.mutation import Mutant, applied
from parte.semantics.events.event import Arrival, Event
from parte.semantics.events.rates import Rate
from parte.semantics.partelang.compilation import compile_program
from parte.semantics.partelang.machine import Machine, Step
from parte.semantics.partelang.network import RIGHT_SLOT, Network, TwoInputNode
from parte.semantics.partelang.repairs import SOUND
from parte.semantics.partelang.rules.registry import TwoInputData
from parte.semantics.partelang.schedules import RoundRobin
from parte.semantics.partelang.syntax import core, parse


class Watched(Machine):
    """A machine at the sizes of a report that looks after every step at what its stores hold, and counts its work."""

    def __init__(self, program: core.Program, deployment: Deployment, report: BoundsReport) -> None:
        self.questions = 0
        self.may_ask = 0
        self.fullest: Counter[tuple[str, str]] = Counter()
        network = self._counting(compile_program(program, {}, deployment.senders()))
        super().__init__(network, SOUND, report.capacities(), self._did)
        self.sizes = {(size.node, size.store): size.viable or 0 for size in report.sizes}

    def _counting(self, network: Network) -> Network:
        """The network with conditions that count how often they are asked."""

        def counted(node: TwoInputNode) -> TwoInputNode:
            def condition(events: Sequence[Event]) -> bool:
                self.questions += 1
                return node.condition(events)

            return replace(node, condition=condition)

        nodes = tuple(counted(node) if isinstance(node, TwoInputNode) else node for node in network.nodes)
        return replace(network, nodes=nodes)

    def proc(self, index: int, slot: int) -> bool:
        self.questions, self.may_ask = 0, self._may_ask(index, slot)
        taken = super().proc(index, slot)
        self._look()
        return taken

    def _may_ask(self, index: int, slot: int) -> int:
        node, data = self.network.nodes[index], self.nodes[index].data
        if not isinstance(node, TwoInputNode) or not isinstance(data, TwoInputData):
            return 0
        if slot == RIGHT_SLOT:
            return len(data.left)
        return len(data.right) * (2 if node.negated else 1)

    def prop(self, index: int) -> bool:
        taken = super().prop(index)
        self._look()
        return taken

    def arrive(self, index: int) -> bool:
        taken = super().arrive(index)
        self._look()
        return taken

    def _did(self, step: Step) -> None:
        assert self.questions <= self.may_ask, f"{step.rule} asked {self.questions} times, not {self.may_ask}"
        assert len(step.produced) <= self.sizes[step.node, "outbox"]

    def _look(self) -> None:
        for state in self.nodes:
            name = state.node.name
            slots = Counter(slot for slot, _ in state.inbox.waiting())
            held = {"outbox": len(state.outbox), "inbox": max(slots.values(), default=0)}
            if isinstance(state.data, TwoInputData):
                held |= {"left": len(state.data.left), "right": len(state.data.right)}
            for store, entries in held.items():
                assert entries <= self.sizes[name, store], f"{name} holds {entries} in its {store}"
                self.fullest[name, store] = max(self.fullest[name, store], entries)


def one_by_one(machine: Watched, arrivals: Sequence[Arrival]) -> list[int]:
    """The steps after each arrival, when each is done with before the next comes; the first is what comes of none."""
    RoundRobin().drive(machine, ())
    steps = [machine.steps]
    for arrival in arrivals:
        RoundRobin().drive(machine, (arrival,))
        steps.append(machine.steps)
    return steps


# --- Any program ------------------------------------------------------------------------------------------------------


@st.composite
def deployed(draw: st.DrawFn) -> tuple[core.Program, Deployment]:
    """A program and a deployment of one source or two, at rates that keep sizes small."""
    program = draw(programs(ProgramShape(patterns=3, rules=2, greatest_distance=4, least_distance=-4)))
    senders = []
    for name in ("s", "t")[: draw(st.integers(1, 2))]:
        rate = Rate(draw(st.integers(1, 2)), draw(st.integers(1, 4)))
        senders.append(Source(name, tuple(Emits(template, rate) for template in EXTERNAL)))
    return program, Deployment(tuple(senders))


@settings(max_examples=20)
@given(deployed(), st.integers(0, 2**16), st.booleans())
def test_space_and_work_stay_within_what_the_checker_computes(
    case: tuple[core.Program, Deployment], seed: int, bare: bool
) -> None:
    program, deployment = case
    report = bounds(program, deployment)
    assume(report.bounded)
    arrivals = worst_arrivals(skeleton(program), deployment, seed, 4, together=not report.any_schedule)
    program = skeleton(program) if bare else program
    for schedule in schedules(seed)[seed % 2 :: 2] if report.any_schedule else (RoundRobin(),):
        machine = Watched(program, deployment, report)
        schedule.drive(machine, arrivals)
        assert machine.finished
    machine = Watched(program, deployment, report)
    steps = one_by_one(machine, arrivals)
    assert machine.finished
    allowed = steps[0]
    for arrival, taken in zip(arrivals, steps[1:], strict=True):
        most = report.steps_per_event.get(arrival.template)
        assert most is not None
        allowed += most
        assert taken <= allowed


# --- Reached ----------------------------------------------------------------------------------------------------------

TEMPLATES = "".join(f"template {name} {{ k: Integer }}\n" for name in "AB")
SOURCE = Deployment((Source("s", (Emits("A", Rate(1, 1)), Emits("B", Rate(1, 1)))),))


def named(trace: str) -> list[Arrival]:
    """Events of which each promises its own time, and no end."""
    times = [(word, word[0], int(word[1:])) for word in trace.split()]
    return [Arrival("s", name, time, Event(id_, name, time, {"k": 0}, "s")) for id_, name, time in times]


REACHED = (
    ("a: A, b: B when b in a [0 ms, 2 ms]", "A0 A1 A2 A3 B2", "join:R.b", ("left", "outbox")),
    ("a: A, b: A when b in a [1 ms, 3 ms]", "A0 A1 A2 A3 A4 A5", "join:R.b", ("left", "right", "outbox")),
    ("a: A, no b: B when no b in a [0 ms, 2 ms]", "A0 A1 A2 A3 B9", "not:R.b", ("left", "outbox")),
)
"""Patterns, a trace, and which stores of which node it fills."""


@pytest.mark.parametrize(("patterns", "trace", "node", "stores"), REACHED, ids=[case[0] for case in REACHED])
def test_a_trace_fills_the_stores(patterns: str, trace: str, node: str, stores: Sequence[str]) -> None:
    program = parse(TEMPLATES + f"rule R where {patterns} then")
    report = bounds(program, SOURCE)
    machine = Watched(program, SOURCE, report)
    one_by_one(machine, named(trace))
    for store in stores:
        assert machine.fullest[node, store] == report.size(node, store).viable


@pytest.mark.parametrize(("patterns", "trace"), [case[:2] for case in REACHED[:2]], ids=[c[0] for c in REACHED[:2]])
def test_the_last_event_of_a_trace_causes_as_many_steps_as_any_may(patterns: str, trace: str) -> None:
    program = parse(TEMPLATES + f"rule R where {patterns} then")
    report = bounds(program, SOURCE)
    *_, before, after = one_by_one(Watched(program, SOURCE, report), named(trace))
    assert after - before == report.steps_per_event[trace.split()[-1][0]]


def test_an_event_that_had_to_wait_is_paid_for_by_its_own_bound() -> None:
    """At a not-node the fourth A waits for room until the B comes: together they take what together they may."""
    patterns, trace, *_ = REACHED[2]
    program = parse(TEMPLATES + f"rule R where {patterns} then")
    report = bounds(program, SOURCE)
    first, *_, last = one_by_one(Watched(program, SOURCE, report), named(trace))
    assert last - first == sum(report.steps_per_event[word[0]] or 0 for word in trace.split())


def test_the_watch_notices_one_entry_too_many() -> None:
    patterns, trace, *_ = REACHED[2]
    program = parse(TEMPLATES + f"rule R where {patterns} then")
    machine = Watched(program, SOURCE, bounds(program, SOURCE))
    beyond = Mutant(
        "one-beyond",
        "parte.semantics.partelang.rules.premises:has_room_left",
        "len(history) < site",
        "len(history) <= site",
    )
    with applied(beyond), pytest.raises(AssertionError, match=r"not:R\.b holds 4 in its left"):
        one_by_one(machine, named(trace))


def test_the_watch_notices_a_condition_that_is_asked_too_often() -> None:
    patterns, trace, *_ = REACHED[0]
    program = parse(TEMPLATES + f"rule R where {patterns} then")
    machine = Watched(program, SOURCE, bounds(program, SOURCE))
    twice = Mutant(
        "ask-twice",
        "parte.semantics.partelang.rules.premises:matching_left",
        "if node.condition(entry.events + right.events)]",
        "if node.condition(entry.events + right.events) and node.condition(entry.events + right.events)]",
    )
    with applied(twice), pytest.raises(AssertionError, match="PARTE/JOIN-RIGHT asked 6 times, not 3"):
        one_by_one(machine, named(trace))
