"""Measures which case tells each mutant, and writes it down: `python -m conformance.mutants [JOBS]`."""

from __future__ import annotations

import json
import sys

from conformance.fixtures import SUITE
from conformance.mutants.killing import KILLERS, outcomes
from conformance.mutants.registry import MUTANTS


def main(arguments: list[str]) -> int:
    """Put the suite to every mutant, and write down what told it first; 1 if some result is not as it should be."""
    found: dict[str, str] = {}
    faults = 0
    for outcome in outcomes(MUTANTS, SUITE, jobs=int(arguments[0]) if arguments else 1):
        if outcome.killed:
            found[outcome.mutant.name] = outcome.killer
        if outcome.fault:
            faults += 1
            print(outcome.fault, file=sys.stderr)
    KILLERS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
