"""The page of controls: the faults that the proofs are held against, and the lemma that tells each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from parte.conformance.controls import every
from parte.conformance.languages import AnyLanguage, languages
from parte.proofs.controls import Control

Table = Callable[[Sequence[str], Iterable[Sequence[str]]], str]


def controls_page(notice: str, table: Table) -> str:
    """The page, with tables as the other pages have them. Which lemma tells what was measured; a test repeats it."""
    return (
        f"# Controls of the proofs\n\n{notice}\n\n"
        "Faults of one line each in the code that the lemmas are about. A lemma tells a fault if it holds of the code "
        "as it is and does not hold with the fault in it. `parte prove --controls` puts them to the lemmas again.\n\n"
        + "\n".join(_of(language, table) for language in languages() if language.controls is not None)
    )


def _of(language: AnyLanguage, table: Table) -> str:
    controls = every(language)
    own = [control for control in controls if not control.case]
    mutants = [control for control in controls if control.case]
    beyond = [control for control in own if not control.told_by]
    return (
        f"## {language.name}\n\n"
        f"Of {len(own)} faults that were thought of for this purpose, {len(own) - len(beyond)} are told by a lemma; "
        f"of the {len(mutants)} mutants of the suite, {sum(bool(one.told_by) for one in mutants)} are. Of the "
        "others no lemma is known that tells them; tests and cases of the suite do.\n\n"
        "### Told only by tests\n\n"
        + table(("control", "changes", "why no lemma tells it"), [(f"`{c.name}`", _place(c), c.reason) for c in beyond])
        + "\n### Told by a lemma\n\n"
        + table(("control", "changes", "lemma"), [_told(control) for control in own if control.told_by])
        + "\n### Mutants of the suite\n\n"
        + table(("mutant", "lemma", "case of the suite"), [_mutant(control) for control in mutants])
    )


def _told(control: Control) -> Sequence[str]:
    return f"`{control.name}`", _place(control), f"`{control.told_by}`"


def _mutant(control: Control) -> Sequence[str]:
    return f"`{control.name}`", f"`{control.told_by}`" if control.told_by else "tests only", f"`{control.case}`"


def _place(control: Control) -> str:
    places = dict.fromkeys(f"`{edit.place.removeprefix('parte.')}`" for edit in control.edits)
    return ", ".join([*places, *(f"without `{name}`" for name in control.without)])
