"""Programs as SQL on DuckDB, beside the indexed evaluator: `python -m benchmarks.duckdb [MOST_TRANSFERS]`.

Both times are those of `run`: loading the events, finding the matches, and putting these in canonical order. DuckDB has
two threads; the predicate is a Python function for both.
"""

from __future__ import annotations

import sys

from algebra.relational import run
from benchmarks import indexed
from benchmarks.measuring import Measured, apart, show, timed
from benchmarks.scenarios import SCENARIOS, TEMPLATES, transfers, uncommon_route
from semantics.syntax import parse

SIZES = ((100_000, 10_000), (1_000_000, 100_000))
"""Transfers and accounts: ten transfers an account."""


def measure(scenario: str, count: int, accounts: int) -> Measured:
    """DuckDB on one trace; counts matches."""
    program = parse(TEMPLATES + SCENARIOS[scenario])
    trace = list(transfers(count, accounts))
    run(program, trace[:1], {"uncommon_route": uncommon_route})  # loads the libraries
    return timed(lambda: len(run(program, trace, {"uncommon_route": uncommon_route}).matches))


def main(most: int = max(SIZES)[0]) -> None:
    """Print the table, of sizes up to `most` transfers."""
    rows = []
    for count, accounts in SIZES:
        for scenario in SCENARIOS:
            if count <= most:
                row = apart(measure, scenario, count, accounts)
                algebra = apart(indexed.measure, scenario, count, accounts)
                assert row.counted == algebra.counted
                rate = f"{count / row.seconds:,.0f}"
                figures = (f"{row.seconds:.2f}", rate, f"{row.counted:,}", f"{row.peak_mebibytes:,.0f}")
                ratio = f"{algebra.seconds / row.seconds:.1f}"
                rows.append((scenario, f"{count:,}", *figures, f"{algebra.seconds:.2f}", ratio))
    columns = (
        "scenario",
        "transfers",
        "seconds",
        "events/s",
        "matches",
        "peak MiB",
        "indexed, seconds",
        "times faster",
    )
    show("DuckDB, two threads: 60 days, ten transfers an account", columns, rows)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
