"""The defects of L: each counterexample shows what is said of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from parte.languages.lead.conformance.defects import Defect, defects
from parte.languages.lead.semantics.repairs import SOUND

ROOT = Path(__file__).resolve().parents[4]


def test_they_are_numbered_as_the_specification_cites_them() -> None:
    assert [defect.number for defect in defects()] == list(range(1, 39))


@pytest.mark.parametrize(
    "defect", [defect for defect in defects() if not defect.elsewhere], ids=lambda defect: str(defect.number)
)
def test_a_counterexample_shows_what_is_said(defect: Defect) -> None:
    assert defect.results() == (defect.right, defect.wrong)
    assert defect.right != defect.wrong


def test_every_repair_has_a_defect() -> None:
    assert {defect.repair for defect in defects() if defect.repair} == SOUND.repairs


def test_what_is_shown_elsewhere_is_there() -> None:
    for defect in defects():
        for word in defect.elsewhere.replace("(", " ").replace(")", " ").replace(";", " ").split():
            assert "/" not in word or (ROOT / word).is_file(), word
