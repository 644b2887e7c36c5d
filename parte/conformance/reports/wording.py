"""What all reports say in the same words."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

from parte.conformance.diagnosis.contrasts import contrasts
from parte.conformance.results import CaseVerdict, Earned, EngineInfo, Report, Result

ORDER = (CaseVerdict.PASS, CaseVerdict.FAIL, CaseVerdict.ERROR, CaseVerdict.TIMEOUT, CaseVerdict.UNSUPPORTED)


def counted(counts: Counter[CaseVerdict]) -> str:
    """`12 pass, 1 fail`, without what did not happen."""
    return ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in ORDER if counts[verdict]) or "no cases"


def who(engine: EngineInfo) -> str:
    """An engine by its label and what it calls itself."""
    named = f"{engine.name} {engine.version}".strip()
    return f"{engine.label} ({named})" if named else f"{engine.label} (never said who it is)"


def heading(report: Report) -> str:
    """Which suite was run when."""
    return f"suite {report.suite} ({report.digest}), {report.started}" + ("" if report.complete else ", INCOMPLETE")


def details(result: Result) -> Iterator[str]:
    """Why a result is what it is, and how to see it again."""
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
    """A match as a line of JSON."""
    return json.dumps(match, ensure_ascii=False, separators=(",", ":"))


def constructs_line(earned: Earned) -> str:
    """What an engine may declare, ready for its reply to `hello`, and what it would be asked then."""
    listed = json.dumps(earned.constructs, ensure_ascii=False)
    return f'by its answers "constructs": {listed}; of {earned.asked} cases that need no more it passes {earned.passed}'


def unsupported_reasons(report: Report, engine: str) -> list[tuple[str, int]]:
    """Why cases were not supported, the most frequent reason first; nothing is skipped in silence."""
    reasons = Counter(r.message for r in report.of(engine) if r.verdict is CaseVerdict.UNSUPPORTED)
    return reasons.most_common()
