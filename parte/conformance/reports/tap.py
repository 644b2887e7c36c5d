"""A report in the Test Anything Protocol, version 14."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from parte.conformance.reports.wording import details, heading, who
from parte.conformance.results import CaseVerdict, Report, Result
from parte.semantics.source.diagnostics import printable


def tap(report: Report, title: str = "", lines_of: Callable[[Result], Iterable[str]] = details) -> str:
    """Return a test point for each result; an unsupported case is a SKIP with its reason, a known failure a TODO.

    `lines_of` returns the details of a result; without a title the report is of a suite of the kit.
    """
    lines = ["TAP version 14", f"1..{len(report.results)}", f"# {_one_line(title or heading(report))}"]
    lines += [f"# {_one_line(who(engine))}" for engine in report.engines]
    for number, result in enumerate(report.results, 1):
        ok = "not ok" if result.verdict.bad else "ok"
        name = _escaped(f"{result.engine}: {result.case}")
        directive = ""
        if result.verdict is CaseVerdict.UNSUPPORTED:
            directive = f" # SKIP {_escaped(result.message)}"
        elif result.known:
            directive = " # TODO known failure"
        lines.append(f"{ok} {number} - {name}{directive}")
        if result.verdict.bad:
            block = [f"verdict: {result.verdict.value}", f"description: {_quoted(result.description)}", "details: |"]
            block += [f"  {line}" for detail in lines_of(result) for line in printable(detail).split("\n")]
            lines += ["  ---", *(f"  {line}" for line in block), "  ..."]
    if not report.complete:
        lines.append("Bail out! the report is incomplete")
    return "\n".join(lines) + "\n"


def _one_line(text: str) -> str:
    return " ".join(printable(text).split())


def _escaped(text: str) -> str:
    return re.sub(r"([\\#])", r"\\\1", _one_line(text))


def _quoted(text: str) -> str:
    return "'" + _one_line(text).replace("'", "''") + "'"
