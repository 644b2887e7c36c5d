"""Speed of the fuzzer: `python -m benchmarks.fuzzing`.

Cases a second against engines in this process without faults: draw a case, run the algebra, run the engine, compare.
`matching` cases are those in which there is a match to find.
"""

from __future__ import annotations

import sys
import time

from benchmarks.measuring import show
from parte.conformance.fuzz.campaign import Limits, fuzz
from parte.conformance.kit import KIT
from parte.conformance.runner.running import Settings
from parte.conformance.runner.specs import spec_of
from parte.languages.partelang import PARTELANG

CASES = 4_000
WANTED = 200
SMALLEST = ("20",)


def main(cases: int = CASES) -> None:
    """Print the table, of so many cases. Processor time does not depend on the other load of the machine."""
    rows = []
    for name in ("sound", "indexed", "algebra"):
        before = time.process_time()
        spec = spec_of(f"model:{name}", PARTELANG[KIT].engines())
        campaign = fuzz(spec, Settings(timeout=60.0), Limits(600.0, cases), PARTELANG, seed=1)
        busy = time.process_time() - before
        rows.append(
            (
                f"{name} in process",
                f"{campaign.cases:,}",
                f"{campaign.matching:,}",
                f"{campaign.divergent:,}",
                f"{campaign.seconds:.1f}",
                f"{campaign.rate:,.0f}",
                f"{campaign.cases / busy:,.0f}",
            )
        )
    columns = ("engine", "cases", "matching", "divergent", "seconds", "cases/s", "cases/CPU s")
    show(f"Fuzzing; at least {WANTED} cases/s are wanted", columns, rows)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
