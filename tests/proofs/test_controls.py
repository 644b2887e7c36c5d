"""Every control of the proofs is detected by the recorded lemma, or says why only tests detect it."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from ctypes import ArgumentError
from dataclasses import replace
from importlib import import_module
from types import SimpleNamespace
from typing import NoReturn

import pytest
from typer.testing import CliRunner

from parte.checker.solver.verdict import Verdict
from parte.cli import app
from parte.commands.controls import SAMPLE, sample
from parte.conformance.controls import every, find
from parte.languages.registry import languages
from parte.proofs.controls import Control, Finding, Subject
from parte.proofs.facets import CONTROLS, LEMMAS
from parte.proofs.lemma import SOUND
from parte.proofs.mutation import Edit, NoSuchLine
from tests.guests import modules
from tests.sampling import WHOLE, sampled

SUBJECTS: dict[str, Subject] = {language.name: language[CONTROLS] for language in languages() if language.has(CONTROLS)}
EVERY = {language.name: every(language) for language in languages()}
TOLD = {name: [control for control in controls if control.detected_by] for name, controls in EVERY.items()}
UNTOLD = {name: [control for control in controls if not control.detected_by] for name, controls in EVERY.items()}
OWN = [(name, control) for name, subject in SUBJECTS.items() for control in subject.controls]
FIRST = TOLD["PARTElang"][0]
SAMPLED = 32
"""`make test` decides one of so many controls again that a lemma tells, `make test-all` two, `make test-whole` all."""


def test_every_language_with_lemmas_has_controls() -> None:
    assert set(SUBJECTS) == {language.name for language in languages() if language.has(LEMMAS)}


@pytest.mark.parametrize(
    ("name", "control"),
    [
        pytest.param(
            name, control, id=f"{name}-{control.name}", marks=sampled(number, usual=SAMPLED // 2, quick=SAMPLED)
        )
        for name, controls in TOLD.items()
        for number, control in enumerate(controls)
    ],
)
def test_the_recorded_lemma_tells_the_control(name: str, control: Control) -> None:
    finding = find(name, control)
    assert (finding.detection, finding.tried, finding.fault) == (control.detected, 1, "")
    assert finding.how


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("name", "control"),
    [
        # In one process, which finds out once what each lemma of the language runs: that takes minutes, so only
        # `make test-whole` does it, but for the language with the fewest lemmas.
        pytest.param(
            name,
            control,
            id=f"{name}-{control.name}",
            marks=(pytest.mark.xdist_group(f"untold {name}"), *(() if name == "CEL" else WHOLE)),
        )
        for name, untold in UNTOLD.items()
        for control in untold
        if control.reason  # each mutant of a suite takes minutes: `parte prove --controls --all` asks about these
    ],
)
def test_no_lemma_tells_a_control_with_a_reason_why_none_does(name: str, control: Control) -> None:
    finding = find(name, control)
    assert (finding.lemma, finding.fault) == ("", "")


@pytest.mark.parametrize("name", SUBJECTS)
def test_each_control_is_detected_by_a_lemma_or_says_why_not(name: str) -> None:
    names = {control.name for control in EVERY[name]}
    assert len(names) == len(EVERY[name])
    assert SUBJECTS[name].detections.keys() <= names
    for control in SUBJECTS[name].controls:
        assert bool(control.detected_by) is not bool(control.reason), control.name


@pytest.mark.parametrize(
    "control", [control for _, control in OWN], ids=[f"{name}-{control.name}" for name, control in OWN]
)
def test_a_control_fits_the_code(control: Control) -> None:
    for edit in control.edits:
        text = inspect.getsource(import_module(edit.module))
        assert edit.applied(text) != text


HARMLESS: dict[str, list[Edit]] = {
    "PARTElang": [
        Edit("parte.semantics.rulebook.connectives:greater", "the greater of", "the larger of"),
        Edit("parte.semantics.partelang.histories:PlainHistory", "An immutable history", "A history that is immutable"),
        Edit("parte.semantics.partelang.compilation:windows_of", "its distances", "the distances"),
    ],
    **{module.LANGUAGE: module.HARMLESS for module in modules("proofs/harmless")},
}
"""Changes of comments, in modules that nearly all lemmas need, so that nearly all code runs in copies."""


def _harmless() -> Iterator[object]:
    for name, edits in HARMLESS.items():
        held = [lemma.id for lemma in SUBJECTS[name].catalogue.lemmas if lemma.expected.get(SOUND) is Verdict.PROVED]
        for edit in edits:
            for number, lemma in enumerate(held):
                if number % (4 if edit is edits[0] else 24) == 0:
                    marks = sampled(number, usual=24, quick=72)
                    yield pytest.param(name, edit, lemma, id=f"{edit.module}-{lemma}", marks=marks)


@pytest.mark.parametrize(("name", "edit", "lemma"), list(_harmless()))
def test_a_harmless_change_is_detected_by_no_lemma(name: str, edit: Edit, lemma: str) -> None:
    assert find(name, Control("harmless", (edit,)), among=(lemma,)).lemma == ""


def test_a_control_whose_line_is_gone_is_refused() -> None:
    gone = Control("gone", (Edit("parte.semantics.partelang.kernel:is_stale", "no such line", ""),))
    with pytest.raises(NoSuchLine):
        find("PARTElang", gone, among=("kernel-shifted",))


def test_what_is_wrong_with_a_control_is_said() -> None:
    finding = find("PARTElang", replace(FIRST, reason="it is thought to be beyond the lemmas"))
    assert finding.fault == (
        f"{FIRST.name} is detected by {FIRST.detected_by}, though only tests should detect it: "
        "it is thought to be beyond the lemmas"
    )
    assert replace(finding, lemma="").fault == (
        f"{FIRST.name} is detected by no lemma, though {FIRST.detected_by} is recorded to detect it"
    )
    nothing = Control("harmless", (Edit("parte.semantics.partelang.kernel:Nothing", "", ""),))
    assert (
        replace(finding, control=nothing, lemma="").fault == "harmless is detected by no lemma, and no reason is stated"
    )
    assert replace(finding, control=replace(nothing, reason="it changes nothing"), lemma="").fault == ""


# --- The command ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SUBJECTS)
def test_the_command_shows_what_tells_a_control(name: str) -> None:
    first = TOLD[name][0]
    result = CliRunner().invoke(app, ["prove", "--language", name, "--controls", first.name, "--json"])
    assert result.exit_code == 0
    (record,) = json.loads(result.stdout)
    assert (record["control"], record["detected_by"], record["tried"]) == (first.name, first.detected_by, 1)
    printed = CliRunner().invoke(app, ["prove", "--language", name, "--controls", first.name])
    assert "1 of 1 controls are detected by a lemma" in printed.stdout


@pytest.mark.parametrize("name", SUBJECTS)
def test_a_sample_spans_the_controls_that_a_lemma_tells(name: str) -> None:
    sampled = sample(EVERY[name])
    assert len(sampled) == SAMPLE
    assert [TOLD[name].index(control) for control in sampled] == [
        number * len(TOLD[name]) // SAMPLE for number in range(SAMPLE)
    ]


@pytest.mark.parametrize("name", SUBJECTS)
def test_the_command_puts_a_sample_or_all_controls_to_the_lemmas(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parte.commands.controls.find", _recorded)
    result = CliRunner().invoke(app, ["prove", "--language", name, "--controls"])
    assert result.exit_code == 0
    assert f"{SAMPLE} of {SAMPLE} controls are detected by a lemma" in result.stdout
    assert f"This is a sample of {len(EVERY[name])} controls; --all puts every one to the lemmas." in result.stdout
    result = CliRunner().invoke(app, ["prove", "--language", name, "--controls", "--all", "--json"])
    assert result.exit_code == 0
    assert [record["control"] for record in json.loads(result.stdout)] == [control.name for control in EVERY[name]]


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["--all"], "goes with --controls"),
        (["--controls", "--all", FIRST.name], "does not go with the names of controls"),
    ],
)
@pytest.mark.parametrize("name", SUBJECTS)
def test_all_goes_with_controls_and_without_names(name: str, arguments: list[str], hint: str) -> None:
    result = CliRunner().invoke(app, ["prove", "--language", name, *arguments])
    assert result.exit_code == 2
    assert hint in " ".join(result.stderr.replace("│", " ").split())


@pytest.mark.parametrize("form", [[], ["--json"]], ids=["text", "json"])
def test_an_interrupted_command_prints_what_it_found(form: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted_at_the_third(name: str, control: Control, *, timeout: float) -> Finding:
        if control == sample(EVERY["PARTElang"])[2]:
            raise KeyboardInterrupt
        return _recorded(name, control, timeout=timeout)

    monkeypatch.setattr("parte.commands.controls.find", interrupted_at_the_third)
    result = CliRunner().invoke(app, ["prove", "--controls", *form])
    assert result.exit_code == 130
    if form:
        assert [record["control"] for record in json.loads(result.stdout)] == [
            control.name for control in sample(EVERY["PARTElang"])[:2]
        ]
    else:
        detected = "2 of 2 controls are detected by a lemma (0 refuted, 2 not in a form that can be decided)"
        assert f"{detected}, 0 by tests only; {SAMPLE - 2} were not reached" in result.stdout


def _recorded(name: str, control: Control, *, timeout: float) -> Finding:
    """What is recorded of a control, without asking a lemma."""
    del name, timeout
    return Finding(control, control.detected_by, "it is recorded" if control.detected_by else "", 1, 0.0)


def test_an_interruption_that_ctypes_wraps_is_none_of_the_lemma(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> NoReturn:
        raise ArgumentError("argument 1: KeyboardInterrupt: ")

    module = SimpleNamespace(CATALOGUE=SUBJECTS["PARTElang"].catalogue, decide=interrupted)
    monkeypatch.setattr("parte.proofs.controls.edited", lambda *_: SimpleNamespace(module=lambda _: module))
    with pytest.raises(KeyboardInterrupt):
        find("PARTElang", FIRST)


def test_an_unknown_control() -> None:
    result = CliRunner().invoke(app, ["prove", "--controls", "no-such-control"])
    assert result.exit_code == 2
    assert "docs/controls.md" in result.stderr


@pytest.mark.parametrize(("after", "refuted"), [("return min(bounds)", False), ("return lowest(bounds) + 1", True)])
def test_code_that_cannot_be_decided_is_not_counted_as_refuted(after: str, refuted: bool) -> None:
    """`min` means the same as `lowest`, but does not run on bounds of any number of sources."""
    edit = Edit("parte.semantics.partelang.kernel:entry_bound", "return lowest(bounds)", after)
    result = find("PARTElang", Control("rewritten", (edit,)), among=("bounds-ENTRY",))
    assert (result.lemma, result.refuted) == ("bounds-ENTRY", refuted)
