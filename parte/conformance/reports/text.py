"""A report for a terminal: a table of verdicts by profile, engines side by side, and failures by cause."""

from __future__ import annotations

import io
from collections.abc import Iterator

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from parte.conformance.reports.wording import (
    ORDER,
    constructs_line,
    counted,
    details,
    heading,
    unsupported_reasons,
    who,
)
from parte.conformance.results import Asked, CaseVerdict, Report, Result
from parte.semantics.source.diagnostics import printable

STYLES = {
    CaseVerdict.PASS: "green",
    CaseVerdict.FAIL: "red",
    CaseVerdict.ERROR: "magenta",
    CaseVerdict.TIMEOUT: "yellow",
    CaseVerdict.UNSUPPORTED: "blue",
}
MOST_SHOWN = 10
"""Failures of one engine that are printed with their reasons; the report file contains all."""
_MOST_NAMED = 5
"""Further cases of a cause that are named."""


def text(report: Report) -> str:
    """Return the report without colours, with every failure."""
    console = Console(file=io.StringIO(), width=120, color_system=None, highlight=False, emoji=False)
    with console.capture() as captured:
        show(console, report, most=None)
    return "\n".join(line.rstrip() for line in captured.get().split("\n"))


def show(console: Console, report: Report, *, most: int | None = MOST_SHOWN) -> None:
    """Print a report: of each engine at most so many causes of failures with a case of each (None: all of all)."""
    console.print(Text(printable(heading(report))))
    console.print(_table(report))
    for engine in report.engines:
        console.print(Text(f"{printable(who(engine))}: {counted(report.counts(engine.label))}", "bold"))
        if engine.failure:
            console.print(Text(f"  never started: {printable(engine.failure)}", STYLES[CaseVerdict.ERROR]))
            continue
        for reason, count in unsupported_reasons(report, engine.label)[:MOST_SHOWN]:
            console.print(
                Text(f"  unsupported ({count}): {printable(reason)[:300]}", STYLES[CaseVerdict.UNSUPPORTED]),
                soft_wrap=True,
            )
        for remark in engine.remarks:
            console.print(Text(f"  declared otherwise: {printable(remark)}", "yellow"), soft_wrap=True)
        if engine.earned is not None:
            console.print(Text(f"  to declare: {printable(constructs_line(engine.earned))}", "yellow"), soft_wrap=True)
        known = sum(result.known for result in report.of(engine.label))
        if known:
            console.print(Text(f"  {known} known failures are listed and not shown"))
        _show_failures(console, report, engine.label, most)
    if len(report.engines) > 1:
        _show_differences(console, report, most)


def _counted(count: int, summary: str) -> tuple[tuple[str, str], str]:
    """Return how many failures have a cause, and the cause; a summary that begins with their number is a sentence
    already."""
    sentence = printable(summary)
    if sentence.startswith(f"{count} of the "):
        return (str(count), "bold"), sentence.removeprefix(str(count))
    return (f"{count} failure{'' if count == 1 else 's'}", "bold"), f": {sentence}"


def _show_failures(console: Console, report: Report, engine: str, most: int | None) -> None:
    """Print failures by cause; if the report has no causes, one after the other."""
    failed = {result.case: result for result in report.of(engine) if result.verdict.bad and not result.known}
    causes = [cause for cause in report.causes if cause.engine == engine]
    for cause in causes[:most]:
        members = [failed.pop(case) for case in cause.cases if case in failed]
        console.print(Text.assemble("  ", *_counted(len(members), cause.summary)), soft_wrap=True)
        if cause.clauses:
            console.print(Text(f"  clauses: {', '.join(cause.clauses)}"), soft_wrap=True)
        for result in members if most is None else members[:1]:
            _show_failure(console, result)
        further = [] if most is None else [result.case for result in members[1:]]
        if further:
            more = f" and {len(further) - _MOST_NAMED} more" if len(further) > _MOST_NAMED else ""
            console.print(Text(f"    also: {', '.join(further[:_MOST_NAMED])}{more}"), soft_wrap=True)
    if not causes:
        for result in list(failed.values())[:most]:
            _show_failure(console, result)
    left = len(causes or failed) - (most or 0)
    if most is not None and left > 0:
        noun = "causes" if causes else "failures"
        console.print(Text(f"  and {left} more {noun}; --report FILE and parte report show all"))


def show_case(console: Console, case: Asked) -> None:
    """Print the content of a case: its program, its trace, and the clauses that it follows from."""
    places = ", ".join(case.clauses)
    cited = f" ({'; '.join(case.sources)})" if case.sources else ""
    lines = ["", f"{case.case} follows from {places}{cited}", *case.program, *case.settings, *case.trace]
    for line in lines:
        console.print(Text(printable(line)), soft_wrap=True)


def _table(report: Report) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("profile", style="cyan", no_wrap=True)
    several = len(report.engines) > 1
    if not several:
        for verdict in ORDER:
            table.add_column(verdict.value, justify="right")
    else:
        for engine in report.engines:
            table.add_column(Text(printable(engine.label)), justify="right")
    for profile in (*report.profiles(), None):
        cells: list[Text] = []
        for engine in report.engines:
            counts = report.counts(engine.label, profile)
            if not several:
                cells += [Text(str(counts[v] or "·"), STYLES[v] if counts[v] else "dim") for v in ORDER]
            else:
                total = sum(counts.values())
                worst = next((v for v in reversed(ORDER[1:4]) if counts[v]), CaseVerdict.PASS)
                left_out = counts[CaseVerdict.UNSUPPORTED]
                note = f" ({left_out} unsupported)" if left_out else ""
                cells.append(Text(f"{counts[CaseVerdict.PASS]}/{total}{note}", STYLES[worst]))
        if profile is None:
            table.add_section()
        table.add_row("all" if profile is None else Text(printable(profile)), *cells)
    return table


def _show_failure(console: Console, result: Result) -> None:
    about = printable(f" {result.case}: {result.description}")
    label = Text.assemble("  ", (result.verdict.value, STYLES[result.verdict]), about)
    console.print(label, soft_wrap=True)
    for line in details(result):
        console.print(Text(f"    {printable(line)}"), soft_wrap=True)


def _show_differences(console: Console, report: Report, most: int | None) -> None:
    """Print the cases in which engines got different verdicts, engines in columns."""
    rows = list(_differing(report))
    if not rows:
        console.print(Text("the engines have the same verdict in every case"))
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title="where they differ", title_justify="left")
    table.add_column("case", style="cyan", overflow="fold")
    for engine in report.engines:
        table.add_column(printable(engine.label))
    for case, verdicts in rows[:most]:
        table.add_row(Text(printable(case)), *(Text(v.value, STYLES[v]) if v else Text("") for v in verdicts))
    console.print(table)
    if most is not None and len(rows) > most:
        console.print(Text(f"and {len(rows) - most} more"))


def _differing(report: Report) -> Iterator[tuple[str, list[CaseVerdict | None]]]:
    by_case: dict[str, dict[str, CaseVerdict]] = {}
    for result in report.results:
        by_case.setdefault(result.case, {})[result.engine] = result.verdict
    for case, verdicts in by_case.items():
        if len(set(verdicts.values())) > 1:
            yield case, [verdicts.get(engine.label) for engine in report.engines]
