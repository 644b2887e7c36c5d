"""Results of the suite, and the report that holds them: JSON Lines (`report.schema.json`).

The first line says what was run and against which engines, each further one is the result of one case with one engine,
and the last counts them, so that a report that was cut off is known by its lack.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from conformance.fixtures import PROFILES

Json = Any

FORMAT, VERSION = "parte-report", 1
_LONGEST_MATCH = 4_000
_MOST_MATCHES = 20
_LONGEST_TEXT = 4_000


class ReportError(ValueError):
    """Lines that are no report."""


class Verdict(Enum):
    """How a case ended."""

    PASS = "pass"
    FAIL = "fail"
    ERROR = "error"
    TIMEOUT = "timeout"
    UNSUPPORTED = "unsupported"

    @property
    def bad(self) -> bool:
        """Whether the engine is to blame."""
        return self in (Verdict.FAIL, Verdict.ERROR, Verdict.TIMEOUT)


@dataclass(frozen=True, slots=True)
class EngineInfo:
    """An engine: the label of its column, its command, and what it says of itself (empty if it never did)."""

    label: str
    command: str
    name: str = ""
    version: str = ""
    features: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """A case with one engine.

    `missing` and `spurious` hold the first few matches of their kind, `missing_count` and `spurious_count` say how many
    there are. `message` says what went wrong or is not supported. `known` marks a failure that was listed beforehand.
    """

    engine: str
    case: str
    profile: str
    description: str
    verdict: Verdict
    seconds: float
    message: str = ""
    missing: tuple[Json, ...] = ()
    spurious: tuple[Json, ...] = ()
    missing_count: int = 0
    spurious_count: int = 0
    stderr: str = ""
    rerun: str = ""
    known: bool = False

    def to_json(self) -> dict[str, Json]:
        """The line of the report; what is empty is left out."""
        record: dict[str, Json] = {
            "kind": "result",
            "engine": self.engine,
            "case": self.case,
            "profile": self.profile,
            "description": self.description,
            "verdict": self.verdict.value,
            "seconds": round(self.seconds, 4),
        }
        more: dict[str, Json] = {
            "message": self.message[:_LONGEST_TEXT],
            "missing": list(self.missing),
            "spurious": list(self.spurious),
            "missing_count": self.missing_count,
            "spurious_count": self.spurious_count,
            "stderr": self.stderr[-_LONGEST_TEXT:],
            "rerun": self.rerun,
            "known": self.known,
        }
        return record | {key: value for key, value in more.items() if value}


def some_matches(matches: Iterable[Json]) -> tuple[Json, ...]:
    """The first few matches, each cut to a size that reports can hold."""
    shown = []
    for match in list(matches)[:_MOST_MATCHES]:
        text = json.dumps(match, ensure_ascii=False)
        shown.append(match if len(text) <= _LONGEST_MATCH else {"cut": text[:_LONGEST_MATCH]})
    return tuple(shown)


@dataclass(frozen=True, slots=True)
class Report:
    """What was run, and all results, in the order of the cases and for each case of the engines."""

    suite: str
    digest: str
    started: str
    engines: tuple[EngineInfo, ...]
    results: tuple[Result, ...]
    complete: bool = True

    def of(self, engine: str) -> tuple[Result, ...]:
        """The results of one engine."""
        return tuple(result for result in self.results if result.engine == engine)

    def counts(self, engine: str, profile: str | None = None) -> Counter[Verdict]:
        """How often each verdict was given to an engine, in one profile or in all."""
        return Counter(r.verdict for r in self.results if r.engine == engine and profile in (None, r.profile))

    def profiles(self) -> tuple[str, ...]:
        """The profiles that occur: those that are known in their order, then others."""
        found = dict.fromkeys(result.profile for result in self.results)
        return (*(name for name in PROFILES if name in found), *(name for name in found if name not in PROFILES))


# --- JSON Lines -------------------------------------------------------------------------------------------------------


def report_lines(report: Report) -> Iterable[str]:
    """A report as lines, without line ends."""
    head = {
        "kind": "run",
        "format": FORMAT,
        "version": VERSION,
        "suite": report.suite,
        "digest": report.digest,
        "started": report.started,
        "engines": [
            {
                "label": engine.label,
                "command": engine.command,
                "name": engine.name,
                "version": engine.version,
                "features": list(engine.features),
            }
            for engine in report.engines
        ],
    }
    yield _dump(head)
    yield from (_dump(result.to_json()) for result in report.results)
    if report.complete:
        yield _dump({"kind": "end", "results": len(report.results)})


def _dump(record: Mapping[str, Json]) -> str:
    text = json.dumps(record, ensure_ascii=False)
    # Half a surrogate pair, which an engine may have sent as an escape, cannot be written as UTF-8.
    return text if _writable(text) else json.dumps(record)


def _writable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def read_report(lines: Iterable[str]) -> Report:
    """The report that lines hold; one that was cut off, in the middle of a line too, is not complete.

    ReportError if they hold none.
    """
    records: list[Mapping[str, Json]] = []
    numbered = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    for number, line in numbered:
        try:
            record = json.loads(line)
        except ValueError as error:
            if records and number == numbered[-1][0]:
                break  # at least the line that counts the results is missing
            raise ReportError(f"line {number} is not JSON: {error}") from None
        if type(record) is not dict:
            raise ReportError(f"line {number}: expected an object")
        records.append(record)
    if not records or (records[0].get("format"), records[0].get("version")) != (FORMAT, VERSION):
        raise ReportError(f"the first line is not the beginning of a report ({FORMAT} version {VERSION})")
    head, *rest = records
    try:
        engines = tuple(
            EngineInfo(e["label"], e["command"], e["name"], e["version"], tuple(e["features"])) for e in head["engines"]
        )
        results = tuple(_result(record) for record in rest if record["kind"] == "result")
        ends = [record["results"] for record in rest if record["kind"] == "end"]
        return Report(head["suite"], head["digest"], head["started"], engines, results, complete=ends == [len(results)])
    except (KeyError, TypeError, ValueError) as error:
        raise ReportError(f"not the shape of a report: {type(error).__name__} {error}") from None


def _result(record: Mapping[str, Json]) -> Result:
    return Result(
        record["engine"],
        record["case"],
        record["profile"],
        record["description"],
        Verdict(record["verdict"]),
        float(record["seconds"]),
        record.get("message", ""),
        tuple(record.get("missing", ())),
        tuple(record.get("spurious", ())),
        record.get("missing_count", 0),
        record.get("spurious_count", 0),
        record.get("stderr", ""),
        record.get("rerun", ""),
        record.get("known", False),
    )
