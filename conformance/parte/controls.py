"""What the lemmas are held against: their own controls, and the mutants of the suite.

`python -m parte.conformance.parte.controls [JOBS]` measures which lemma tells each, and writes it down.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

from parte.conformance.parte.mutants import mutants
from parte.proofs.controls import Control, findings
from parte.proofs.parte.controls import TOLD, controls, find, told_by
from parte.semantics.events.files import write_whole


def every() -> tuple[Control, ...]:
    """The controls, and each mutant of the suite as one."""
    told = told_by()
    return (
        *controls(),
        *(
            Control(one.name, one.edits, one.without, case=one.killer, told_by=told.get(one.name, ""))
            for one in mutants()
        ),
    )


def main(arguments: Sequence[str]) -> int:
    """Let the lemmas tell every control, and write down which did; 1 if some result is not as it should be.

    Of what is not reached when it is interrupted, what was known remains.
    """
    faults = 0
    asked = every()
    found = {control.name: control.told_by for control in asked}
    try:
        for finding in findings(asked, find, jobs=int(arguments[0]) if arguments else 1):
            found[finding.control.name] = finding.lemma
            if finding.fault:
                faults += 1
                print(finding.fault, file=sys.stderr)
    finally:
        told = {name: lemma for name, lemma in found.items() if lemma}
        write_whole(TOLD, json.dumps(told, indent=1) + "\n")
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
