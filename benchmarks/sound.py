"""Speed of the sound machine: `python -m benchmarks.sound [MOST_TRANSFERS]`.

Two tables. The first: events a second on scenarios A and B over 60 days, beside the indexed evaluator of the algebra in
the same run. The second: the cost of an event at a fixed rate of arrival, which must not grow with the length of the
trace (D §8.6); the ratio is to the shortest trace.
"""

from __future__ import annotations

import sys

from benchmarks import indexed
from benchmarks.measuring import Measured, apart, show, timed, up_to
from benchmarks.scenarios import SCENARIOS, TEMPLATES, transfers, uncommon_route
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.execution import execute
from parte.semantics.partelang.syntax import parse

SIZES = (10_000, 100_000)
ACCOUNTS = 10_000
LENGTHS = (10_000, 50_000, 250_000)
SMALLEST = ("1000",)
A_DAY = 200
"""Transfers a day in the second table, among a thousand accounts."""


def measure(scenario: str, count: int, accounts: int, days: float, *, staging: bool = True) -> Measured:
    """Measure the sound machine on one trace, without recording steps; count matches."""
    program = parse(TEMPLATES + SCENARIOS[scenario])
    situation = Scenario.of(program, transfers(count, accounts, days), {"uncommon_route": uncommon_route})
    return timed(lambda: len(execute(situation, staging=staging).matches))


def main(most: int = max(LENGTHS)) -> None:
    """Print both tables, of traces up to `most` transfers."""
    rows = []
    for count in up_to(most, SIZES):
        for scenario in SCENARIOS:
            machine = apart(measure, scenario, count, ACCOUNTS, 60)
            algebra = apart(indexed.measure, scenario, count, ACCOUNTS)
            assert machine.counted == algebra.counted
            figures = (f"{machine.seconds:.2f}", f"{count / machine.seconds:,.0f}", f"{machine.counted:,}")
            rows.append((scenario, f"{count:,}", *figures, f"{machine.seconds / algebra.seconds:.1f}"))
    columns = ("scenario", "transfers", "seconds", "events/s", "matches", "times the indexed evaluator")
    show("The sound machine: 60 days, 10,000 accounts", columns, rows)
    rows = []
    for scenario in SCENARIOS:
        first = None
        for count in up_to(most, LENGTHS):
            machine = apart(measure, scenario, count, 1_000, count / A_DAY)
            cost = machine.seconds / count
            first = first or cost
            figures = (f"{machine.seconds:.2f}", f"{cost * 1e6:.1f}", f"{cost / first:.2f}")
            rows.append((scenario, f"{count:,}", *figures, f"{machine.peak_mebibytes:,.0f}"))
    columns = ("scenario", "transfers", "seconds", "µs an event", "ratio", "peak MiB")
    note = "The trace itself lies in memory, so the peak grows with its length."
    show("The sound machine: 200 transfers a day, 1,000 accounts", columns, rows, note)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
