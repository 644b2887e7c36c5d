"""Reduced searches against the unreduced one, and the exploration's steps against those of the machine."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from parte.conformance.partelang.strategies import ProgramShape, programs, traces
from parte.proofs.partelang.exploration.explore import explore, search_boxes
from parte.proofs.partelang.exploration.reduction import boxes, reduced
from parte.proofs.partelang.exploration.retrace import retrace
from parte.proofs.partelang.exploration.search import Found, search
from parte.proofs.partelang.exploration.states import Space
from parte.semantics.events.event import Arrival, Event, TraceItem
from parte.semantics.events.promises import arrivals
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.capacities import UNBOUNDED, Capacities, NodeCapacities
from parte.semantics.partelang.compilation import compile_program
from parte.semantics.partelang.execution import sources_of
from parte.semantics.partelang.machine import Action, ActionKind, Machine
from parte.semantics.partelang.network import Network
from parte.semantics.partelang.repairs import PUBLISHED, RUDIMENTARY, SOUND, family_of
from parte.semantics.partelang.syntax import core, parse
from parte.semantics.rulebook.models import Model

TEMPLATES = "".join(f"template {name} {{ k: Integer }}\n" for name in "ABCD")
LIMIT = 60_000

# Without shrinking, which could take minutes here: small programs have small counterexamples.
GENERATE = (Phase.explicit, Phase.reuse, Phase.generate)

JOIN = "rule R where a: A, b: B when b in a [0 ms, 1 ms] then"
SELF = "rule R where a: A, b: A when b in a [0 ms, 1 ms] then"
NOT = "rule R where a: A, no b: B when no b in a [0 ms, 1 ms] then"
STRATA = """rule R where a: A when then emit D at a.timestamp with { k = a.k }
rule S where d: D, b: B when b in d [0 ms, 1 ms] then"""
TWO = (("A", 0, "s"), ("B", 1, "s"))
ONE = TWO[:1]
TWO_SOURCES = (("A", 0, "s"), ("A", 1, "t"))

TIGHT = Capacities(NodeCapacities(1, 1, 1, 1))
ROOMY = Capacities(NodeCapacities(2, 2, 1, 2))


@dataclass(frozen=True)
class Case:
    """What is explored."""

    program: core.Program
    fed: tuple[Arrival, ...]
    model: Model
    capacities: Capacities

    @property
    def network(self) -> Network:
        return compile_program(self.program, {}, sources_of(self.fed), family_of(self.model))

    @property
    def space(self) -> Space:
        return Space(self.network, self.fed, self.model, self.capacities)

    def unreduced(self, limit: int | None = LIMIT) -> Found:
        space = self.space
        return search(space, space.steps, limit)


def case(rules: str, events: Sequence[tuple[str, int, str]], model: Model, capacities: Capacities) -> Case:
    items = [
        Event(f"{template.lower()}{index}", template, time, {"k": 0}, source)
        for index, (template, time, source) in enumerate(events)
    ]
    return Case(parse(TEMPLATES + rules), arrivals(items), model, capacities)


MODELS = (
    SOUND,
    PUBLISHED,
    RUDIMENTARY,
    SOUND.without("slot-per-side"),
    SOUND.without("merge-by-promise"),
    SOUND.without("report-silence", "bound-on-last-token"),
)
EXHAUSTIVE = pytest.mark.exhaustive
EACH_MODEL = pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name[-40:])


def verdicts(subject: Case, search_result: Found) -> tuple[object, ...]:
    """Final states as values that two searches share: what was found by which shortest path's length, and blocked."""
    ends = []
    for end in search_result.ends:
        outcome = retrace(subject.network, subject.fed, subject.model, subject.capacities, end.path).outcome
        assert (outcome.blocked is not None) == end.blocked
        lines = tuple(match.to_json() for match in outcome.matches)
        ends.append((end.blocked, len(end.path), lines, outcome.failures))
    return search_result.finals, sorted(ends, key=repr)


def assert_alike(subject: Case, limit: int = LIMIT) -> bool:
    """The searches agree on what each of them preserves. False if the unreduced one is too long."""
    whole = subject.unreduced(limit)
    if whole.truncated:
        return False
    space = subject.space
    final = search(space, reduced(space))
    assert verdicts(subject, final) == verdicts(subject, whole)
    assert final.states <= whole.states
    assert [held[:2] for held in final.occupancy] == [held[:2] for held in whole.occupancy]
    for box in boxes(space):
        name = "outbox" if box.outbox else "inbox"
        search_result, expected = search(space, reduced(space, box)), whole.occupancy[box.node]
        assert getattr(search_result.occupancy[box.node], name) == getattr(expected, name)
        assert search_result.states <= whole.states
    assert search_boxes(space).occupancy == whole.occupancy
    return True


@EACH_MODEL
@pytest.mark.parametrize(
    "capacities",
    [
        pytest.param(TIGHT, id="tight"),
        pytest.param(ROOMY, id="roomy", marks=EXHAUSTIVE),
        pytest.param(UNBOUNDED, id="unbounded"),
    ],
)
@pytest.mark.parametrize(("rules", "events"), [(JOIN, TWO), (SELF, ONE), (NOT, TWO), (STRATA, TWO)])
def test_reductions_preserve_what_they_say(
    model: Model, capacities: Capacities, rules: str, events: Sequence[tuple[str, int, str]]
) -> None:
    assert assert_alike(case(rules, events, model, capacities)), f"more than {LIMIT} states: take a smaller case"


