"""The wrong definitions that the lemmas of a language are tested with: its own controls, and the mutants of the suite.

`python -m parte.conformance.controls [JOBS [LANGUAGE...]]` measures which lemma rejects each, and records it.
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
    """Return the controls of a language, and each mutant of its suite as one. None for a language without controls."""
    if not language.has(CONTROLS):
        return ()
    subject = language[CONTROLS]
    recorded = subject.detections
    return (
        *subject.controls,
        *(
            Control(
                mutant.name,
                mutant.edits,
                mutant.without,
                case=mutant.killer or mutant.survives,
                detected=recorded.get(mutant.name),
            )
            for mutant in language[KIT].mutants()
        ),
    )


def find(name: str, control: Control, *, among: Iterable[str] = (), timeout: float = TIMEOUT) -> Finding:
    """Return the lemma of a language that rejects a control (`parte.proofs.controls.find`)."""
    return controls.find(_subject(name), control, among=among, timeout=timeout)


def _subject(name: str) -> Subject:
    return language_called(name)[CONTROLS]


def measure(language: Language, jobs: int) -> int:
    """Run the lemmas on every control, record which lemma rejects it, and return the number of unexpected results.

    Controls that are not reached before an interruption keep their recorded lemma.
    """
    faults = 0
    tested = every(language)
    detections = {control.name: control.detected for control in tested}
    try:
        for finding in findings(tested, partial(find, language.name), jobs=jobs):
            detections[finding.control.name] = finding.detection
            if finding.fault:
                faults += 1
                print(finding.fault, file=sys.stderr)
    finally:
        if tested:
            _subject(language.name).record({name: detection for name, detection in detections.items() if detection})
    return faults


def main(arguments: Sequence[str]) -> int:
    """Measure the controls of the named languages, or of every language."""
    jobs, names = (int(arguments[0]), arguments[1:]) if arguments else (1, ())
    chosen = [language_called(name) for name in names] or languages()
    return int(sum(measure(language, jobs) for language in chosen) > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
