"""A report for a terminal: a table of verdicts by profile, engines side by side, and each failure with its reasons."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from parte.conformance.fixtures import BY_HAND, Fixture
from parte.conformance.reports.wording import (
    ORDER,
    as_line,
    counted,
    details,
    heading,
    unsupported_reasons,
    who,
)
from parte.conformance.results import CaseVerdict, Report, Result
from parte.semantics.source.diagnostics import printable

STYLES = {
    CaseVerdict.PASS: "green",
    CaseVerdict.FAIL: "red",
    CaseVerdict.ERROR: "magenta",
    CaseVerdict.TIMEOUT: "yellow",
    CaseVerdict.UNSUPPORTED: "blue",
}
MOST_SHOWN = 10
"""Failures of one engine that are shown with their reasons; the report file holds them all."""
_MOST_LINES, _LONGEST_LINE = 60, 400


def text(report: Report) -> str:
    """The report without colours, every failure shown."""
    console = Console(file=io.StringIO(), width=120, color_system=None, highlight=False, emoji=False)
    with console.capture() as captured:
        show(console, report, most=None)
    return "\n".join(line.rstrip() for line in captured.get().split("\n"))


def show(console: Console, report: Report, *, most: int | None = MOST_SHOWN, cases: Iterable[Fixture] = ()) -> None:
    """Print a report, with at most so many failures of each engine (None: all).

    Of more failures than that those are shown that tell most, if the report's cases are given.
    """
    telling = {case.id: (case.origin != BY_HAND, len(case.text) + len(case.trace_text)) for case in cases}
    console.print(Text(printable(heading(report))))
    console.print(_table(report))
    for engine in report.engines:
        console.print(Text(f"{printable(who(engine))}: {counted(report.counts(engine.label))}", "bold"))
        for reason, count in unsupported_reasons(report, engine.label)[:MOST_SHOWN]:
            console.print(Text(f"  unsupported ({count}): {printable(reason)[:300]}", STYLES[CaseVerdict.UNSUPPORTED]))
        known = sum(result.known for result in report.of(engine.label))
        if known:
            console.print(Text(f"  {known} known failures are listed and not shown"))
        failed = [result for result in report.of(engine.label) if result.verdict.bad and not result.known]
        for result in failed if most is None or len(failed) <= most else _of_all_areas(failed, telling)[:most]:
            _show_failure(console, result)
        if most is not None and len(failed) > most:
            console.print(Text(f"  and {len(failed) - most} more; --report FILE and parte report show all"))
    if len(report.engines) > 1:
        _show_differences(console, report, most)


def _of_all_areas(failed: Sequence[Result], telling: Mapping[str, tuple[bool, int]]) -> list[Result]:
    """Failures, the first of every area before the second of any, for the few that are shown are to show many causes.

    Cases that a person wrote come first, for each is about one thing, and small ones before large ones.
    """
    areas: dict[str, list[Result]] = {}
    for result in sorted(failed, key=lambda result: telling.get(result.case, (False, 0))):
        areas.setdefault(result.case.partition("/")[0], []).append(result)
    return [result for turn in zip_longest(*areas.values()) for result in turn if result is not None]


def show_case(console: Console, case: Fixture) -> None:
    """Print what a case asks: its program, its trace, and which rules and clauses decide."""
    places = ", ".join(case.clauses + case.sources)
    lines = [
        "",
        f"{case.id} exercises {', '.join(case.rules) or 'no inference rule'} ({places})",
        *case.text.rstrip("\n").split("\n"),
        *(f"domain {name}: {as_line(table)}" for name, table in case.domain.items()),
        *([f"disorder: {case.disorder} ms"] if case.disorder else []),
        *(f"option {name}: {value}" for name, value in case.options.items()),
        *case.trace_text.rstrip("\n").split("\n"),
    ]
    for line in lines[:_MOST_LINES]:
        console.print(Text(printable(line)[:_LONGEST_LINE]), soft_wrap=True)
    if len(lines) > _MOST_LINES:
        console.print(Text(f"and {len(lines) - _MOST_LINES} lines more"))


def _table(report: Report) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("profile", style="cyan", no_wrap=True)
    several = len(report.engines) > 1
    if not several:
        for verdict in ORDER:
            table.add_column(verdict.value, justify="right")
    else:
        for engine in report.engines:
            table.add_column(printable(engine.label), justify="right")
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
    """The cases in which engines got different verdicts, engines in columns."""
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
