"""Schedules keep the places of waiting tokens up to date, and take the steps that a walk over all nodes would give."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parte.conformance.partelang.strategies import ProgramShape, cases
from parte.semantics.events.event import TraceItem
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.capacities import UNBOUNDED, Capacities, NodeCapacities
from parte.semantics.partelang.execution import network_of
from parte.semantics.partelang.machine import Action, Machine
from parte.semantics.partelang.repairs import MODELS, SOUND
from parte.semantics.partelang.schedules import Adversarial, Places, SeededRandom
from parte.semantics.partelang.syntax import core
from parte.semantics.rulebook.models import Model
from tests.drawn import drawn

Case = tuple[core.Program, tuple[TraceItem, ...]]

TIGHT = Capacities(NodeCapacities(left=3, right=3, inbox=1, outbox=2))


class Noting(Machine):
    """A machine that notes the steps that it takes."""

    taken: list[Action]

    def take(self, action: Action) -> bool:
        possible = super().take(action)
        if possible:
            self.taken.append(action)
        return possible


def steps(case: Case, schedule: SeededRandom | Adversarial, model: Model, capacities: Capacities) -> list[Action]:
    program, items = case
    scenario = Scenario.of(program, items)
    machine = Noting(network_of(scenario, model), model, capacities)
    machine.taken = []
    schedule.drive(machine, scenario.arrivals)
    return machine.taken


@settings(max_examples=60, deadline=None)
@given(
    cases(ProgramShape(patterns=3, rules=2)),
    st.integers(0, 99),
    st.sampled_from([SeededRandom, Adversarial]),
    st.sampled_from([UNBOUNDED, TIGHT]),
    st.sampled_from(sorted(MODELS)),
)
def test_the_same_steps_as_with_a_walk_over_all_nodes(
    case: Case, seed: int, kind: type[SeededRandom | Adversarial], capacities: Capacities, name: str
) -> None:
    chosen = steps(case, kind(seed), MODELS[name], capacities)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Places, "candidates", lambda self: self._machine.candidates())
        assert steps(case, kind(seed), MODELS[name], capacities) == chosen


@pytest.mark.parametrize("schedule", [SeededRandom(3), Adversarial(3)])
def test_a_place_that_is_left_out_is_noticed(
    schedule: SeededRandom | Adversarial, monkeypatch: pytest.MonkeyPatch
) -> None:
    def differing() -> Iterator[bool]:
        for case in drawn(cases(ProgramShape(patterns=3, rules=1)), 1, 10):
            before = steps(case, schedule, SOUND, UNBOUNDED)
            with monkeypatch.context() as patch:
                patch.setattr(Places, "_changed", lambda _, action: (action.place,))
                yield steps(case, schedule, SOUND, UNBOUNDED) != before

    assert any(differing())
