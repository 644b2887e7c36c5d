"""The catalogue: `sound` at viable sizes under every schedule."""

from __future__ import annotations

import pytest

from parte.checker.partelang.bounds.bounds import bounds
from parte.proofs.partelang.exploration.catalogue import CATALOGUE, Entry
from parte.proofs.partelang.exploration.explore import explore
from parte.semantics.partelang.capacities import Capacities, NodeCapacities

EACH = pytest.mark.parametrize("entry", CATALOGUE, ids=lambda entry: entry.name)


@EACH
def test_sound_is_confluent_right_and_never_blocked(entry: Entry) -> None:
    result = entry.explore()
    assert not result.truncated
    assert result.confluent
    assert result.blocked is None
    assert result.agrees
    assert result.expected, "an entry without a match shows little"
    assert result.correct


@EACH
def test_the_sizes_are_viable_under_every_schedule_and_are_kept(entry: Entry) -> None:
    """The checker says so, and what it calls a size is what the exploration measures."""
    report = bounds(entry.program, entry.deployment)
    assert report.any_schedule
    result = entry.explore()
    assert result.boxes_exact
    for held in result.held:
        for store, size in held.occupancy._asdict().items():
            if store in ("inbox", "outbox") or held.node.startswith(("join:", "not:")):
                assert size <= (report.size(held.node, store).viable or 0)


SMALL = 15_000
"""States up to which the unreduced search is made here too."""


LARGE = {
    "three in a row",
    "negation before a join",
    "negation after a join",
    "two strata",
    "two strata with negation",
    "two sources",
    "two sources and negation",
}
"""The entries with more states than that; `python -m benchmarks.exploration` counts them."""


@pytest.mark.parametrize("entry", [entry for entry in CATALOGUE if entry.name in LARGE], ids=lambda entry: entry.name)
def test_what_is_called_large_is(entry: Entry) -> None:
    assert entry.explore(max_states=SMALL, reduce=False).truncated


@pytest.mark.parametrize(
    "entry", [entry for entry in CATALOGUE if entry.name not in LARGE], ids=lambda entry: entry.name
)
def test_the_unreduced_search_finds_the_same(entry: Entry) -> None:
    whole = entry.explore(max_states=SMALL, reduce=False)
    assert not whole.truncated
    part = entry.explore()
    assert (part.finals, part.held, part.boxes_exact) == (whole.finals, whole.held, True)
    assert [retraced.outcome.matches for retraced in part.outcomes] == [
        retraced.outcome.matches for retraced in whole.outcomes
    ]
    assert (part.blocked is None) == (whole.blocked is None)
    assert len(part.outcomes[0].path) == len(whole.outcomes[0].path)
    assert part.states < whole.states / 10


def test_the_catalogue_has_every_kind() -> None:
    rules = [rule for entry in CATALOGUE for rule in entry.program.rules]
    constraints = [constraint for rule in rules for constraint in rule.constraints]
    assert {(constraint.begins > 0) - (constraint.begins < 0) for constraint in constraints} == {-1, 0, 1}
    assert any(len({p.template for p in rule.patterns}) < len(rule.patterns) for rule in rules), "self-joins"
    orders = {tuple(pattern.negated for pattern in rule.patterns) for rule in rules}
    assert {(False, True, False), (False, False, True), (False, True)} <= orders, "negation before and after joins"
    assert any(len(list(entry.program.rules_by_stratum())) > 1 for entry in CATALOGUE), "strata"
    assert any(len(entry.deployment.sources) > 1 for entry in CATALOGUE), "sources"
    assert len({entry.name for entry in CATALOGUE}) == len(CATALOGUE)


def test_without_room_for_what_must_be_kept_a_blocked_state_is_found() -> None:
    (entry,) = (entry for entry in CATALOGUE if entry.name == "self-join later")
    capacities = entry.capacities
    tight = Capacities(capacities.default, dict(capacities.nodes) | {"join:R.b": NodeCapacities(1, 1, 1, 1)})
    result = explore(entry.scenario, capacities=tight)
    assert result.blocked is not None
    assert not result.correct
