"""Rules of Panther and Sigma: each is imported, checked, and run on its tests, or on the log of its attack."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from zlib import crc32

from parte import api
from parte.checker.solver.verdict import Verdict
from parte.experiments.detections.corpora import SIGMA
from parte.experiments.detections.events import converted
from parte.experiments.experiment import Row
from parte.importers.imported import Options, importer
from parte.importers.importing import FAILS, HOLDS, OPEN, Result, imports
from parte.logs.mapping import load_mapping
from parte.semantics.events.files import read_limited, read_text
from parte.semantics.events.problems import InputError
from parte.semantics.partelang.syntax.elaborate import parse

_CHECKS: Final = {HOLDS: "check holds", FAILS: "check fails", OPEN: "check open"}
_CORRELATION: Final = re.compile(rb"\bcorrelation[\"']?\s*:")
_ATTACK: Final = re.compile(r"^regression_tests_path:\s*([\w./-]+)\s*$", re.MULTILINE)
_QUOTED: Final = re.compile(r"'[^']*'|`[^`]*`|\"[^\"]*\"|%[^%]*%")
_LONGEST: Final = 120


def measured(name: str, folder: str, files: Sequence[str], every: int, timeout: float) -> list[Row]:
    """Return the counts of the results for the rules in files.

    One of `every` rules is checked, which depends on nothing but its name; `timeout` is in seconds, for a question.
    """
    counts: Counter[tuple[str, str]] = Counter()
    with TemporaryDirectory(prefix="parte-detections-") as out:
        results = imports(
            importer(name),
            files,
            Options(),
            out,
            force=False,
            timeout=timeout,
            checked=lambda rule: crc32(rule.name.encode()) % every == 0,
        )
        for result in results:
            counts.update(_counted(result))
            if name == SIGMA and not result.reason:
                counts.update(_attacked(result, folder))
    return [{"what": what, "detail": detail, "number": number} for (what, detail), number in sorted(counts.items())]


def refer_to_each_other(name: str, files: Sequence[str]) -> bool:
    """Return whether a rule may refer to rules in other files, so that they are imported together."""
    return name == SIGMA and any(_CORRELATION.search(_content(file)) for file in files)


def _content(file: str) -> bytes:
    try:
        return read_limited(file)
    except OSError:  # the importer refuses it, with the reason
        return b""


def _counted(result: Result) -> Iterator[tuple[str, str]]:
    yield "rules", ""
    if result.reason:
        yield "refused", grouped(result.reason)
        return
    yield "written", ""
    if result.check is not None:
        yield _CHECKS[result.check], ""
    for finding in result.findings:
        yield "open question" if finding.verdict is Verdict.NOT_PROVED else "finding", finding.code
    for code in {finding.code for finding in result.on_schedule}:
        yield "on schedule", code
    for test in result.tests:
        yield "test agrees" if test.agrees else "test disagrees", ""


def grouped(reason: str) -> str:
    """Return a reason without what it quotes and without its numbers, so that equal reasons are equal texts."""
    return re.sub(r"\d+", "N", _QUOTED.sub("…", reason))[:_LONGEST]


# --- Logs of attacks -------------------------------------------------------------------------------------------------


def _attacked(result: Result, folder: str) -> Iterator[tuple[str, str]]:
    """Yield whether the program of a rule matches the log of the attack that its file names; nothing without one."""
    named = _ATTACK.search(read_text(result.place.file))
    if named is None or ".." in named[1] or os.path.isabs(named[1]):
        return
    logs = sorted((Path(folder) / named[1]).parent.glob("*.json"))
    if not logs:
        return
    program, mapping = result.files[:2]
    try:
        records = [_flat(record) for log in logs for record in _objects(read_text(log))]
        events, _ = converted(load_mapping(mapping), records)
        matches = api.run(parse(read_text(program)), events, model="indexed")
    except (OSError, ValueError, RecursionError, InputError):
        yield "test unreadable", ""
        return
    yield "test agrees" if matches else "test disagrees", ""


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the objects of JSON that follow each other. Raise ValueError for anything else."""
    decoder, place = json.JSONDecoder(), 0
    while place < len(text):
        value, place = decoder.raw_decode(text, place)
        if not isinstance(value, dict):
            raise ValueError("a record is no object")
        yield value
        place += len(text[place:]) - len(text[place:].lstrip())


def _flat(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record of Windows' log as Sigma reads it: the fields of the event beside those of the system.

    Names have no spaces there: `Source Name` is SourceName. Data of users are in an element of their own.
    """
    event = record.get("Event", record)
    parts = [event.get(name) for name in ("System", "EventData")] if isinstance(event, dict) else []
    users = event.get("UserData") if isinstance(event, dict) else None
    parts += users.values() if isinstance(users, dict) else ()
    fields = {key.replace(" ", ""): value for part in parts if isinstance(part, dict) for key, value in part.items()}
    fields["Provider_Name"] = _attribute(fields.get("Provider"), "Name")
    fields["timestamp"] = _attribute(fields.get("TimeCreated"), "SystemTime")
    return fields


def _attribute(element: object, name: str) -> object:
    attributes = element.get("#attributes") if isinstance(element, dict) else None
    return attributes.get(name) if isinstance(attributes, dict) else None
