"""The twelve defects of `published`: each counterexample shows its defect, is minimal, and leaves `sound` unharmed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from parte.algebra.partelang.programs import run
from parte.proofs.partelang.defects import DEFECTS, Defect
from parte.semantics.events.event import Event, TraceItem
from parte.semantics.events.outcome import Outcome
from parte.semantics.events.scenario import Scenario
from parte.semantics.events.trace import read_trace
from parte.semantics.partelang.compilation import compile_program, windows_of
from parte.semantics.partelang.execution import execute, run_network, sources_of
from parte.semantics.partelang.repairs import PUBLISHED, SOUND, repair_names
from parte.semantics.partelang.schedules import Adversarial, RoundRobin, Schedule, SeededRandom
from parte.semantics.partelang.sizes import Rate, prescribed_capacities
from parte.semantics.partelang.syntax import core, parse
from parte.semantics.rulebook.models import Model

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
    return _symptom(
        scenario, execute(scenario, model=model, schedule=schedule or defect.schedule, capacities=capacities)
    )


def _symptom(scenario: Scenario[core.Program], execution: Outcome) -> str:
    matches, truth = execution.matches, run(scenario.program, scenario.items).matches
    if execution.blocked is not None:
        return "blocked"
    if matches == truth:
        return "none"
    return "lost" if any(match not in matches for match in truth) else "spurious"


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


# --- With the regular "no change" of D §8.4.2 -------------------------------------------------------------------------

MENDED_BESIDE_EVENTS = {"report-silence"}
"""What a "no change" beside every event makes up for; D §8.4.3 asks for one only where there is no event."""

SIZES_OF_D = ("store-only-live", "report-silence", "slot-per-side", "merge-by-promise")
"""Those of the defects that show only where room is bounded, except those that are about the sizes of D itself."""


@EACH
@pytest.mark.parametrize("beside_events", [False, True])
def test_a_defect_shows_although_sources_say_regularly_that_nothing_has_happened(
    defect: Defect, beside_events: bool
) -> None:
    mended = beside_events and defect.repair in MENDED_BESIDE_EVENTS
    outcome = defect.run_with_silence(defect.exhibits, beside_events=beside_events)
    assert _symptom(defect.scenario, outcome) == ("none" if mended else defect.symptom)
    assert _symptom(defect.scenario, defect.run_with_silence(PUBLISHED, beside_events=beside_events)) != "none"
    assert _symptom(defect.scenario, defect.run_with_silence(SOUND, beside_events=beside_events)) == "none"


@EACH
def test_silence_is_told_at_every_millisecond_until_the_windows_are_over(defect: Defect) -> None:
    arrivals = defect.with_silence(beside_events=False)
    events = [item for item in defect.scenario.items if isinstance(item, Event)]
    assert [arrival.event for arrival in arrivals if arrival.event is not None] == events
    (rule,) = defect.scenario.program.rules
    reach = max(high for windows in windows_of(rule).values() for _, high in windows.values())
    over = max(event.timestamp for event in events) + reach + 1
    for pair in {(arrival.source, arrival.template) for arrival in arrivals}:
        bounds = [arrival.bound for arrival in arrivals if (arrival.source, arrival.template) == pair]
        assert bounds == sorted(bounds)
        assert set(range(over + 1)) <= set(bounds)


@pytest.mark.parametrize("repair", SIZES_OF_D)
@pytest.mark.parametrize("beside_events", [False, True])
def test_blocked_at_the_sizes_and_with_the_silence_that_the_dissertation_prescribes(
    repair: str, beside_events: bool
) -> None:
    """Histories of rate times window plus one, for one event a millisecond of each source, and a slot for each side."""
    (defect,) = (defect for defect in DEFECTS if defect.repair == repair)
    scenario, arrivals = defect.scenario, defect.with_silence(beside_events=beside_events)
    network = compile_program(scenario.program, scenario.predicates, sources_of(arrivals))
    rates = {(arrival.source, arrival.template): Rate(1, 1) for arrival in arrivals}
    sized = prescribed_capacities(network, rates, PUBLISHED)
    assert run_network(network, arrivals, PUBLISHED, capacities=sized).blocked is not None
    slots = replace(sized, default=replace(sized.default, inbox=1)) if repair != "slot-per-side" else sized
    blocked = run_network(network, arrivals, defect.exhibits, capacities=slots).blocked is not None
    assert blocked is not (beside_events and repair in MENDED_BESIDE_EVENTS)


def test_a_join_that_rejected_events_starve_is_blocked_without_any_negation() -> None:
    """Defect 8 where D §5.6.5 and §8.4.2 ask for no "no change" at all, since nothing is negated."""
    program = DEFECTS[7].program.replace("no b: A", "b: A").replace("when no", "when")
    scenario = Scenario.of(parse(program), DEFECTS[7].scenario.items)
    capacities = DEFECTS[7].capacities
    assert execute(scenario, model=DEFECTS[7].exhibits, capacities=capacities).blocked is not None
    assert execute(scenario, model=SOUND, capacities=capacities).blocked is None
