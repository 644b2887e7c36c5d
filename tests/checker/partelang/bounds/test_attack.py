"""Sizes attacked by replay: enough as stated, and where they are called tight not with one less (docs/bounds.md)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parte.checker.environment.deployment import Deployment, Emits, Source
from parte.checker.partelang.bounds.bounds import bounds
from parte.checker.partelang.bounds.replay import find_block, run, schedules, skeleton, worst_arrivals
from parte.checker.partelang.bounds.report import FILLED, Tightness
from parte.conformance.partelang.strategies import EXTERNAL, ProgramShape, programs
from parte.semantics.events.rates import Rate
from parte.semantics.partelang.capacities import UNBOUNDED, Capacities, NodeCapacities
from parte.semantics.partelang.schedules import RoundRobin
from parte.semantics.partelang.syntax import core
from tests.checker.partelang.bounds.cases import MIXED, OTHERS, PAIRS, Case


def one_less(capacities: Capacities, node: str, store: str) -> Capacities:
    node_capacities = capacities.nodes[node]
    changed = replace(node_capacities, **{store: getattr(node_capacities, store) - 1})
    return Capacities(capacities.default, {**capacities.nodes, node: changed})


@pytest.mark.parametrize("case", [*PAIRS, *OTHERS], ids=lambda case: case.name)
def test_nothing_blocks_or_waits_at_the_stated_capacity(case: Case) -> None:
    report = bounds(case.program, case.deployment)
    assert report.bounded
    assert report.any_schedule
    assert find_block(case.program, case.deployment, report.capacities(), tries=6, events=12) is None


@pytest.mark.parametrize("case", [*PAIRS, *OTHERS], ids=lambda case: case.name)
def test_matches_are_those_of_an_unbounded_machine(case: Case) -> None:
    program = skeleton(case.program)
    capacities = bounds(case.program, case.deployment).capacities()
    for seed in (0, 2):
        arrivals = worst_arrivals(program, case.deployment, seed, 10)
        expected = run(program, case.deployment, arrivals, UNBOUNDED, RoundRobin()).matches
        for schedule in schedules(seed):
            outcome = run(program, case.deployment, arrivals, capacities, schedule)
            assert (outcome.matches, outcome.blocked) == (expected, None)


@pytest.mark.parametrize("case", PAIRS, ids=lambda case: case.name)
def test_with_one_less_a_tight_size_is_too_small(case: Case) -> None:
    report = bounds(case.program, case.deployment)
    stores = [size for size in report.sizes if size.store != "inbox" and size.node.startswith("join:")]
    assert all(size.verdict is Tightness.TIGHT for size in stores)
    for size in stores:
        if size.viable:
            smaller = one_less(report.capacities(), size.node, size.store)
            witness = find_block(case.program, case.deployment, smaller, tries=200, events=14)
            assert witness is not None, (size.node, size.store, size.viable)


def test_a_report_says_how_tight_sizes_are_filled_and_only_then() -> None:
    report = bounds(PAIRS[0].program, PAIRS[0].deployment)
    assert FILLED[0] in report.render()
    loose = replace(report, sizes=tuple(size for size in report.sizes if size.verdict is not Tightness.TIGHT))
    assert FILLED[0] not in loose.render()


@pytest.mark.parametrize("case", OTHERS, ids=lambda case: case.name)
def test_less_than_the_least_is_too_small(case: Case) -> None:
    report = bounds(case.program, case.deployment)
    for size in report.sizes:
        if size.store in ("left", "right") and size.least > 0:
            capacities = report.capacities()
            reduced = replace(capacities.nodes[size.node], **{size.store: size.least - 1})
            smaller = Capacities(capacities.default, {**capacities.nodes, size.node: reduced})
            witness = find_block(case.program, case.deployment, smaller, tries=200, events=14)
            assert witness is not None, (size.node, size.store, size.least)


@pytest.mark.parametrize("case", MIXED, ids=lambda case: case.name)
def test_a_rule_and_another_source_of_one_template_must_stay_together(case: Case) -> None:
    """Under round-robin with promises in time the sizes suffice; if sources drift apart, three times as much blocks."""
    report = bounds(case.program, case.deployment)
    assert report.bounded
    assert not report.any_schedule
    program, capacities = skeleton(case.program), report.capacities()
    for seed in range(30):
        arrivals = worst_arrivals(program, case.deployment, seed, 12, together=True)
        assert run(program, case.deployment, arrivals, capacities, RoundRobin()).blocked is None
    generous = {
        name: replace(
            node_capacities,
            left=node_capacities.left and 3 * node_capacities.left,
            right=node_capacities.right and 3 * node_capacities.right,
        )
        for name, node_capacities in capacities.nodes.items()
    }
    larger = Capacities(capacities.default, generous)
    assert find_block(case.program, case.deployment, larger, tries=40, events=60) is not None


def blocks(least: int, greatest: int, sizes: tuple[int, int], seeds: range) -> bool:
    """Whether a self-join blocks with these histories, for arrivals of some seed."""
    case = next(case for case in PAIRS if case.name == f"self-join [{least}, {greatest}]")
    join_capacities = NodeCapacities(*sizes, inbox=1, outbox=20)
    capacities = Capacities(NodeCapacities(inbox=1, outbox=1), {"join:R.b": join_capacities})
    return any(
        run(case.program, case.deployment, arrivals, capacities, schedule).blocked is not None
        for seed in seeds
        for arrivals in (worst_arrivals(case.program, case.deployment, seed, 14),)
        for schedule in schedules(seed)
    )


ENDING = range(0, 60, 2)
"""Seeds with which the sources end, so that whatever waits for later events gets them."""


@pytest.mark.parametrize(
    ("window", "enough", "short"),
    [
        ((-3, 2), [(3, 5), (4, 4)], [(3, 4)]),
        ((4, 6), [(7, 1), (8, 0)], [(6, 1), (7, 0)]),
        ((-5, -3), [(0, 7), (1, 6)], [(0, 6), (1, 5)]),
    ],
)
def test_the_slack_of_a_self_join_is_one_entry_on_either_side(
    window: tuple[int, int], enough: list[tuple[int, int]], short: list[tuple[int, int]]
) -> None:
    assert not any(blocks(*window, sizes, range(20)) for sizes in enough)
    assert all(blocks(*window, sizes, range(200)) for sizes in short)


@pytest.mark.parametrize(
    ("window", "enough", "short"),
    [((-3, 2), (2, 6), (2, 5)), ((4, 6), (5, 1), (4, 1)), ((-5, -3), (1, 4), (1, 3))],
)
def test_waiting_for_later_events_saves_two_entries_of_one_side(
    window: tuple[int, int], enough: tuple[int, int], short: tuple[int, int]
) -> None:
    """The three slots between entry and node let the other side read ahead; events then wait for later ones."""
    assert not blocks(*window, enough, ENDING)
    assert blocks(*window, short, range(0, 400, 2))


# --- Any program -----------------------------------------------------------------------------------------------------


@st.composite
def deployed(draw: st.DrawFn) -> tuple[core.Program, Deployment]:
    """A program and a deployment of one or two sources for each template, slow enough for small sizes."""
    program = draw(programs(ProgramShape(patterns=3, rules=2, greatest_distance=4, least_distance=-4)))
    late = draw(st.integers(0, 2))
    senders = []
    for name in ("s", "t")[: draw(st.integers(1, 2))]:
        emits = []
        for template in EXTERNAL:
            if name == "s" or draw(st.booleans()):
                emits.append(Emits(template, Rate(draw(st.integers(1, 2)), draw(st.integers(1, 4)))))
        if emits:
            senders.append(Source(name, tuple(emits), late))
    return program, Deployment(tuple(senders))


@settings(max_examples=20)
@given(deployed(), st.integers(0, 2**16))
def test_any_program_runs_within_its_bounds(case: tuple[core.Program, Deployment], seed: int) -> None:
    program, deployment = case
    report = bounds(program, deployment)
    bare = skeleton(program)
    arrivals = worst_arrivals(bare, deployment, seed, 5, together=not report.any_schedule)
    if not report.bounded:
        return
    expected = run(bare, deployment, arrivals, UNBOUNDED, RoundRobin()).matches
    for schedule in schedules(seed) if report.any_schedule else (RoundRobin(),):
        outcome = run(bare, deployment, arrivals, report.capacities(), schedule)
        assert (outcome.matches, outcome.blocked) == (expected, None)
