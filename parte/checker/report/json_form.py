"""A report as JSON (`report.schema.json`)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, cast

from parte.checker.report.contents import (
    ClosureTable,
    ExitCode,
    Finding,
    Guarantee,
    Json,
    Place,
    Report,
    ScheduleReport,
    Timing,
)
from parte.semantics.events.bounds import Bounds, Natural, Seconds
from parte.semantics.events.codec import Codec

FORMAT: Literal["parte-check"] = "parte-check"
VERSION: Literal[2] = 2


@dataclass(frozen=True, slots=True)
class _Report:
    format: Literal["parte-check"]
    version: Literal[2]
    program: Annotated[str | None, Bounds(meaning="what the program is called")]
    exit_code: ExitCode
    seconds: Seconds
    strata: Annotated[
        Mapping[str, Natural],
        Bounds(meaning="the stratum of each template, a certificate; empty if there is none"),
    ]
    guarantees: tuple[Guarantee, ...]
    findings: tuple[Finding, ...]
    closures: tuple[ClosureTable, ...]
    queries: tuple[Timing, ...]
    bounds: Annotated[
        dict[str, Json] | None,
        Bounds(meaning="what a deployment makes of the program; null without one, or if the program cannot be run"),
    ]
    schedule: ScheduleReport | None = None


_FIRST = ["code", "severity", "refuted", "verdict", "rule", "message", "reason", "hint"]
CODEC: Codec[_Report] = Codec(
    _Report, first={Finding: _FIRST}, optional={}, sparse={Finding: ["file"], Place: ["file"], _Report: ["schedule"]}
)


def schema(bounds: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON Schema of reports, given that of the bounds of programs of a language."""
    whole = CODEC.schema("https://parte.example/schemas/check-2.json", "What parte check found")
    whole["$defs"]["Report"]["properties"]["bounds"] |= {"anyOf": [{"$ref": bounds["$ref"]}, {"type": "null"}]}
    whole["$defs"] |= bounds["$defs"]
    return whole


def report_to_json(report: Report, program: str | None = None, *, strict: bool = False) -> dict[str, Json]:
    """Return the report as a tree that the standard `json` module can write; `program` is the name of the program."""
    code = report.exit_code_of(strict=strict)
    bounds = None if report.bounds is None else report.bounds.to_json()
    parts = (report.guarantees, report.findings, report.closures, report.queries)
    form = _Report(FORMAT, VERSION, program, code, report.seconds, report.strata, *parts, bounds, report.schedule)
    return cast(dict[str, Json], CODEC.encode(form))


def report_to_text(report: Report, program: str | None = None, *, strict: bool = False) -> str:
    """Return the report as one line of JSON."""
    return json.dumps(report_to_json(report, program, strict=strict), ensure_ascii=False, allow_nan=False)
