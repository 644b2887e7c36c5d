"""The defects of E: each counterexample shows what is said of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from parte.languages.etalis.conformance.defect_runs import reversed_models, stored_goals
from parte.languages.etalis.conformance.defects import Defect, defects
from parte.languages.etalis.semantics.published.machine import POLICIES
from parte.languages.etalis.semantics.published.repairs import SOUND
from parte.languages.etalis.semantics.syntax.streams import Instant


def test_they_are_numbered_as_the_specification_cites_them() -> None:
    assert list(dict.fromkeys(defect.number for defect in defects())) == list(range(1, 34))


@pytest.mark.parametrize("defect", defects(), ids=lambda defect: f"{defect.number} {defect.where}")
def test_a_counterexample_shows_what_is_said(defect: Defect) -> None:
    assert defect.sound() == defect.right
    assert defect.defined() == defect.right
    assert defect.printed_result() == (defect.stated or defect.printed)
    assert defect.printed_result() != defect.right


@pytest.mark.parametrize(
    "defect",
    [defect for defect in defects() if defect.repair and defect.policy in POLICIES],
    ids=lambda defect: defect.repair,
)
def test_the_clauses_of_the_source_with_all_repairs_do_what_is_right(defect: Defect) -> None:
    assert defect.repaired() == defect.right


def test_every_repair_has_a_defect() -> None:
    assert {defect.repair for defect in defects() if defect.repair} == SOUND.repairs


def test_what_shows_a_defect_is_said_once() -> None:
    with pytest.raises(ValueError, match="defect 1: "):
        replace(defects()[0], repair="unique")


def test_the_machine_keeps_no_more_of_what_is_absent_in_a_longer_stream() -> None:
    (defect,) = (defect for defect in defects() if defect.number == 31)
    goal_counts = [stored_goals(*defect.read, times) for times in (10, 100)]
    assert [theirs for theirs, _ in goal_counts] == [30, 300]
    assert all(ours <= 32 for _, ours in goal_counts)


def test_only_few_interpretations_are_looked_at() -> None:
    (defect, *_) = defects()
    program, _ = defect.read
    with pytest.raises(ValueError, match="at most 12 events"):
        reversed_models(program, [Instant(time, frozenset()) for time in range(6)])
