"""Findings on a program or a trace, as marks in its text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from parte.playground.exchange import Answer, Mark, Where
from parte.semantics.events.problems import SHOWN, InputError
from parte.semantics.source.diagnostics import Diagnostic

if TYPE_CHECKING:
    from parte.checker.report.contents import Finding, Report


def marks_of(diagnostics: Iterable[Diagnostic]) -> tuple[Mark, ...]:
    """Return the marks for diagnostics of a program."""
    return tuple(_mark(diagnostic, diagnostic.message) for diagnostic in diagnostics)


def problems(where: Where, error: InputError) -> tuple[Mark, ...]:
    """Return the marks for a trace or a domain with errors, as many as a command prints."""
    marks = [
        Mark(where, "error", problem.message, problem.hint, line=max(problem.line, 0))
        for problem in error.problems[:SHOWN]
    ]
    left = len(error.problems) + error.unlisted - len(marks)
    return (*marks, *([Mark(where, "error", f"and {left:,} more")] if left else []))


def reported(report: Report) -> Answer:
    """Return the answer for a report of the checker."""
    from parte.checker.report.text import render

    marks = tuple(_mark(finding, "; ".join([finding.message, *finding.reason])) for finding in report.findings)
    return Answer(report.exit_code_of(strict=False) == 0, render(report), marks)


def _mark(finding: Diagnostic | Finding, message: str) -> Mark:
    start, end = finding.span.start, finding.span.end
    return Mark(
        "program",
        finding.severity.value,
        message,
        finding.hint,
        finding.code,
        start.line,
        start.column,
        end.line,
        end.column,
    )
