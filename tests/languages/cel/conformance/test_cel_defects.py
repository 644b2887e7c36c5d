"""The defects of T: each counterexample shows what is said of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from parte.languages.cel.conformance.defects import Defect, defects
from parte.languages.cel.semantics.repairs import SOUND


def test_they_are_numbered_as_the_specification_cites_them() -> None:
    assert [defect.number for defect in defects()] == list(range(1, 35))


@pytest.mark.parametrize("defect", defects(), ids=lambda defect: str(defect.number))
def test_a_counterexample_shows_what_is_said(defect: Defect) -> None:
    assert defect.counts() == (defect.right, defect.stated or defect.wrong)
    assert defect.right != (defect.stated or defect.wrong)


def test_every_repair_has_a_defect() -> None:
    assert {defect.repair for defect in defects() if defect.repair} == SOUND.repairs


def test_what_shows_a_defect_is_said_once() -> None:
    first = defects()[0]
    for changes in (
        {"repair": ""},
        {"stated": (1,)},
        {"measure": "hours"},
        {"repair": "", "stated": (1,), "wrong": (2,)},
    ):
        with pytest.raises(ValueError, match="defect 1: "):
            replace(first, **changes)
