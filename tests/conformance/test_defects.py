"""The twelve defects of `published`: each counterexample shows its defect, is minimal, and leaves `sound` unharmed."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from parte.algebra.parte.programs import run
from parte.proofs.parte.defects import DEFECTS, Defect
from parte.semantics.events.event import TraceItem
from parte.semantics.events.scenario import Scenario
from parte.semantics.events.trace import read_trace
from parte.semantics.parte.execution import execute
from parte.semantics.parte.repairs import PUBLISHED, SOUND, Model, repair_names
from parte.semantics.parte.schedules import Adversarial, RoundRobin, Schedule, SeededRandom
from parte.semantics.parte.syntax import parse

SCHEDULES: tuple[Schedule, ...] = (
    RoundRobin(),
    *(SeededRandom(seed) for seed in range(10)),
    *(Adversarial(seed) for seed in range(10)),
)
EACH = pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: f"{defect.number}-{defect.repair}")


def symptom(defect: Defect, items: Iterable[TraceItem], model: Model, schedule: Schedule | None = None) -> str:
    """What a model does on a trace with the program of a defect: "none", "lost", "spurious" or "blocked"."""
    scenario = Scenario.of(parse(defect.program), items)
    capacities = defect.capacities_for(scenario, model)
    execution = execute(scenario, model=model, schedule=schedule or defect.schedule, capacities=capacities)
    found, truth = execution.matches, run(scenario.program, scenario.items).matches
    if execution.blocked is not None:
        return "blocked"
    if found == truth:
        return "none"
    return "lost" if any(match not in found for match in truth) else "spurious"


def test_there_is_a_counterexample_for_each_repair_in_the_order_of_the_defects() -> None:
    assert tuple(defect.repair for defect in DEFECTS) == repair_names()
    assert [defect.number for defect in DEFECTS] == list(range(1, 13))


@EACH
def test_published_fails(defect: Defect) -> None:
    assert symptom(defect, read_trace(defect.trace), PUBLISHED) != "none"


@EACH
def test_sound_without_the_repair_fails_as_described(defect: Defect) -> None:
    assert symptom(defect, read_trace(defect.trace), defect.exhibits) == defect.symptom


@EACH
def test_sound_passes_under_every_schedule(defect: Defect) -> None:
    items = read_trace(defect.trace)
    assert {symptom(defect, items, SOUND, schedule) for schedule in SCHEDULES} == {"none"}


@EACH
def test_no_line_of_the_trace_can_be_left_out(defect: Defect) -> None:
    items = tuple(read_trace(defect.trace))
    for index in range(len(items)):
        shorter = items[:index] + items[index + 1 :]
        both_fail = "none" not in (symptom(defect, shorter, PUBLISHED), symptom(defect, shorter, defect.exhibits))
        assert not both_fail, f"the counterexample needs no {items[index]}"


@EACH
def test_the_repair_alone_makes_the_difference(defect: Defect) -> None:
    """With the repair that would hide the defect left off, turning the repair on changes what is found."""
    items = read_trace(defect.trace)
    if not defect.less:
        assert symptom(defect, items, defect.exhibits.repaired(defect.repair)) == "none"
        return
    without = execute(defect.scenario, model=defect.exhibits)
    with_it = execute(defect.scenario, model=defect.exhibits.repaired(defect.repair))
    assert without.matches != with_it.matches
