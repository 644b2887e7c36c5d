"""A report for people: each finding in the form of a compiler message, then the guarantees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from parte.checker.report.contents import ClosureTable, Finding, Guarantee, Report, ScheduleReport, Severity
from parte.checker.solver.verdict import Verdict
from parte.semantics.events.duration import duration_in_words, duration_text
from parte.semantics.source import diagnostics
from parte.semantics.source.spans import Span


def render(report: Report, filename: str = "program", *, verbose: bool = False) -> str:
    """Return the whole report. `verbose` adds the closure of each rule and each guarantee rule by rule."""
    blocks = ["\n".join(finding_lines(finding, filename)) for finding in report.findings]
    if verbose:
        blocks.extend("\n".join(_closure(closure)) for closure in report.closures if closure.distances)
    blocks.append("\n".join(_guarantees(report, verbose)))
    if report.bounds is not None:
        blocks.append(report.bounds.render().rstrip("\n"))
    if report.schedule is not None:
        blocks.append("\n".join(_schedule(report.schedule)))
    blocks.append(_summary(report, filename))
    return "\n\n".join(blocks) + "\n"


def finding_lines(finding: Finding, filename: str) -> Iterator[str]:
    """Yield place, severity, code, message; the source line; the reasons; the other places; the hint."""
    source = _source(finding.span, finding.source_line)
    start = finding.span.start
    undecided = " (not proved)" if finding.verdict is Verdict.NOT_PROVED else ""
    label = f"{finding.severity.value}[{finding.code}]"
    yield f"{finding.span.file or filename}:{start.line}:{start.column}: {label}: {finding.message}{undecided}"
    yield from source
    for reason in finding.reason:
        yield f"  because: {reason}"
    for place in finding.places:
        yield f"  {place.span.file or filename}:{place.span.start.line}:{place.span.start.column}: {place.label}"
        yield from _source(place.span, place.source_line)
    if finding.hint:
        yield f"  hint: {finding.hint}"


def _source(span: Span, line: str) -> Sequence[str]:
    """Return the line and the carets under it, in the layout of the front end."""
    if not line:
        return ()
    drawn = diagnostics.Diagnostic("", diagnostics.Severity.ERROR, "", "", span, line).render()
    return drawn.split("\n")[1:3]


def _closure(closure: ClosureTable) -> Iterator[str]:
    yield f"the closure of `when` of `{closure.rule}`:"
    rows = [
        (
            f"{'no ' if row.negated else ''}{row.subject} in {row.reference}",
            "no bound" if row.lower is None else duration_text(row.lower),
            "no bound" if row.upper is None else duration_text(row.upper),
        )
        for row in closure.distances
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for what, lower, upper in rows:
        yield f"  {what:<{widths[0]}}  from {lower:>{widths[1]}}  to {upper:>{widths[2]}}"


def _guarantees(report: Report, verbose: bool) -> Iterator[str]:
    yield "guarantees:"
    width = max(map(len, report.sentences), default=0)
    for name, sentence in report.sentences.items():
        guarantees = [guarantee for guarantee in report.guarantees if guarantee.name == name]
        if not guarantees:
            continue
        counts = Counter(guarantee.verdict for guarantee in guarantees)
        worst = next(v for v in (Verdict.REFUTED, Verdict.NOT_PROVED, Verdict.VACUOUS, Verdict.PROVED) if counts[v])
        where = _where(guarantees, counts, worst)
        yield f"  {name:<{width}}  {worst.value:<10}  {sentence}{where}"
        if verbose:
            for guarantee in guarantees:
                if guarantee.rule is not None:
                    detail = f"  {guarantee.detail}" if guarantee.detail else ""
                    yield f"  {'':<{width}}    {guarantee.verdict.value:<10}  {guarantee.rule}{detail}"


def _schedule(schedule: ScheduleReport) -> Iterator[str]:
    late = f", events at most {duration_in_words(schedule.delay)} late" if schedule.delay else ""
    every, lookback = duration_in_words(schedule.every), duration_in_words(schedule.lookback)
    yield f"a query every {every} over the last {lookback} by {schedule.by}{late}:"
    width = max((len(row.rule) for row in schedule.rules), default=0)
    for row in schedule.rules:
        yield f"  {row.rule:<{width}}  {row.text()}"


def _where(guarantees: Sequence[Guarantee], counts: Counter[Verdict], worst: Verdict) -> str:
    if worst is Verdict.PROVED or guarantees[0].rule is None:
        return f" ({guarantees[0].detail})" if guarantees[0].rule is None and guarantees[0].detail else ""
    wording = {
        Verdict.REFUTED: "not so in",
        Verdict.NOT_PROVED: "open in",
        Verdict.VACUOUS: "there is nothing to say it of in",
    }
    return f" ({wording[worst]} {counts[worst]} of {len(guarantees)} rules)"


def _summary(report: Report, filename: str) -> str:
    counts = Counter(finding.severity for finding in report.findings)
    parts = [
        f"{counts[severity]} {severity.value}{'' if counts[severity] == 1 else 's'}"
        for severity in (Severity.ERROR, Severity.WARNING, Severity.NOTE)
        if counts[severity]
    ]
    solver_seconds = sum(query.seconds for query in report.queries)
    thought = f"{len(report.queries)} questions to the solver took {solver_seconds:.2f} s of {report.seconds:.2f} s"
    return f"{filename}: {', '.join(parts) if parts else 'nothing to report'}; {thought}"
