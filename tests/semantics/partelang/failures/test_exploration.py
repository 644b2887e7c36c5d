"""Every crash at every moment on small networks, and the shortest counterexample to each naive design."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from parte.proofs.partelang.exploration.crashes import CrashSpace, search_crashes
from parte.semantics.events.event import Event
from parte.semantics.events.promises import arrivals
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.capacities import Capacities, NodeCapacities
from parte.semantics.partelang.compilation import compile_program
from parte.semantics.partelang.execution import execute, sources_of
from parte.semantics.partelang.failures.machine import FailingMachine, Fault, FaultKind
from parte.semantics.partelang.machine import Action, ActionKind
from parte.semantics.partelang.network import Network
from parte.semantics.partelang.syntax import parse
from tests.semantics.partelang.failures.naive import NAIVE

TIGHT = Capacities(NodeCapacities(inbox=1))
A, AB = "template A {} ", "template A {} template B {} "
ALONE = A + "rule R where a: A"
JOIN = AB + "rule R where a: A, b: B when b in a [0 ms, 2 ms] then"
NOT = AB + "rule R where a: A, no b: B when no b in a [0 ms, 2 ms] then"
SELF = A + "rule R where a: A, b: A when b in a [0 ms, 2 ms] then"
INTO_NOT = AB + (
    "template D {} rule E where a: A then emit D at a.timestamp with {} "
    "rule R where b: B, no d: D when no d in b [0 ms, 2 ms] then"
)
COUNTEREXAMPLES: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("counterexamples.toml").read_text(encoding="utf-8")
)
each_design = pytest.mark.parametrize("name", NAIVE)


class Small:
    """A program with a trace that is written `A@0 B@1`."""

    def __init__(self, program: str, events: str) -> None:
        self.program = parse(program)
        pairs = [word.split("@") for word in events.split()]
        items = [Event(f"{name}{number}", name, int(time), {}) for number, (name, time) in enumerate(pairs)]
        self.arrivals = arrivals(items)
        self.network = compile_program(self.program, {}, sources_of(self.arrivals))
        matches = execute(Scenario.of(self.program, items)).matches
        self.expected = tuple(sorted(match.to_json() for match in matches))

    def machine(self, period: int | None, design: type[FailingMachine] = FailingMachine) -> FailingMachine:
        return design(self.network, capacities=TIGHT, period=period)

    def space(self, period: int | None, design: type[FailingMachine] = FailingMachine) -> CrashSpace:
        return CrashSpace(self.machine(period, design), self.arrivals)


SMALL = [(ALONE, "A@0", 1), (ALONE, "A@0", 2), (ALONE, "A@0", None), (JOIN, "A@0", 2), (JOIN, "A@0 B@1", None)]
LARGER = [
    *((program, "A@0 B@1", period) for program in (JOIN, NOT) for period in (1, 2)),
    (NOT, "A@0 B@1", None),
    (NOT, "A@0 B@9", None),
    (SELF, "A@0 A@1", None),
    (INTO_NOT, "B@0", None),
]


def _explore(program: str, events: str, period: int | None) -> None:
    """No crash changes the state of the machine, so any number of crashes leaves the results as they are."""
    case = Small(program, events)
    result = search_crashes(case.space(period), most=1)
    assert result.complete
    assert result.crashes > result.states
    assert result.changing == 0
    assert [(end.reported, end.finished) for end in result.ends] == [(case.expected, True)]


@pytest.mark.parametrize(("program", "events", "period"), SMALL)
def test_no_crash_changes_a_state(program: str, events: str, period: int | None) -> None:
    _explore(program, events, period)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("program", "events", "period"), LARGER)
def test_no_crash_changes_a_state_of_a_larger_network(program: str, events: str, period: int | None) -> None:
    _explore(program, events, period)


def test_a_search_stops_at_its_limit() -> None:
    result = search_crashes(Small(JOIN, "A@0").space(None), most=1, limit=20)
    assert not result.complete
    assert result.states == 20


def test_a_program_that_suppresses_cannot_be_searched() -> None:
    text = "level 2 template A {} template D {} rule R where a: A then emit D at a.timestamp with {} once in 5 ms"
    with pytest.raises(ValueError, match="a program with `once`; remove it"):
        Small(text, "A@0").space(None)


# --- Naive designs ----------------------------------------------------------------------------------------------------


def test_each_naive_design_has_a_counterexample() -> None:
    assert COUNTEREXAMPLES.keys() == NAIVE.keys()


@each_design
def test_a_naive_design_fails_on_its_counterexample(name: str) -> None:
    """A match is lost or reported twice on the path; the same steps and crashes harm no machine with all rules."""
    example = COUNTEREXAMPLES[name]
    case = Small(example["program"], example["events"])
    naive, right = (case.machine(example["period"] or None, design) for design in (NAIVE[name], FailingMachine))
    for machine in (naive, right):
        for arrival in case.arrivals:
            machine.feed(arrival)
    for text in example["path"]:
        act = _act(case.network, text)
        assert naive.take(act), text
        if act.kind is FaultKind.CRASH or act in right.acts():
            right.take(act)
        if act.kind is FaultKind.CRASH:
            naive.restore(act.place)
            right.restore(act.place)
    while any(right.take(act) for act in right.acts()):
        pass
    assert naive.finished
    assert len(naive.matches) == example["reported"] != len(case.expected)
    assert tuple(match.to_json() for match in right.matches) == case.expected


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.exhaustive) if name in ("unordered-log", "newest-bounds") else name
        for name in NAIVE
    ],
)
def test_no_counterexample_is_shorter(name: str) -> None:
    """With that program, trace and period, and one crash."""
    example = COUNTEREXAMPLES[name]
    case = Small(example["program"], example["events"])
    space = case.space(example["period"] or None, NAIVE[name])
    result = search_crashes(space, most=1, limit=100_000, expected=case.expected)
    wrong = [end for end in result.ends if end.reported != case.expected]
    assert [len(end.path) for end in wrong] == [example["steps"]] == [len(example["path"])]


def _act(network: Network, text: str) -> Action | Fault:
    kind, place, *slot = text.split()
    if kind == ActionKind.ARRIVE.value:
        return Action(ActionKind.ARRIVE, int(place))
    if kind in {fault.value for fault in FaultKind}:
        return Fault(FaultKind(kind), network.index(place))
    return Action(ActionKind(kind), network.index(place), *map(int, slot))
