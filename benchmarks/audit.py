"""Two rules over an audit log with a hot user: `python -m benchmarks.audit [EVENTS]`.

The rule of five patterns: three failed logins of a user, a login, and a big export, each within ten minutes of the one
before, and no reset of the password after the login. Every equality compares with the first pattern. One event in a
hundred is of one user, and the others are spread over 60,000 users; an event comes every 400 ms.

The rule with a set: a login with five failed ones or more in the ten minutes before it, and a big export in the ten
minutes after it.

Both models begin with the log in Parquet and find the same matches. Each runs in a separate process, and the times are
processor times.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy
import pyarrow
import pyarrow.parquet

from benchmarks.measuring import Measured, apart, show, timed
from parte.algebra.partelang.relational import Log
from parte.algebra.partelang.relational.parquet import load_log, log_schema
from parte.api import execute
from parte.semantics.partelang.syntax import core, parse

EVENTS = 577_382
SMALLEST = ("3000",)
BETWEEN = 400
USERS = 60_000
HOT = 0.01

PROGRAM = """
template LoginFailed { user : String }
template LoginOk { user : String }
template PasswordReset { user : String }
template Export { user : String, rows : Integer }

rule Brute where
  f1 : LoginFailed,
  f2 : LoginFailed { user = f1.user },
  f3 : LoginFailed { user = f1.user },
  ok : LoginOk { user = f1.user },
  export : Export { user = f1.user, rows >= 5000 },
  no reset : PasswordReset { user = f1.user }
when
  f2 in f1 [1 ms, 10 minutes],
  f3 in f2 [1 ms, 10 minutes],
  ok in f3 [1 ms, 10 minutes],
  export in ok [0 ms, 10 minutes],
  no reset in ok [0 ms, 10 minutes]
"""

WITH_SET = """level 2
template LoginFailed { user : String }
template LoginOk { user : String }
template PasswordReset { user : String }
template Export { user : String, rows : Integer }

rule Brute where
  ok : LoginOk,
  all failed : LoginFailed { user = ok.user },
  export : Export { user = ok.user, rows >= 5000 }
when
  failed in ok [-10 minutes, -1 ms],
  export in ok [0 ms, 10 minutes],
having count(failed) >= 5
"""
PROGRAMS = {"five patterns": PROGRAM, "a set": WITH_SET}

KINDS = {"LoginFailed": 0.275, "LoginOk": 0.517, "Export": 0.139, "PasswordReset": 0.069}
"""The templates, and the shares of their events."""


def log(program: core.Program, count: int) -> pyarrow.Table:
    """Return a log of so many events, in the order of their times."""
    draw = numpy.random.default_rng(1)
    stamps = numpy.cumsum(draw.exponential(BETWEEN, count)).astype(numpy.int64)
    users = numpy.where(draw.random(count) < HOT, 0, draw.integers(1, USERS, count))
    kinds = draw.choice(len(KINDS), count, p=list(KINDS.values()))
    rows = numpy.array([10, 500, 5_000, 12_000])[draw.integers(0, 4, count)]
    columns: dict[str, Any] = {
        "user": pyarrow.array(numpy.char.add("u", users.astype(str)).tolist(), pyarrow.string()),
        "rows": pyarrow.array(rows, pyarrow.int64(), mask=kinds != list(KINDS).index("Export")),
    }
    schema = log_schema(program)
    slots = list(schema.field("attributes").type)
    attributes = pyarrow.StructArray.from_arrays([columns[slot.name] for slot in slots], fields=slots)
    ids = pyarrow.array([f"r{number}" for number in range(count)])
    templates = pyarrow.array(numpy.array(list(KINDS))[kinds].tolist())
    return pyarrow.table([ids, templates, stamps, pyarrow.nulls(count, pyarrow.string()), attributes], schema=schema)


def measure(name: str, model: str, path: str) -> Measured:
    """Measure a model on a log; count matches. The seconds are processor time."""
    program = parse(PROGRAMS[name])

    def find() -> int:
        events = Log(path) if model == "duckdb" else load_log(program, path)
        return len(execute(program, events, model=model).matches)

    start = time.process_time()
    measured = timed(find)
    return Measured(time.process_time() - start, measured.peak_mebibytes, measured.counted)


def main(count: int = EVENTS) -> None:
    """Print the table."""
    rows = []
    with TemporaryDirectory() as directory:
        path = str(Path(directory) / "audit.parquet")
        pyarrow.parquet.write_table(log(parse(PROGRAM), count), path)
        for name in PROGRAMS:
            counted = set()
            for model in ("duckdb", "sound"):
                row = apart(measure, name, model, path)
                counted.add(row.counted)
                figures = f"{row.seconds:.2f}", f"{row.seconds / count * 1e6:.1f}", f"{row.peak_mebibytes:,.0f}"
                rows.append((name, model, f"{count:,}", f"{row.counted:,}", *figures))
            assert len(counted) == 1, "the models find different numbers of matches"
    columns = ("rule", "model", "events", "matches", "processor s", "µs an event", "peak MiB")
    show("An audit log, one hot user", columns, rows)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
