"""What the lemmas of a language are held against: their own controls, and the mutants of the suite.

`python -m parte.conformance.controls [JOBS]` measures which lemma tells each, and writes it down.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from functools import partial

from parte.checker.solver.problems import TIMEOUT
from parte.conformance.kit import KIT
from parte.languages.language import Language
from parte.languages.registry import language_called, languages
from parte.proofs import controls
from parte.proofs.controls import Control, Finding, Subject, findings
from parte.proofs.facets import CONTROLS


def every(language: Language) -> tuple[Control, ...]:
    """The controls of a language, and each mutant of its suite as one. None for a language without controls."""
    if not language.has(CONTROLS):
        return ()
    subject = language[CONTROLS]
    told = subject.told
    return (
        *subject.controls,
        *(
            Control(one.name, one.edits, one.without, case=one.killer or one.survives, told_by=told.get(one.name, ""))
            for one in language[KIT].mutants()
        ),
    )


def find(name: str, control: Control, *, among: Iterable[str] = (), timeout: float = TIMEOUT) -> Finding:
    """The lemma of a language that tells a control (`parte.proofs.controls.find`)."""
    return controls.find(_subject(name), control, among=among, timeout=timeout)


def _subject(name: str) -> Subject:
    return language_called(name)[CONTROLS]


def measure(language: Language, jobs: int) -> int:
    """Let the lemmas tell every control, and write down which did; how many results are not as they should be.

    Of what is not reached when it is interrupted, what was known remains.
    """
    faults = 0
    asked = every(language)
    found = {control.name: control.told_by for control in asked}
    try:
        for finding in findings(asked, partial(find, language.name), jobs=jobs):
            found[finding.control.name] = finding.lemma
            if finding.fault:
                faults += 1
                print(finding.fault, file=sys.stderr)
    finally:
        if asked:
            _subject(language.name).record({name: lemma for name, lemma in found.items() if lemma})
    return faults


def main(arguments: Sequence[str]) -> int:
    """Measure the controls of every language."""
    jobs = int(arguments[0]) if arguments else 1
    return int(sum(measure(language, jobs) for language in languages()) > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
