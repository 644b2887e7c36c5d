"""Every control of the proofs is told by the lemma that is recorded, or says why tests alone tell it."""

from __future__ import annotations

import inspect
import json
from dataclasses import replace
from importlib import import_module

import pytest
from typer.testing import CliRunner

from parte.checker.solver.verdict import Verdict
from parte.cli import app
from parte.conformance.parte.controls import every
from parte.proofs.controls import Control
from parte.proofs.lemma import SOUND
from parte.proofs.mutation import Edit, NoSuchLine
from parte.proofs.parte.catalogue import CATALOGUE
from parte.proofs.parte.controls import controls, find, told_by

EVERY = every()
TOLD = [control for control in EVERY if control.told_by]
WITH_CONTROLS = [
    pytest.param(control, id=control.name, marks=[pytest.mark.exhaustive] * bool(number % 16))
    for number, control in enumerate(TOLD)
]


@pytest.mark.parametrize("control", WITH_CONTROLS)
def test_the_recorded_lemma_tells_the_control(control: Control) -> None:
    finding = find(control)
    assert (finding.lemma, finding.tried) == (control.told_by, 1)
    assert finding.how


def test_each_control_is_told_by_a_lemma_or_says_why_not() -> None:
    assert len({control.name for control in EVERY}) == len(EVERY)
    assert told_by().keys() <= {control.name for control in EVERY}
    for control in controls():
        assert bool(control.told_by) is not bool(control.reason), control.name


@pytest.mark.parametrize("control", controls(), ids=lambda one: one.name)
def test_a_control_fits_the_code(control: Control) -> None:
    for edit in control.edits:
        text = inspect.getsource(import_module(edit.module))
        assert edit.applied(text) != text


HARMLESS = [
    Edit("parte.semantics.rulebook.connectives:greater", "The greater of", "The larger of"),
    Edit("parte.semantics.parte.histories:PlainHistory", "An immutable history", "A history that is immutable"),
    Edit("parte.semantics.parte.compilation:windows_of", "its distances", "the distances"),
]
"""Changes of comments, in modules that nearly all lemmas need, so that nearly all code runs in copies."""


HELD = [lemma.id for lemma in CATALOGUE.lemmas if lemma.expected.get(SOUND) is Verdict.PROVED]


@pytest.mark.parametrize(
    ("edit", "lemma"),
    [
        pytest.param(edit, lemma, id=f"{edit.module}-{lemma}", marks=[pytest.mark.exhaustive] * bool(number % 12))
        for edit in HARMLESS
        for number, lemma in enumerate(HELD)
        if edit is HARMLESS[0] or number % 12 == 0
    ],
)
def test_a_harmless_change_is_told_by_no_lemma(edit: Edit, lemma: str) -> None:
    assert find(Control("harmless", (edit,)), among=(lemma,)).lemma == ""


def test_a_control_whose_line_is_gone_is_refused() -> None:
    with pytest.raises(NoSuchLine):
        find(Control("gone", (Edit("parte.semantics.parte.kernel:is_stale", "no such line", ""),)), among=HELD[:1])


def test_what_is_wrong_with_a_control_is_said() -> None:
    told = find(replace(TOLD[0], reason="it is thought to be beyond the lemmas"))
    assert told.fault == (
        f"{TOLD[0].name} is told by {TOLD[0].told_by}, though only tests are to tell it: "
        "it is thought to be beyond the lemmas"
    )
    nothing = Control("harmless", (Edit("parte.semantics.parte.kernel:Nothing", "", ""),))
    assert replace(told, control=nothing, lemma="").fault == "harmless is told by no lemma, and no reason is stated"
    assert replace(told, control=replace(nothing, reason="it changes nothing"), lemma="").fault == ""


# --- The command ------------------------------------------------------------------------------------------------------


def test_the_command_shows_what_tells_a_control() -> None:
    result = CliRunner().invoke(app, ["prove", "--controls", TOLD[0].name, "--json"])
    assert result.exit_code == 0
    (record,) = json.loads(result.stdout)
    assert (record["control"], record["told_by"], record["tried"]) == (TOLD[0].name, TOLD[0].told_by, 1)
    shown = CliRunner().invoke(app, ["prove", "--controls", TOLD[0].name])
    assert "1 of 1 controls are told by a lemma" in shown.stdout


def test_an_unknown_control() -> None:
    result = CliRunner().invoke(app, ["prove", "--controls", "no-such-control"])
    assert result.exit_code == 2
    assert "docs/controls.md" in result.stderr
