"""A report as JSON (`report.schema.json`)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import cast

from checker.report import ClosureTable, Finding, Guarantee, Json, Place, Report
from semantics.syntax.spans import Span

FORMAT = "parte-check"
VERSION = 1


def report_to_json(report: Report, program: str | None = None, *, strict: bool = False) -> dict[str, Json]:
    """The report as a tree that the standard `json` module can write; `program` is what the program is called."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "program": program,
        "exit_code": report.exit_code_of(strict=strict),
        "seconds": report.seconds,
        "strata": dict(report.strata),
        "guarantees": [_guarantee(guarantee) for guarantee in report.guarantees],
        "findings": [_finding(finding) for finding in report.findings],
        "closures": [_closure(closure) for closure in report.closures],
        "queries": [{"name": query.name, "answer": query.answer, "seconds": query.seconds} for query in report.queries],
        "bounds": None if report.bounds is None else cast(Json, report.bounds.to_json()),
    }


def report_to_text(report: Report, program: str | None = None, *, strict: bool = False) -> str:
    """The report as one line of JSON."""
    return json.dumps(report_to_json(report, program, strict=strict), ensure_ascii=False, allow_nan=False)


def _guarantee(guarantee: Guarantee) -> Json:
    return {
        "name": guarantee.name,
        "rule": guarantee.rule,
        "verdict": guarantee.verdict.value,
        "detail": guarantee.detail,
        "seconds": guarantee.seconds,
        "evidence": dict(guarantee.evidence),
    }


def _finding(finding: Finding) -> Json:
    return {
        "code": finding.code,
        "severity": finding.severity.value,
        "verdict": finding.verdict.value,
        "rule": finding.rule,
        "message": finding.message,
        "reason": list(finding.reason),
        "hint": finding.hint,
        "span": _span(finding.span),
        "source_line": finding.source_line,
        "places": [_place(place) for place in finding.places],
        "evidence": dict(finding.evidence),
        "seconds": finding.seconds,
    }


def _place(place: Place) -> Json:
    return {"span": _span(place.span), "source_line": place.source_line, "label": place.label}


def _span(span: Span) -> Json:
    ends: Sequence[tuple[str, Json]] = [
        (name, {"line": position.line, "column": position.column})
        for name, position in (("start", span.start), ("end", span.end))
    ]
    return dict(ends)


def _closure(closure: ClosureTable) -> Json:
    return {
        "rule": closure.rule,
        "contradictory": closure.contradictory,
        "distances": [
            {
                "subject": row.subject,
                "reference": row.reference,
                "negated": row.negated,
                "lower": row.lower,
                "upper": row.upper,
            }
            for row in closure.distances
        ],
    }
