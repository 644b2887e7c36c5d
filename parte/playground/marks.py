"""What is found of a program or a trace, as marks in the text of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from parte.playground.exchange import Answer, Mark, Where
from parte.semantics.events.problems import SHOWN, InputError
from parte.semantics.source.diagnostics import Diagnostic

if TYPE_CHECKING:
    from parte.checker.report.contents import Finding, Report


def marks_of(diagnostics: Iterable[Diagnostic]) -> tuple[Mark, ...]:
    """Diagnostics of a program."""
    return tuple(_mark(each, each.message) for each in diagnostics)


def problems(where: Where, error: InputError) -> tuple[Mark, ...]:
    """What is wrong with a trace or a domain, as much as a command shows of it."""
    found = [Mark(where, "error", each.message, each.hint, line=max(each.line, 0)) for each in error.problems[:SHOWN]]
    left = len(error.problems) + error.unlisted - len(found)
    return (*found, *([Mark(where, "error", f"and {left:,} more")] if left else []))


def reported(report: Report) -> Answer:
    """What the checker found."""
    from parte.checker.report.text import render

    marks = tuple(_mark(each, "; ".join([each.message, *each.reason])) for each in report.findings)
    return Answer(report.exit_code_of(strict=False) == 0, render(report), marks)


def _mark(found: Diagnostic | Finding, message: str) -> Mark:
    start, end = found.span.start, found.span.end
    return Mark(
        "program",
        found.severity.value,
        message,
        found.hint,
        found.code,
        start.line,
        start.column,
        end.line,
        end.column,
    )
