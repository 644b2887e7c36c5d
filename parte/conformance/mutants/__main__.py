"""Measure which case tells each mutant, and write it down: `python -m parte.conformance.mutants [JOBS [LANGUAGE]]`."""

from __future__ import annotations

import sys

from parte.conformance.kit import KIT
from parte.conformance.mutants.files import write_killers
from parte.conformance.mutants.killing import outcomes
from parte.languages.registry import language_called, languages


def main(arguments: list[str]) -> int:
    """Put the suites to every mutant, or those of one language, and write down what told it first; 1 if some result is
    not as it should be."""
    faults = 0
    jobs = int(arguments[0]) if arguments else 1
    for language in (language_called(arguments[1]),) if len(arguments) > 1 else languages():
        found: dict[str, str] = {}
        for outcome in outcomes(language[KIT].mutants(), language[KIT].suite, language, jobs=jobs):
            if outcome.killed:
                found[outcome.mutant.name] = outcome.killer
            if outcome.fault:
                faults += 1
                print(outcome.fault, file=sys.stderr)
        write_killers(language[KIT].killers, found)
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
