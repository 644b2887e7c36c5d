"""Programs as SQL on DuckDB, beside the indexed evaluator: `python -m benchmarks.duckdb [MOST_TRANSFERS]`.

Both times are those of `run`: load the events, find the matches, and sort them into canonical order. DuckDB has two
threads; the predicate is a Python function for both.

A second table is about logs in Parquet, from the file to the matches: passed to DuckDB as they are, by a query that a
person would write, which checks nothing and returns rows, or through Python events (`load_log`, `conform`, `run`),
which is measured up to `THROUGH_EVENTS` transfers.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from duckdb import connect

from benchmarks import indexed
from benchmarks.measuring import Measured, apart, show, timed, up_to
from benchmarks.scenarios import DAY, SCENARIOS, TEMPLATES, transfers, uncommon_route
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
UNUSUAL = """WITH unusual AS MATERIALIZED (
  SELECT id, timestamp AS ts, attributes.originator, attributes.destination, attributes.amount FROM read_parquet(?)
  WHERE template = 'MoneyTransferred' AND uncommon_route(attributes.originator, attributes.destination))"""
LEAVING = f"originator = i.destination AND ts BETWEEN i.ts AND i.ts + {14 * DAY}"
BY_HAND = {
    "A pass-through": f"""{UNUSUAL}
SELECT i.id, o.id, concat('FraudPassThrough(incoming=', i.id, ',outgoing=', o.id, ')'), i.ts, i.destination, i.amount,
  list_value(o.id)
FROM unusual i JOIN unusual o ON o.{LEAVING.replace("ts B", "o.ts B")} AND o.amount = i.amount WHERE i.amount >= 100""",
    "B diffusion": f"""{UNUSUAL}
SELECT i.id, a.id, b.id, c.id, concat('FraudDiffusion(incoming=', i.id, ',outgoing_1=', a.id, ',outgoing_2=', b.id,
  ',outgoing_3=', c.id, ')'), i.ts, i.destination, i.amount, list_value(a.id, b.id, c.id)
FROM unusual i JOIN unusual a ON a.{LEAVING.replace("ts B", "a.ts B")}
JOIN unusual b ON b.{LEAVING.replace("ts B", "b.ts B")} AND b.id <> a.id
JOIN unusual c ON c.{LEAVING.replace("ts B", "c.ts B")} AND c.id <> a.id AND c.id <> b.id
  AND a.amount + b.amount + c.amount BETWEEN i.amount * 0.9::DOUBLE AND i.amount * 1.1::DOUBLE
WHERE i.amount >= 100""",
}
"""The rules as queries on a log; each returns the bindings and the emission of every match."""


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


def measure_log(scenario: str, path: str, way: str) -> Measured:
    """Measure one of the `WAYS` on a log; count matches."""
    program = parse(TEMPLATES + SCENARIOS[scenario])
    small = Path(path).with_name("small.parquet")
    write_log(program, transfers(10, 10), small)
    find = WAYS[way]
    find(scenario, str(small))  # loads the libraries
    return timed(lambda: find(scenario, path))


def _directly(scenario: str, path: str) -> int:
    return len(run_log(parse(TEMPLATES + SCENARIOS[scenario]), Log(path), DOMAIN).matches)


def _through_events(scenario: str, path: str) -> int:
    program = parse(TEMPLATES + SCENARIOS[scenario])
    return len(run(program, conform(program, load_log(program, path)), DOMAIN).matches)


def _by_hand(scenario: str, path: str) -> int:
    with connect(config={"threads": 2}) as database:
        database.execute("SET enable_progress_bar = false")
        database.create_function("uncommon_route", uncommon_route, ["VARCHAR", "VARCHAR"], "BOOLEAN")
        return len(database.execute(BY_HAND[scenario], [path]).fetchall())


WAYS = {"directly": _directly, "by hand": _by_hand, "through events": _through_events}


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
    rows = []
    with TemporaryDirectory() as directory:
        for count in up_to(most, SIZES):
            for scenario in SCENARIOS:
                path = f"{directory}/{count}.parquet"
                apart(made_log, scenario, count, count // 10, path)
                measured = {
                    way: apart(measure_log, scenario, path, way)
                    for way in WAYS
                    if way != "through events" or count <= THROUGH_EVENTS
                }
                direct = measured.pop("directly")
                assert {row.counted for row in measured.values()} == {direct.counted}
                ratios = [
                    figure for way in ("by hand", "through events") for figure in _beside(direct, measured.get(way))
                ]
                rows.append((scenario, f"{count:,}", *_figures(count, direct), *ratios))
    columns = ("scenario", "transfers", "seconds", "events/s", "matches", "peak MiB")
    beside = ("by hand, seconds", "times by hand", "through events, seconds", "times through events")
    show("Logs in Parquet on DuckDB, from file to matches", (*columns, *beside), rows)


def _beside(direct: Measured, peer: Measured | None) -> tuple[str, str]:
    return ("", "") if peer is None else (f"{peer.seconds:.2f}", f"{direct.seconds / peer.seconds:.2f}")


def _figures(count: int, row: Measured) -> tuple[str, str, str, str]:
    rate = f"{count / row.seconds:,.0f}"
    return f"{row.seconds:.2f}", rate, f"{row.counted:,}", f"{row.peak_mebibytes:,.0f}"


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
