"""Speed of the conformance suite: `python -m benchmarks.suite [CASES]`, with two workers.

All cases against the reference, in this process and through the protocol.
"""

from __future__ import annotations

import sys
import time
from itertools import islice

from benchmarks.measuring import show
from parte.conformance.kit import KIT
from parte.conformance.results import CaseVerdict
from parte.conformance.runner.judging import prepare
from parte.conformance.runner.running import Settings, run_engine
from parte.conformance.runner.specs import spec_of
from parte.conformance.suites import load_suite
from parte.languages.partelang import PARTELANG

SMALLEST = ("20",)
_SERVED = f"{sys.executable} -m parte engine --model "


def main(most: int | None = None) -> None:
    """Print the table, of the first so many cases, or of all."""
    suite = load_suite(PARTELANG)
    start = time.perf_counter()
    cases = [prepare(fixture, PARTELANG) for fixture in islice(suite.cases.values(), most)]
    reading = time.perf_counter() - start
    rows = [("reading the programs, once for all engines", f"{reading:.1f}", f"{len(cases) / reading:,.0f}", "")]
    for name, engine in (
        ("sound in process", "model:sound"),
        ("sound through the protocol", _SERVED + "sound"),
        ("algebra in process", "model:algebra"),
        ("algebra through the protocol", _SERVED + "algebra"),
    ):
        start = time.perf_counter()
        run = run_engine(spec_of(engine, PARTELANG[KIT].engines()), cases, Settings(2))
        seconds = time.perf_counter() - start
        passed = sum(result.verdict is CaseVerdict.PASS for result in run.results)
        rows.append((name, f"{seconds:.1f}", f"{len(cases) / seconds:,.0f}", f"{passed:,} of {len(cases):,}"))
    show(f"The conformance suite, {len(cases)} cases", ("engine", "seconds", "cases/s", "passed"), rows)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
