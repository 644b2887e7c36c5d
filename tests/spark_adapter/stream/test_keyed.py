"""One key after the other, batch after batch, without Spark: what the machine finds, keeps, waits for and refuses."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

import parte.algebra.partelang.programs
from parte.conformance.partelang.strategies import ProgramShape, programs
from parte.conformance.suites import load_suite
from parte.languages.partelang import PARTELANG
from parte.semantics.events.conformity import conform
from parte.semantics.events.domain import Predicates, bind_domain, read_domain
from parte.semantics.events.event import NEGATIVE_INFINITY, POSITIVE_INFINITY, Event, Value
from parte.semantics.events.match import Match, canonical
from parte.semantics.events.outcome import EmissionFailure, SuppressedEmission, in_order
from parte.semantics.events.trace import read_trace
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.elaborate import parse
from parte.spark_adapter.errors import Unusable
from parte.spark_adapter.partitioning import groups_of, router_of
from parte.spark_adapter.stream.job import job_of
from parte.spark_adapter.stream.keyed import BoundExceeded, KeyedMachine, Limits
from parte.spark_adapter.stream.state import StateError, event_of, event_record
from tests.spark_adapter.stream.drawn import batches_of, streams

WITHOUT_SPARK = True

Part = tuple[int, str]


@dataclass
class Simulation:
    """What Spark does with a program: batches by key, states, timers, one promise for all."""

    program: core.Program
    ahead: int | None = None
    predicates: Predicates = field(default_factory=dict)
    promise: int = NEGATIVE_INFINITY
    matches: list[Match] = field(default_factory=list)
    failures: list[EmissionFailure] = field(default_factory=list)
    suppressed: list[SuppressedEmission] = field(default_factory=list)
    states: dict[Part, str] = field(default_factory=dict)
    timers: dict[Part, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        groups = groups_of(self.program)
        self.routes = [router_of(group, self.predicates) for group in groups]
        self.machines = [KeyedMachine(group, self.predicates, limits=self.limits(group.program)) for group in groups]

    def limits(self, program: core.Program) -> Limits | None:
        if self.ahead is None:
            return None
        rules = program.rules
        nodes = {f"{'not' if p.negated else 'join'}:{rule.name}.{p.variable}" for rule in rules for p in rule.patterns}
        return Limits(dict.fromkeys(nodes, (None, None)), self.ahead)

    def batch(self, events: Iterable[Event], promise: int) -> None:
        """A batch: the promise is that of all events before it."""
        self.promise = promise
        parts: dict[Part, list[Event]] = {}
        for event in events:
            for number, route in enumerate(self.routes):
                for key in route(event):
                    parts.setdefault((number, key), []).append(event)
        for part, timer in self.timers.items():
            if timer <= promise:
                parts.setdefault(part, [])
        for part, own in parts.items():
            done = self.machines[part[0]].run(part[1], self.states.pop(part, None), own, promise)
            self.matches.extend(done.matches)
            self.failures.extend(done.failures)
            self.suppressed.extend(done.suppressed)
            self.timers.pop(part, None)
            # What is remembered and what is waited for go together: else it would never be looked at again.
            assert (done.state is None) == (done.timer is None)
            if done.state is not None and done.timer is not None:
                assert done.timer > promise
                self.states[part], self.timers[part] = done.state, done.timer


@given(programs(), streams(), st.sampled_from((None, None, 0, 3)))
def test_batches_give_what_the_algebra_says(
    program: core.Program, stream: Sequence[tuple[tuple[Event, ...], int]], ahead: int | None
) -> None:
    simulation = Simulation(program, ahead)
    for events, promise in stream:
        simulation.batch(events, promise)
    everything = [event for events, _ in stream for event in events]
    assert canonical(simulation.matches) == list(parte.algebra.partelang.programs.run(program, everything).matches)
    assert not simulation.states
    assert not simulation.timers


@given(programs(ProgramShape(level=2, ever=False, either=False)), streams())
def test_batches_suppress_what_the_algebra_suppresses(
    program: core.Program, stream: Sequence[tuple[tuple[Event, ...], int]]
) -> None:
    suppressed_in_batches(program, stream)


def suppressed_in_batches(program: core.Program, stream: Sequence[tuple[tuple[Event, ...], int]]) -> Simulation:
    simulation = Simulation(program)
    for events, promise in stream:
        simulation.batch(events, promise)
    expected = parte.algebra.partelang.programs.run(program, [event for events, _ in stream for event in events])
    assert canonical(simulation.matches) == list(expected.matches)
    assert in_order(simulation.suppressed) == expected.suppressed
    assert not simulation.states
    assert not simulation.timers
    return simulation


@pytest.mark.parametrize("part", [pytest.param(part, marks=[pytest.mark.exhaustive] * (part > 0)) for part in range(6)])
def test_the_suite_in_batches(part: int) -> None:
    wrong = []
    for fixture in islice(load_suite(PARTELANG).cases.values(), part, None, 6):
        if fixture.expected.rejected is not None:
            continue
        program = parse(fixture.text)
        try:
            job_of(program, read_domain(fixture.domain))
        except Unusable:
            continue  # by name: -ever, and `once` of a rule with cases (test_engines)
        predicates = bind_domain(program, read_domain(fixture.domain))
        events = [
            item for item in conform(program, read_trace(fixture.trace_text, nulls=True)) if isinstance(item, Event)
        ]
        simulation = Simulation(program, predicates=predicates)
        for some, promise in batches_of(events):
            simulation.batch(some, promise)
        expected = parte.algebra.partelang.programs.run(program, events, predicates)
        emissions = in_order(simulation.failures), in_order(simulation.suppressed)
        if (canonical(simulation.matches), *emissions) != (
            list(expected.matches),
            expected.failures,
            expected.suppressed,
        ):
            wrong.append(fixture.id)
    assert wrong == []


BELLS = """
level 2
template A { k : Integer, x : Float, s : String, b : Boolean }
template D { k : Integer, s : String? }
rule R where a : A, c : A { k = a.k } when c in a [0 ms, 2 ms] then
    emit D at a.timestamp with { k = a.k } once per (KEYS) in 5 ms
