"""Programs as SQL on DuckDB, beside the indexed evaluator: `python -m benchmarks.duckdb [MOST_TRANSFERS]`.

Both times are those of `run`: load the events, find the matches, and sort them into canonical order. DuckDB has two
threads; the predicate is a Python function for both.

A second table is about logs in Parquet, from the file to the matches: passed to DuckDB as they are, or through Python
events (`load_log`, `conform`, `run`), which is measured up to `THROUGH_EVENTS` transfers.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import indexed
from benchmarks.measuring import Measured, apart, show, timed, up_to
from benchmarks.scenarios import SCENARIOS, TEMPLATES, transfers, uncommon_route
from parte.algebra.partelang.relational import Log, run, run_log
from parte.algebra.partelang.relational.parquet import load_log, write_log
from parte.semantics.events.conformity import conform
from parte.semantics.partelang.syntax import parse

SIZES = (100_000, 1_000_000)
"""Transfers and accounts: ten transfers an account."""
THROUGH_EVENTS = 100_000
"""The largest log that is also turned into Python events."""
SMALLEST = ("1000",)
DOMAIN = {"uncommon_route": uncommon_route}


def measure(scenario: str, count: int, accounts: int) -> Measured:
    """Measure DuckDB on one trace; count matches."""
    program = parse(TEMPLATES + SCENARIOS[scenario])
    trace = list(transfers(count, accounts))
    run(program, trace[:1], DOMAIN)  # loads the libraries
    return timed(lambda: len(run(program, trace, DOMAIN).matches))


def made_log(scenario: str, count: int, accounts: int, path: str) -> Measured:
    """Write a log, in a separate process: the memory of a process counts for the processes that it starts."""
    program = parse(TEMPLATES + SCENARIOS[scenario])

    def write() -> int:
        write_log(program, transfers(count, accounts), path)
        return count

    return timed(write)


def measure_log(scenario: str, path: str, direct: bool) -> Measured:
    """Measure DuckDB on one log; count matches."""
    program = parse(TEMPLATES + SCENARIOS[scenario])
    small = Path(path).with_name("small.parquet")
    write_log(program, transfers(10, 10), small)
    find = _directly if direct else _through_events
    find(scenario, str(small))  # loads the libraries
    return timed(lambda: find(scenario, path))


def _directly(scenario: str, path: str) -> int:
    return len(run_log(parse(TEMPLATES + SCENARIOS[scenario]), Log(path), DOMAIN).matches)


def _through_events(scenario: str, path: str) -> int:
    program = parse(TEMPLATES + SCENARIOS[scenario])
    return len(run(program, conform(program, load_log(program, path)), DOMAIN).matches)


def main(most: int = max(SIZES)) -> None:
    """Print the tables, of sizes up to `most` transfers."""
    rows = []
    for count in up_to(most, SIZES):
        for scenario in SCENARIOS:
            row = apart(measure, scenario, count, count // 10)
            algebra = apart(indexed.measure, scenario, count, count // 10)
            assert row.counted == algebra.counted
            figures = _figures(count, row)
            ratio = f"{algebra.seconds / row.seconds:.1f}"
            rows.append((scenario, f"{count:,}", *figures, f"{algebra.seconds:.2f}", ratio))
    columns = ("scenario", "transfers", "seconds", "events/s", "matches", "peak MiB")
    title = "DuckDB, two threads: 60 days, ten transfers an account"
    show(title, (*columns, "indexed, seconds", "times faster"), rows)
    logs(most)


def logs(most: int) -> None:
    """Print the table of logs."""
    scenario, *_ = SCENARIOS
    rows = []
    with TemporaryDirectory() as directory:
        for count in up_to(most, SIZES):
            path = f"{directory}/{count}.parquet"
            apart(made_log, scenario, count, count // 10, path)
            direct, through, ratio = apart(measure_log, scenario, path, True), "", ""
            if count <= THROUGH_EVENTS:
                slow = apart(measure_log, scenario, path, False)
                assert slow.counted == direct.counted
                through, ratio = f"{slow.seconds:.2f}", f"{slow.seconds / direct.seconds:.1f}"
            rows.append((scenario, f"{count:,}", *_figures(count, direct), through, ratio))
    columns = ("scenario", "transfers", "seconds", "events/s", "matches", "peak MiB")
    show("Logs in Parquet on DuckDB, from file to matches", (*columns, "through events, seconds", "times faster"), rows)


def _figures(count: int, row: Measured) -> tuple[str, str, str, str]:
    rate = f"{count / row.seconds:,.0f}"
    return f"{row.seconds:.2f}", rate, f"{row.counted:,}", f"{row.peak_mebibytes:,.0f}"


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
