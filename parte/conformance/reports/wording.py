"""Phrases that all reports share."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

from parte.conformance.diagnosis.contrasts import contrasts
from parte.conformance.fixtures import called
from parte.conformance.results import CaseVerdict, Earned, EngineInfo, Report, Result

ORDER = (CaseVerdict.PASS, CaseVerdict.FAIL, CaseVerdict.ERROR, CaseVerdict.TIMEOUT, CaseVerdict.UNSUPPORTED)


def counted(counts: Counter[CaseVerdict]) -> str:
    """Return counts as `12 pass, 1 fail`, without zeros."""
    return ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in ORDER if counts[verdict]) or "no cases"


def who(engine: EngineInfo) -> str:
    """Return an engine's label and its own name."""
    named = f"{engine.name} {engine.version}".strip()
    return f"{engine.label} ({named})" if named else f"{engine.label} (never said who it is)"


def heading(report: Report) -> str:
    """Return the suite, its digests and the time of the run."""
    suite = called(report.suite, report.digest, report.extensions)
    return f"suite {suite}, {report.started}" + ("" if report.complete else ", INCOMPLETE")


def details(result: Result) -> Iterator[str]:
    """Yield the details of a result, and the command that runs the case again."""
    if result.message:
        yield result.message
    for word, matches, count in (
        ("missing", result.missing, result.missing_count),
        ("spurious", result.spurious, result.spurious_count),
    ):
        yield from (f"{word}: {as_line(match)}" for match in matches)
        if count > len(matches):
            yield f"{word}: and {count - len(matches)} more"
    yield from (f"difference: {line}" for line in contrasts(result.missing, result.spurious))
    if result.stderr:
        yield from (f"stderr: {line}" for line in result.stderr.rstrip("\n").split("\n")[-10:])
    if result.rerun:
        yield f"rerun: {result.rerun}"


def as_line(match: object) -> str:
    """Return a match as a line of JSON."""
    return json.dumps(match, ensure_ascii=False, separators=(",", ":"))


def constructs_line(earned: Earned) -> str:
    """Return the constructs that an engine may declare, ready for its reply to `hello`, and the results that it then
    has."""
    listed = json.dumps(earned.constructs, ensure_ascii=False)
    return f'by its answers "constructs": {listed}; of {earned.asked} cases that need no more it passes {earned.passed}'


def unsupported_reasons(report: Report, engine: str) -> list[tuple[str, int]]:
    """Return the reasons why cases were not supported, the most frequent first, so that nothing is skipped silently."""
    reasons = Counter(r.message for r in report.of(engine) if r.verdict is CaseVerdict.UNSUPPORTED)
    return reasons.most_common()
