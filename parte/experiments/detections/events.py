"""Events of logs by a mapping, and the matches of rules of our own on the logs of eqllib."""

from __future__ import annotations

import gzip
import json
import os
import time
import zlib
from collections.abc import Iterable
from dataclasses import replace
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from parte import api
from parte.experiments.experiment import Row
from parte.logs.conversion import Conversion, Converted
from parte.logs.mapping import Mapping, read_mapping
from parte.semantics.events.event import Event
from parte.semantics.events.files import limited
from parte.semantics.events.trace import load_trace
from parte.semantics.partelang.syntax.elaborate import parse

MAX_LOG: Final = 2**28
"""The most bytes of a log, unpacked."""
_EPOCH: Final = 11_644_473_600_000
"""Milliseconds from 1601, where eqllib's timestamps begin, to 1970; they count 100 ns."""


def matched(file: str) -> list[Row]:
    """Return the events of a log of eqllib by template, and the matches of each rule of `eqllib.parte`, with times.

    A log that cannot be read is a row too, with the reason.
    """
    log = os.path.basename(file)
    begun = time.perf_counter()
    try:
        records = _records(file)
    except (OSError, EOFError, zlib.error, ValueError, RecursionError) as problem:
        return [{"what": "log unreadable", "detail": type(problem).__name__, "log": log, "number": 1}]
    events, fate = converted(read_mapping(_data("eqllib.toml")), records)
    spent = time.perf_counter() - begun
    rows: list[Row] = [{"what": "records", "detail": "", "log": log, "number": fate.records, "seconds": spent}]
    for what, numbers in (("events", fate.events), ("rejected", fate.rejected)):
        rows += [{"what": what, "detail": name, "log": log, "number": numbers[name]} for name in sorted(numbers)]
    program = parse(_data("eqllib.parte"))
    for rule in program.rules:
        begun = time.perf_counter()
        # Nothing waits for the other events of a finished log, so their order does not matter.
        matches = api.run(replace(program, rules=(rule,)), events, model="indexed", disorder=fate.disorder)
        spent = time.perf_counter() - begun
        rows.append({"what": "matches", "detail": rule.name, "log": log, "number": len(matches), "seconds": spent})
    return rows


def _data(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _records(file: str) -> list[dict[str, Any]]:
    """Return the records of a log, with the time in milliseconds. Raise an error of gzip, or ValueError."""
    with gzip.open(file) as packed:
        records = json.loads(limited(packed, file, MAX_LOG))  # type: ignore[arg-type]  # it is read as a file
    if not isinstance(records, list):
        raise ValueError("it is no list of records")
    return [_timed(record) for record in records if isinstance(record, dict)]


def _timed(record: dict[str, Any]) -> dict[str, Any]:
    moment = record.get("timestamp")
    return record if type(moment) is not int else {**record, "milliseconds": moment // 10_000 - _EPOCH}


def converted(mapping: Mapping, records: Iterable[dict[str, Any]]) -> tuple[tuple[Event, ...], Converted]:
    """Return the events of records by a mapping, as `parte log` makes them, and the fate of all records."""
    with TemporaryDirectory(prefix="parte-detections-") as folder:
        raw, trace = Path(folder) / "raw.jsonl", Path(folder) / "trace.jsonl"
        raw.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")
        with Conversion(mapping, lambda _: None) as conversion:
            conversion.add(str(raw))
            conversion.finish()
            conversion.write(str(trace))
        events = tuple(item for item in load_trace(trace) if isinstance(item, Event))
    return events, conversion.converted
