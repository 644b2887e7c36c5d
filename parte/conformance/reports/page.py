"""A report as one HTML page that needs no other file: it contains its styles and the script of the filter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape
from importlib import resources
from itertools import groupby

from parte.conformance.diagnosis.contrasts import contrasts
from parte.conformance.reports.wording import (
    ORDER,
    as_line,
    constructs_line,
    counted,
    heading,
    unsupported_reasons,
    who,
)
from parte.conformance.results import Asked, CaseVerdict, Cause, EngineInfo, Report, Result
from parte.semantics.events.differences import as_written, differences
from parte.semantics.source.diagnostics import printable

_FOLDER = resources.files(__package__)
_STYLE = _FOLDER.joinpath("page.css").read_text(encoding="utf-8")
_SCRIPT = _FOLDER.joinpath("page.js").read_text(encoding="utf-8")
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"


def page(report: Report) -> str:
    """Return the page: a matrix of profiles and engines, the failures of each engine by cause, and a table of all
    cases."""
    body = "\n".join(_body(report))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f"<title>PARTE conformance</title>\n<style>\n{_STYLE}</style>\n</head>\n<body>\n{body}\n"
        f"<script>\n{_SCRIPT}</script>\n</body>\n</html>\n"
    )


def _body(report: Report) -> Iterator[str]:
    yield f'<header><h1>PARTE conformance</h1><p class="about">{_text(report.language)}, {_text(heading(report))}</p>'
    if not report.complete:
        yield '<p class="fail"><strong>The report is incomplete: the run did not come to its end.</strong></p>'
    links = [f'<a href="#engine-{number}">{_text(engine.label)}</a>' for number, engine in enumerate(report.engines)]
    yield '<nav aria-label="Sections"><a href="#profiles">profiles</a>'
    yield from links
    yield '<a href="#cases">all cases</a></nav></header>'
    yield from _filter(report)
    yield '<main><section id="profiles"><h2>Profiles</h2><div class="wide">'
    yield from _matrix(report)
    yield "</div></section>"
    contents = {case.case: case for case in report.asked}
    for number, engine in enumerate(report.engines):
        yield f'<section id="engine-{number}">'
        yield from _engine(report, engine, contents)
        yield "</section>"
    yield '<section id="cases"><h2>All cases</h2>'
    yield from _cases(report)
    yield "</section></main>"


def _filter(report: Report) -> Iterator[str]:
    """Yield the filter, which is hidden until the script shows it: without the script it would do nothing."""
    yield '<form role="search" hidden><label>Filter <input type="search" name="words" autocomplete="off" '
    yield 'placeholder="words: a case, a clause, what is wrong"></label>'
    boxes = [verdict for verdict in ORDER if any(result.verdict is verdict for result in report.results)]
    yield '<fieldset><legend class="unseen">Verdicts</legend>'
    for verdict in boxes:
        yield (
            f'<label><input type="checkbox" name="verdict" value="{verdict.value}" checked> '
            f'<span class="{verdict.value}">{verdict.value}</span></label>'
        )
    yield '</fieldset><button type="reset">All</button><output aria-live="polite"></output>'
    yield '<span class="keys"><kbd>/</kbd> filter, <kbd>Esc</kbd> all</span></form>'


def _matrix(report: Report) -> Iterator[str]:
    """Yield the table of profiles: for one engine with verdicts in columns, for several with engines in columns."""
    several = len(report.engines) > 1
    heads = [engine.label for engine in report.engines] if several else [verdict.value for verdict in ORDER]
    yield "<table><tr><th>profile</th>" + "".join(f"<th class=n>{_text(head)}</th>" for head in heads) + "</tr>"
    for profile in (*report.profiles(), None):
        counts = [report.counts(engine.label, profile) for engine in report.engines]
        if several:
            cells = [f"<td class=n>{_summary(count)}</td>" for count in counts]
        else:
            verdicts = counts[0] if counts else Counter[CaseVerdict]()
            cells = [f'<td class="n {v.value if verdicts[v] else "none"}">{verdicts[v] or "·"}</td>' for v in ORDER]
        row = ' class="all"' if profile is None else ""
        yield f"<tr{row}><td>{_text(profile or 'all')}</td>{''.join(cells)}</tr>"
    yield "</table>"


def _summary(counts: Counter[CaseVerdict]) -> str:
    """`12/15 pass, 2 fail`, each verdict in its colour."""
    passed, total = counts[CaseVerdict.PASS], sum(counts.values())
    parts = [f'<span class="{"pass" if passed else "none"}">{passed}/{total} pass</span>']
    parts += [f'<span class="{v.value}">{counts[v]} {v.value}</span>' for v in ORDER[1:] if counts[v]]
    return ", ".join(parts)


# --- An engine --------------------------------------------------------------------------------------------------------


def _engine(report: Report, engine: EngineInfo, contents: dict[str, Asked]) -> Iterator[str]:
    yield f"<h2>{_text(who(engine))}</h2>"
    yield f"<p>{_text(counted(report.counts(engine.label)))}. Command: <code>{_text(engine.command)}</code></p>"
    if engine.features:
        yield f"<p>Features: {_text(', '.join(engine.features))}</p>"
    if engine.constructs is not None:
        yield f"<p>Declared: {_text(', '.join(engine.constructs) or 'nothing')}</p>"
    yield from (f'<p class="timeout">Declared otherwise: {_text(remark)}</p>' for remark in engine.remarks)
    if engine.earned is not None:
        yield f"<p>To declare: <code>{_text(constructs_line(engine.earned))}</code></p>"
    if engine.failure:
        yield f'<p class="error">It never started: {_text(engine.failure)}</p>'
        return
    reasons = unsupported_reasons(report, engine.label)
    if reasons:
        yield '<div class="wide"><table><tr><th class=n>cases</th><th>not supported, because</th></tr>'
        yield from (f"<tr><td class=n>{count}</td><td>{_text(reason)}</td></tr>" for reason, count in reasons)
        yield "</table></div>"
    failed = {result.case: result for result in report.of(engine.label) if result.verdict.bad}
    for cause in report.causes:
        if cause.engine == engine.label:
            members = [failed.pop(case) for case in cause.cases if case in failed]
            yield from _cause(cause, members, contents)
    known = [result for result in failed.values() if result.known]
    unexplained = [result for result in failed.values() if not result.known]
    for words, results in (("without a known cause", unexplained), ("known failures", known)):
        if results:
            yield f'<article><h3><span class="count">{len(results)}</span> {words}</h3>'
            yield from (_failure(result, contents.get(result.case)) for result in results)
            yield "</article>"


def _cause(cause: Cause, members: Sequence[Result], contents: dict[str, Asked]) -> Iterator[str]:
    yield f'<article><h3><span class="count">{len(members)}</span> {_text(cause.summary)}</h3>'
    if cause.clauses:
        named = " ".join(f"<code>{_text(clause)}</code>" for clause in cause.clauses)
        yield f'<p class="clauses">Clauses of the specification: {named}</p>'
    for place, result in enumerate(members):
        yield _failure(result, contents.get(result.case), opened=place == 0)
    yield "</article>"


def _failure(result: Result, content: Asked | None, *, opened: bool = False) -> str:
    word = f"{result.verdict.value}, known" if result.known else result.verdict.value
    parts = [
        f'<details class="case{" known" if result.known else ""}" data-verdict="{result.verdict.value}"'
        f'{" open" if opened else ""}><summary><span class="{result.verdict.value}">{word}</span> '
        f"<code>{_text(result.case)}</code> {_text(result.description)}</summary>"
    ]
    if content is not None:
        clauses = ", ".join((*content.clauses, *content.sources))
        parts.append(f'<p class="clauses">Follows from {_text(clauses)}</p>')
    if result.message:
        parts.append(f'<p class="{result.verdict.value}">{_text(result.message)}</p>')
    parts += [f'<p class="difference">{_text(line)}</p>' for line in contrasts(result.missing, result.spurious)]
    if content is not None:
        parts.append('<div class="sides">')
        parts.append(_block("Program", content.program))
        parts.append(_block("Trace", (*content.settings, *content.trace)))
        parts.append("</div>")
    parts.append(_answers(result, content))
    if result.stderr:
        parts.append(_block("Standard error", result.stderr.rstrip("\n").split("\n")[-10:]))
    if result.rerun:
        parts.append(f'<p class="rerun">Again: <code>{_text(result.rerun)}</code></p>')
    return "\n".join([*parts, "</details>"])


def _block(title: str, lines: Sequence[str]) -> str:
    return f"<div><h4>{title}</h4><pre>{_text(chr(10).join(lines))}</pre></div>"


def _answers(result: Result, content: Asked | None) -> str:
    """Return expected and reported matches, side by side; a match that only one side has is marked."""
    if content is None or content.rejected or result.verdict is not CaseVerdict.FAIL:
        expected = f"a rejection: {content.rejected}" if content is not None and content.rejected else ""
        missing = [*([expected] if expected else []), *map(as_line, result.missing)]
        spurious = [*map(as_line, result.spurious)]
        common: list[str] = []
    else:
        both, _ = differences(content.expected, result.missing, as_written)
        missing, spurious, common = (
            [*map(as_line, result.missing)],
            [*map(as_line, result.spurious)],
            [*map(as_line, both)],
        )
        if result.message and not missing and not spurious:
            return ""
    if not (missing or spurious or common):
        return ""
    more = result.missing_count - len(result.missing), result.spurious_count - len(result.spurious)
    sides = [
        _side("Expected", missing, common, more[0], "missing"),
        _side("Got", spurious, common, more[1], "spurious"),
    ]
    return f'<div class="sides">{"".join(sides)}</div>'


def _side(title: str, marked: Sequence[str], common: Sequence[str], more: int, kind: str) -> str:
    lines = [f'<li class="{kind}"><b>{kind}</b> {_text(line)}</li>' for line in marked]
    lines += [f"<li><b>and {more} more</b></li>"] if more > 0 else []
    lines += [f"<li>{_text(line)}</li>" for line in common]
    return f'<div><h4>{title}</h4><ul class="matches">{"".join(lines) or "<li>nothing</li>"}</ul></div>'


# --- All cases --------------------------------------------------------------------------------------------------------


def _cases(report: Report) -> Iterator[str]:
    labels = [engine.label for engine in report.engines]
    head = "".join(f"<th>{_text(label)}</th>" for label in labels)
    for profile in report.profiles():
        chosen = sorted((r for r in report.results if r.profile == profile), key=lambda result: result.case)
        count = len({result.case for result in chosen})
        yield f'<details class="profile"><summary>{_text(profile)}: {count} cases</summary>'
        yield f'<div class="wide"><table><tr><th>case</th><th>description</th>{head}</tr>'
        for case, group in groupby(chosen, key=lambda result: result.case):
            results = {result.engine: result for result in group}
            description = next(iter(results.values())).description
            cells = "".join(f"<td>{_word(results[label]) if label in results else ''}</td>" for label in labels)
            verdicts = " ".join(dict.fromkeys(result.verdict.value for result in results.values()))
            yield f'<tr class="case" data-verdict="{verdicts}"><td><code>{_text(case)}</code></td>'
            yield f"<td>{_text(description)}</td>{cells}</tr>"
        yield "</table></div></details>"


def _word(result: Result) -> str:
    title = f' title="{_text(result.message)}"' if result.verdict is CaseVerdict.UNSUPPORTED else ""
    return f'<span class="{result.verdict.value}"{title}>{result.verdict.value}</span>'


def _text(text: str) -> str:
    return escape(printable(text))
