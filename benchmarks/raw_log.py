"""A raw log to events, beside SQL by hand: `python -m benchmarks.raw_log [RECORDS]`.

The log is of web requests as JSON Lines: times as ISO 8601 with `Z` and with an offset, without either, and as seconds
and milliseconds; some are missing, some lines are cut off, some are there twice. The SQL reads it with DuckDB's
`read_json`, converts the times, takes out what is there twice, and writes a Parquet file; it rejects nothing by line,
and says nothing of disorder. Both write the same events.
"""

from __future__ import annotations

import json
import random
import sys
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from benchmarks.measuring import Measured, apart, show, timed
from parte.logs.conversion import Conversion
from parte.logs.mapping import read_mapping

RECORDS = 2_000_000
SMALLEST = ("3000",)
START = 1_772_438_400_000

MAPPING = """
id = "request_id"
[timestamp]
path = "ts"
forms = ["iso", "epoch"]
zone = "UTC"
[[template]]
name = "LoginFailed"
when = { event = "login_failed" }
attributes.user = { type = "String" }
[[template]]
name = "LoginOk"
when = { event = "login_ok" }
attributes.user = { type = "String" }
[[template]]
name = "Export"
when = { event = "export" }
attributes.user = { type = "String" }
attributes.rows = { type = "Integer", default = 0 }
"""

BY_HAND = r"""
COPY (
  WITH raw AS (
    SELECT row_number() OVER () AS position, * FROM read_json('{raw}', format = 'newline_delimited',
      ignore_errors = true, columns = {{ts: 'VARCHAR', event: 'VARCHAR', "user": 'VARCHAR', request_id: 'VARCHAR',
      "rows": 'BIGINT'}})
    WHERE event IN ('login_failed', 'login_ok', 'export')
  ), timed AS (
    SELECT *, CASE
      WHEN regexp_full_match(ts, '\d{{12,}}') THEN CAST(ts AS BIGINT)
      WHEN regexp_full_match(ts, '\d+') THEN CAST(ts AS BIGINT) * 1000
      WHEN regexp_full_match(ts, '.*(Z|[+-]\d\d:\d\d)') THEN epoch_ms(CAST(ts AS TIMESTAMPTZ))
      ELSE epoch_ms(CAST(ts AS TIMESTAMP)) END AS timestamp
    FROM raw WHERE ts IS NOT NULL AND "user" IS NOT NULL
  )
  SELECT request_id AS id,
    CASE event WHEN 'login_failed' THEN 'LoginFailed' WHEN 'login_ok' THEN 'LoginOk' ELSE 'Export' END AS template,
    timestamp, 'default' AS source,
    {{'user': "user", 'rows': CASE event WHEN 'export' THEN coalesce("rows", 0) END}} AS attributes
  FROM timed QUALIFY row_number() OVER (PARTITION BY request_id ORDER BY position) = 1 ORDER BY position
) TO '{output}' (FORMAT parquet)
"""


def write(path: Path, count: int) -> None:
    """Write a log of so many records."""
    draw = random.Random(1)
    kinds = ["view"] * 14 + ["login_ok"] * 3 + ["login_failed"] * 2 + ["export"]
    with path.open("w", encoding="utf-8") as file:
        now = float(START)
        for number in range(count):
            now += draw.expovariate(1 / 120)
            kind = draw.choice(kinds)
            record: dict[str, object] = {
                "ts": None if draw.random() < 0.001 else _time(int(now), draw.random()),
                "event": kind,
                "user": None if draw.random() < 0.002 else f"u{draw.randrange(60_000)}",
                "ip": f"10.0.{draw.randrange(256)}.{draw.randrange(256)}",
                "request_id": f"r{number}",
            }
            if kind == "export":
                record["rows"] = draw.choice([10, 500, 5_000, 12_000, None])
            line = json.dumps(record)
            file.write((line[: len(line) // 2] if draw.random() < 0.0003 else line) + "\n")
            if draw.random() < 0.0005:
                file.write(line + "\n")


def _time(milliseconds: int, kind: float) -> object:
    moment = datetime.fromtimestamp(milliseconds // 1000, UTC) + timedelta(milliseconds=milliseconds % 1000)
    if kind < 0.6:
        return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if kind < 0.85:
        return moment.astimezone(timezone(timedelta(hours=1))).isoformat(timespec="milliseconds")
    if kind < 0.98:
        return milliseconds if kind < 0.95 else milliseconds // 1000
    return moment.strftime("%Y-%m-%d %H:%M:%S")


def ours(raw: str, output: str) -> Measured:
    """Measure `parte log`."""

    def convert() -> int:
        with Conversion(read_mapping(MAPPING), lambda _: None) as conversion:
            conversion.add(raw)
            conversion.finish()
            conversion.write(output)
            return conversion.converted.events.total()

    return timed(convert)


def by_hand(raw: str, output: str) -> Measured:
    """Measure the SQL."""

    def convert() -> int:
        with duckdb.connect() as database:
            database.execute("SET TimeZone = 'UTC'")
            database.execute(BY_HAND.format(raw=raw, output=output))
            (row,) = database.execute(f"SELECT count(*) FROM '{output}'").fetchall()
            return int(row[0])

    return timed(convert)


def main(count: int = RECORDS) -> None:
    """Print the table."""
    rows = []
    with TemporaryDirectory() as directory:
        folder = Path(directory)
        write(folder / "raw.jsonl", count)
        measured = {}
        for name, work in (("SQL by hand", by_hand), ("parte log", ours)):
            output = str(folder / f"{work.__name__}.parquet")
            measured[name] = apart(work, str(folder / "raw.jsonl"), output)
        hand = measured["SQL by hand"].seconds
        for name, row in measured.items():
            ratio = f"{row.seconds / hand:.2f}"
            rows.append(
                (name, f"{count:,}", f"{row.counted:,}", f"{row.seconds:.2f}", ratio, f"{row.peak_mebibytes:,.0f}")
            )
        same = "SELECT count(*) FROM (SELECT * FROM '{0}' EXCEPT ALL SELECT * FROM '{1}')"
        files = [str(folder / f"{name}.parquet") for name in ("by_hand", "ours")]
        with duckdb.connect() as database:
            for first, second in (files, files[::-1]):
                assert database.execute(same.format(first, second)).fetchall() == [(0,)], "the events differ"
    show("A raw log to events", ("by", "records", "events", "seconds", "ratio", "peak MiB"), rows)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
