"""The page of controls: the faults with which the proofs are tested, and the lemma that detects each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from parte.conformance.controls import every
from parte.languages.language import Language
from parte.languages.registry import languages
from parte.proofs.controls import Control
from parte.proofs.facets import CONTROLS

Table = Callable[[Sequence[str], Iterable[Sequence[str]]], str]


def controls_page(table: Table) -> str:
    """Return the tables of the page, from the recorded results; a test repeats the measurement."""
    return "\n".join(_of(language, table) for language in languages() if language.has(CONTROLS))


def _of(language: Language, table: Table) -> str:
    controls = every(language)
    own = [control for control in controls if not control.case]
    mutants = [control for control in controls if control.case]
    beyond = [control for control in own if not control.detected_by]
    return (
        f"## {language.name}\n\n"
        f"Of {len(own)} faults that were invented for this purpose, {len(own) - len(beyond)} are detected by a lemma; "
        f"of the {len(mutants)} mutants of the suite, {sum(bool(c.detected_by) for c in mutants)} are. Of the "
        "others no lemma is known that detects them; tests and cases of the suite do.\n\n"
        + table(
            ("", "refuted", "not decidable in this form", "told only by tests"),
            [("faults invented", *_counted(own)), ("mutants of the suite", *_counted(mutants))],
        )
        + "\n"
        "### Told only by tests\n\n"
        + table(
            ("control", "changes", "why no lemma detects it"), [(f"`{c.name}`", _place(c), c.reason) for c in beyond]
        )
        + "\n### Told by a lemma\n\n"
        + table(("control", "changes", "lemma"), [_told(control) for control in own if control.detected_by])
        + "\n### Mutants of the suite\n\n"
        + table(("mutant", "lemma", "case of the suite"), [_mutant(control) for control in mutants])
    )


def _counted(controls: Sequence[Control]) -> Sequence[str]:
    detections = [control.detected for control in controls]
    refuted = sum(detection is not None and detection.refuted for detection in detections)
    beyond = detections.count(None)
    return str(refuted), str(len(detections) - refuted - beyond), str(beyond)


def _told(control: Control) -> Sequence[str]:
    return f"`{control.name}`", _place(control), _lemma(control)


def _mutant(control: Control) -> Sequence[str]:
    return f"`{control.name}`", _lemma(control), f"`{control.case}`"


def _lemma(control: Control) -> str:
    if control.detected is None:
        return "tests only"
    return f"`{control.detected.lemma}`" + ("" if control.detected.refuted else ", not decidable")


def _place(control: Control) -> str:
    places = dict.fromkeys(f"`{edit.place.removeprefix('parte.')}`" for edit in control.edits)
    return ", ".join([*places, *(f"without `{name}`" for name in control.without)])
