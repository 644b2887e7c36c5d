"""A report as one HTML page that needs nothing else: no scripts, no fonts, no other files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from html import escape
from importlib import resources
from itertools import groupby

from parte.conformance.reports.wording import ORDER, counted, details, heading, unsupported_reasons, who
from parte.conformance.results import CaseVerdict, Report, Result
from parte.semantics.source.diagnostics import printable

_STYLE = resources.files(__package__).joinpath("page.css").read_text(encoding="utf-8")


def page(report: Report) -> str:
    """The page: a matrix of profiles and engines, the failures of each engine, and every case in a table."""
    body = "\n".join(_body(report))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>PARTE conformance</title>\n<style>\n{_STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _body(report: Report) -> Iterator[str]:
    yield "<h1>PARTE conformance</h1>"
    yield f'<p class="about">{_text(heading(report))}</p>'
    if not report.complete:
        yield '<p class="fail"><strong>The report is incomplete: the run did not come to its end.</strong></p>'
    yield from _matrix(report)
    for engine in report.engines:
        yield f"<h2>{_text(who(engine))}</h2>"
        yield f"<p>{_text(counted(report.counts(engine.label)))}. Command: <code>{_text(engine.command)}</code></p>"
        reasons = unsupported_reasons(report, engine.label)
        if reasons:
            yield "<table><tr><th class=n>cases</th><th>not supported, because</th></tr>"
            yield from (f"<tr><td class=n>{count}</td><td>{_text(reason)}</td></tr>" for reason, count in reasons)
            yield "</table>"
        for result in report.of(engine.label):
            if result.verdict.bad:
                yield _failure(result)
    yield "<h2>All cases</h2>"
    yield from _cases(report)


def _matrix(report: Report) -> Iterator[str]:
    """One engine: verdicts in columns. Several: engines in columns."""
    several = len(report.engines) > 1
    heads = [engine.label for engine in report.engines] if several else [verdict.value for verdict in ORDER]
    yield "<table><tr><th>profile</th>" + "".join(f"<th class=n>{_text(head)}</th>" for head in heads) + "</tr>"
    for profile in (*report.profiles(), None):
        counts = [report.counts(engine.label, profile) for engine in report.engines]
        if several:
            cells = [f"<td class=n>{_summary(each)}</td>" for each in counts]
        else:
            found = counts[0] if counts else Counter[CaseVerdict]()
            cells = [f'<td class="n {v.value if found[v] else "none"}">{found[v] or "·"}</td>' for v in ORDER]
        row = ' class="all"' if profile is None else ""
        yield f"<tr{row}><td>{_text(profile or 'all')}</td>{''.join(cells)}</tr>"
    yield "</table>"


def _summary(counts: Counter[CaseVerdict]) -> str:
    """`12/15 pass, 2 fail`, each verdict in its colour."""
    passed, total = counts[CaseVerdict.PASS], sum(counts.values())
    parts = [f'<span class="{"pass" if passed else "none"}">{passed}/{total} pass</span>']
    parts += [f'<span class="{v.value}">{counts[v]} {v.value}</span>' for v in ORDER[1:] if counts[v]]
    return ", ".join(parts)


def _failure(result: Result) -> str:
    known = ' class="known"' if result.known else ""
    word = f"{result.verdict.value}, known" if result.known else result.verdict.value
    lines = _text("\n".join(details(result)))
    return (
        f'<details{known}><summary><span class="{result.verdict.value}">{word}</span> '
        f"<code>{_text(result.case)}</code> {_text(result.description)}</summary><pre>{lines}</pre></details>"
    )


def _cases(report: Report) -> Iterator[str]:
    labels = [engine.label for engine in report.engines]
    head = "".join(f"<th>{_text(label)}</th>" for label in labels)
    for profile in report.profiles():
        chosen = sorted((r for r in report.results if r.profile == profile), key=lambda result: result.case)
        count = len({result.case for result in chosen})
        yield f"<details><summary>{_text(profile)}: {count} cases</summary>"
        yield f"<table><tr><th>case</th><th>description</th>{head}</tr>"
        for case, group in groupby(chosen, key=lambda result: result.case):
            results = {result.engine: result for result in group}
            description = next(iter(results.values())).description
            cells = "".join(f"<td>{_word(results[label]) if label in results else ''}</td>" for label in labels)
            yield f"<tr><td><code>{_text(case)}</code></td><td>{_text(description)}</td>{cells}</tr>"
        yield "</table></details>"


def _word(result: Result) -> str:
    title = f' title="{_text(result.message)}"' if result.verdict is CaseVerdict.UNSUPPORTED else ""
    return f'<span class="{result.verdict.value}"{title}>{result.verdict.value}</span>'


def _text(text: str) -> str:
    return escape(printable(text))
