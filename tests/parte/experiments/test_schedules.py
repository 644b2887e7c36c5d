"""The experiment on schedules: arrival orders keep their promises, and what is blamed is to blame."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from parte.experiments.schedules import ORDERS, PRESCRIBED, UNLIMITED, Trial, arranged, enough, supplies_of, trials
from parte.proofs.partelang.defects import DEFECTS
from parte.semantics.events.event import Event
from parte.semantics.events.promises import arrivals
from parte.semantics.partelang.repairs import PUBLISHED, SOUND, repair_names
from parte.spark_adapter.traces.random import Recipe, random_case

RECIPE = Recipe(seed=5, per_program=1, events=8, sources=3)


def failing(count: int) -> Iterator[Trial]:
    for number in range(100):
        case = random_case(RECIPE, number)
        for trial in trials(case.program, arranged(case.items, ORDERS[2]), 1):
            if trial.sizes == UNLIMITED and trial.fails(PUBLISHED):
                yield trial
                count -= 1
                if not count:
                    return


@pytest.mark.parametrize("order", ORDERS)
def test_the_same_events_arrive_and_keep_their_promises(order: str) -> None:
    for number in range(20):
        items = random_case(RECIPE, number).items
        arrangement = arranged(items, order)
        arrivals(arrangement)
        assert {item.id for item in arrangement if isinstance(item, Event)} == {
            item.id for item in items if isinstance(item, Event)
        }


def test_what_is_needed_is_enough_and_nothing_can_be_left_out() -> None:
    trials_found = list(failing(6))
    assert len(trials_found) == 6
    for trial in trials_found:
        needed = enough(trial)
        assert needed
        assert not trial.fails(PUBLISHED.repaired(*needed))
        for name in needed:
            assert trial.fails(PUBLISHED.repaired(*(repair for repair in needed if repair != name)))


def test_the_rates_are_those_of_the_trace() -> None:
    items = [Event("a", "A", 3, {}, "s"), Event("b", "A", 3, {}, "s"), Event("c", "A", 9, {}, "s")]
    (supply,) = supplies_of(arrivals(items)).values()
    assert (supply.rate.events, supply.rate.period, supply.late) == (2, 1, 0)
    (late,) = supplies_of(arrivals(items, disorder=4)).values()
    assert late.late == 4


def test_sound_keeps_the_sizes_that_it_prescribes() -> None:
    tried = 0
    for number in range(12):
        case = random_case(RECIPE, number)
        for trial in trials(case.program, arranged(case.items, ORDERS[1]), 1):
            if trial.sizes == PRESCRIBED:
                try:
                    trial.capacities(SOUND)
                except ValueError:
                    continue
                assert not trial.fails(SOUND)
                tried += 1
    assert tried > 10


def test_every_defect_has_its_repair_among_the_columns() -> None:
    assert [defect.repair for defect in DEFECTS] == list(repair_names())