rule S where d : D then
"""


@pytest.mark.parametrize(("keys", "split"), [("k", True), ("s, k", True), ("s", False)])
def test_once_splits_by_its_keys_alone(keys: str, split: bool) -> None:
    program = parse(BELLS.replace("KEYS", keys))
    (group,) = groups_of(program)
    assert (group.keyed, group.reason) == (
        split,
        "" if split else "events of several values may suppress one another in rule R",
    )
    times = (0, 3, 4, 5, 6, 11, 12, 20)
    events = [Event(f"e{t}{k}", "A", t, {"k": k, "x": 0.0, "s": "", "b": True}) for t in times for k in (0, 1)]
    stream = [
        *(((event,), event.timestamp) for event in events),
        *(((), promise) for promise in range(20, 30)),
    ]
    simulation = suppressed_in_batches(program, [*stream, ((), POSITIVE_INFINITY)])
    assert simulation.suppressed
    # What can suppress nothing more is forgotten with the stream still open.
    simulation = Simulation(program)
    for some, promise in stream:
        simulation.batch(some, promise)
    assert not simulation.states


DOOR = """
template Opened { door: String }
template Badge { door: String }
rule Forced where o: Opened, no b: Badge { door = o.door } when no b in o [-10 ms, 5 ms] then
"""


def opened(id_: str, timestamp: int, template: str = "Opened") -> Event:
    return Event(id_, template, timestamp, {"door": "north"})


def test_a_timer_stands_where_a_window_closes() -> None:
    (group,) = groups_of(parse(DOOR))
    machine = KeyedMachine(group, {})
    first = machine.run('"north"', None, [opened("o", 100)], 90)
    assert (first.matches, first.timer, first.entries) == ((), 106, 1)
    early = machine.run('"north"', first.state, (), 105)
    assert (early.matches, early.timer) == ((), 106)
    late = machine.run('"north"', early.state, (), 106)
    assert [match.bindings for match in late.matches] == [(("o", "o"),)]
    assert (late.state, late.timer) == (None, None)


def test_another_key_does_not_see_what_one_remembers() -> None:
    (group,) = groups_of(parse(DOOR))
    machine = KeyedMachine(group, {})
    machine.run('"north"', None, [opened("o", 100)], 90)
    south = machine.run('"south"', None, [Event("b", "Badge", 200, {"door": "south"})], 200)
    assert south.matches == ()
    assert south.state is not None
    assert "north" not in south.state


def test_events_too_far_ahead_wait_and_are_kept() -> None:
    (group,) = groups_of(parse(DOOR))
    machine = KeyedMachine(group, {}, limits=Limits({"not:Forced.b": (1, 0)}, 10))
    first = machine.run('"north"', None, [opened("o", 100), opened("p", 111)], 100)
    assert (first.entries, first.waiting) == (1, 1)
    assert first.timer == 101  # p may be taken with the promise 101, o is released with 106
    second = machine.run('"north"', first.state, (), 200)
    assert [match.bindings for match in second.matches] == [(("o", "o"),), (("o", "p"),)]
    assert second.state is None


def test_more_than_the_bound_is_an_error_that_says_what_to_do() -> None:
    (group,) = groups_of(parse(DOOR))
    machine = KeyedMachine(group, {}, limits=Limits({"not:Forced.b": (1, 0)}, 10))
    with pytest.raises(BoundExceeded, match=r'key "north": the left history of not:Forced.b holds 2 .* no more than 1'):
        machine.run('"north"', None, [opened("o", 100), opened("p", 101)], 100)


@pytest.mark.parametrize(
    "damaged",
    ["", "[]", "{}", '{"events":[[1,2]],"histories":{},"waiting":[]}', '{"events":[],"histories":{},"waiting":[3]}'],
)
def test_damaged_state_is_an_error(damaged: str) -> None:
    (group,) = groups_of(parse(DOOR))
    with pytest.raises(StateError):
        KeyedMachine(group, {}).run('"north"', damaged, (), 0)


def test_events_come_back_from_json_as_they_were() -> None:
    attributes: dict[str, Value] = {
        "i": 2**63 - 1,
        "f": 1.0,
        "z": -0.0,
        "s": "é\n",
        "b": True,
        "l": (1, 2),
        "m": ("a",),
    }
    event = Event('R(a=t1,b="(x)")', "A", -(2**63), attributes, "rule:R#1")
    back = event_of(json.loads(json.dumps(event_record(event), allow_nan=False)))
    assert repr(back) == repr(event)
