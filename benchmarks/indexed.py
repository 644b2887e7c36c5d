"""Time and memory of the indexed evaluator: `python -m benchmarks.indexed [MOST_TRANSFERS]`.

The time is that of `run`; the peak memory includes the trace. A dense trace has ten transfers an account, a sparse one
a single one.
"""

from __future__ import annotations

import sys

from benchmarks.measuring import Measured, apart, show, timed
from benchmarks.scenarios import SCENARIOS, TEMPLATES, transfers, uncommon_route
from parte.algebra.partelang.programs import run
from parte.semantics.partelang.syntax import parse

SIZES = ((100_000, 10_000), (1_000_000, 100_000), (1_000_000, 1_000_000))
"""Transfers and accounts: two dense traces and a sparse one."""
SMALLEST = ("1000",)


def measure(scenario: str, count: int, accounts: int) -> Measured:
    """Measure the indexed evaluator on one trace; count matches."""
    program = parse(TEMPLATES + SCENARIOS[scenario])
    trace = list(transfers(count, accounts))
    return timed(lambda: len(run(program, trace, {"uncommon_route": uncommon_route}, "indexed").matches))


def main(most: int = max(SIZES)[0]) -> None:
    """Print the table, of sizes up to `most` transfers."""
    rows = []
    for count, accounts in [size for size in SIZES if size[0] <= most] or [(most, most // 10)]:
        for scenario in SCENARIOS:
            row = apart(measure, scenario, count, accounts)
            rate = f"{count / row.seconds:,.0f}"
            figures = (f"{row.seconds:.2f}", rate, f"{row.counted:,}", f"{row.peak_mebibytes:,.0f}")
            rows.append((scenario, f"{count:,}", f"{accounts:,}", *figures))
    columns = ("scenario", "transfers", "accounts", "seconds", "events/s", "matches", "peak MiB")
    show("The indexed evaluator of the algebra", columns, rows)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
