"""Measure which case kills each mutant, and record it: `python -m parte.conformance.mutants [JOBS [LANGUAGE]]`."""

from __future__ import annotations

import sys

from parte.conformance.kit import KIT
from parte.conformance.mutants.files import write_killers
from parte.conformance.mutants.killing import outcomes
from parte.languages.registry import language_called, languages


def main(arguments: list[str]) -> int:
    """Run the suites on every mutant, or on those of one language, and record the killers. Return 1 if a result is
    unexpected."""
    faults = 0
    jobs = int(arguments[0]) if arguments else 1
    for language in (language_called(arguments[1]),) if len(arguments) > 1 else languages():
        killers: dict[str, str] = {}
        for outcome in outcomes(language[KIT].mutants(), language[KIT].suite, language, jobs=jobs):
            if outcome.killed:
                killers[outcome.mutant.name] = outcome.killer
            if outcome.fault:
                faults += 1
                print(outcome.fault, file=sys.stderr)
        write_killers(language[KIT].killers, killers)
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