@pytest.mark.parametrize("model", [PUBLISHED, SOUND.without("merge-by-promise")], ids=lambda model: model.name[-40:])
def test_reductions_preserve_the_order_of_two_sources(model: Model) -> None:
    assert assert_alike(case(SELF, TWO_SOURCES, model, TIGHT), 100_000)


SMALL = ProgramShape(patterns=3, rules=2, conditions=False, least_distance=-2, greatest_distance=3)


@EXHAUSTIVE
@settings(max_examples=15, deadline=None, phases=GENERATE)
@given(
    programs(SMALL).flatmap(
        lambda program: st.tuples(st.just(program), traces(program, events=2, sources=2, latest=4))
    ),
    st.sampled_from(MODELS),
    st.sampled_from((TIGHT, ROOMY, UNBOUNDED)),
)
def test_reductions_preserve_what_they_say_of_any_program(
    drawn: tuple[core.Program, tuple[TraceItem, ...]], model: Model, capacities: Capacities
) -> None:
    program, items = drawn
    assert_alike(Case(program, arrivals(items), model, capacities))


def test_the_reduction_reduces() -> None:
    events = (("A", 0, "s"), ("B", 0, "s"), ("A", 1, "s"), ("B", 2, "s"))
    subject = case(JOIN, events, SOUND, Capacities(NodeCapacities(3, 3, 1, 3)))
    space, whole = subject.space, subject.unreduced(None)
    assert whole.states > 500 * search(space, reduced(space)).states
    assert whole.states > 20 * search_boxes(space).states


# --- The same steps as the machine ----------------------------------------------------------------------------------


@settings(max_examples=30, deadline=None, phases=GENERATE)
@given(
    programs().flatmap(lambda program: st.tuples(st.just(program), traces(program, events=5))),
    st.sampled_from(MODELS),
    st.sampled_from((TIGHT, ROOMY, UNBOUNDED)),
    st.integers(0, 2**16),
)
def test_walks_are_those_of_the_machine(
    drawn: tuple[core.Program, tuple[TraceItem, ...]], model: Model, capacities: Capacities, seed: int
) -> None:
    """At every state of a random walk the machine can take exactly the steps that the exploration knows."""
    program, items = drawn
    subject = Case(program, arrivals(items), model, capacities)
    space, choices = subject.space, random.Random(seed)
    machine = Machine(subject.network, model, capacities, recorder=lambda _: None)
    for arrival in subject.fed:
        machine.feed(arrival)
    state = space.initial
    while steps := dict(space.steps(state)):
        assert set(steps) <= set(machine.candidates())
        for impossible in set(machine.candidates()) - set(steps):
            assert not machine.take(impossible)
        action = choices.choice(list(steps))
        assert machine.take(action)
        state = steps[action]
        held = [space.occupancy(local)[1] for local in state[: space.size]]
        assert [len(node.outbox) for node in machine.nodes] == [occupancy.outbox for occupancy in held]
    assert not any(machine.take(action) for action in machine.candidates())
    assert machine.finished == space.finished(state)


def test_a_path_that_the_machine_cannot_take_is_refused() -> None:
    subject = case(JOIN, TWO, SOUND, UNBOUNDED)
    parts = (subject.network, subject.fed, subject.model, subject.capacities)
    with pytest.raises(ValueError, match=r"step 3, .* is impossible"):
        retrace(*parts, [Action(ActionKind.ARRIVE, 0)] * 3)
    with pytest.raises(ValueError, match="another is possible"):
        retrace(*parts, [])


# --- Verdicts -------------------------------------------------------------------------------------------------------


def test_an_exploration_of_a_model_that_is_not_confluent() -> None:
    rules = "rule R where a: A, b: B when b in a [2 ms, 5 ms] then"
    items = [Event(name, name[0].upper(), time, {"k": 0}) for name, time in (("a1", 0), ("b1", 1), ("b2", 2))]
    result = explore(Scenario.of(parse(TEMPLATES + rules), items), model=PUBLISHED)
    assert not result.confluent
    assert not result.agrees
    assert result.blocked is None
    assert sorted(len(retraced.outcome.matches) for retraced in result.outcomes) == [0, 1]
    assert "confluent: no, there are 2 results" in result.render()


def test_a_blocked_state_and_the_way_to_it() -> None:
    items = [Event(f"a{time}", "A", time, {"k": 0}) for time in range(3)]
    items.append(Event("b", "B", 1, {"k": 0}))
    rules = "rule R where a: A, b: B when b in a [0 ms, 0 ms] then"
    limits = Capacities(NodeCapacities(1, 1, 3, 1))
    result = explore(
        Scenario.of(parse(TEMPLATES + rules), items), model=SOUND.without("slot-per-side"), capacities=limits
    )
    assert result.blocked is not None
    assert result.blocked.outcome.blocked is not None
    assert "blocked: yes, after" in result.render()
    assert len(result.blocked.steps) == min(len(o.steps) for o in result.outcomes if o.outcome.blocked is not None)


def test_the_limit_is_said() -> None:
    items = [Event(f"a{time}", "A", time, {"k": 0}) for time in range(3)]
    result = explore(Scenario.of(parse(TEMPLATES + SELF), items), max_states=10)
    assert result.truncated
    assert result.states == 10
    assert not result.correct
    assert "NOT ALL VISITED" in result.render()
    with pytest.raises(ValueError, match="at least one state"):
        explore(Scenario.of(parse(TEMPLATES + SELF), items), max_states=0)
