"""Lists of known failures: JSON Lines, one failure each, with its engine, case and verdict.

A listed case may fail as listed. If it passes, or fails in another way, the list is out of date and the run fails.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace

from parte.conformance.results import CaseVerdict, Result
from parte.semantics.events.strictjson import decode, quoted

_LONGEST = 200
"""Characters of an error that are shown."""


class KnownFailuresError(ValueError):
    """Lines that are not a list of known failures."""


@dataclass(frozen=True, slots=True)
class Known:
    """The results, with known failures marked, and the listed failures that no longer occur."""

    results: tuple[Result, ...]
    outdated: tuple[str, ...]


Listed = Mapping[tuple[str, str], CaseVerdict]


def read_known(lines: Iterable[str], cases: Container[str]) -> Listed:
    """Return the verdicts by engine and case. KnownFailuresError, also for a case that the suite does not have."""
    listed: dict[tuple[str, str], CaseVerdict] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = decode(line)
            if not isinstance(record, dict):
                raise TypeError("expected an object")
            key, verdict = (str(record["engine"]), str(record["case"])), CaseVerdict(record["verdict"])
        except (ValueError, KeyError, TypeError) as error:
            problem = f"it has no {quoted(error.args[0])}" if isinstance(error, KeyError) else str(error)
            raise KnownFailuresError(f"line {number} is no known failure: {problem[:_LONGEST]}") from None
        if key[1] not in cases:
            raise KnownFailuresError(f"line {number}: the suite has no case {quoted(key[1])}")
        if not verdict.bad:
            raise KnownFailuresError(f"line {number}: {verdict.value} is no failure")
        listed[key] = verdict
    return listed


def apply_known(results: Iterable[Result], listed: Listed) -> Known:
    """Mark the listed failures; a listed case that was run without this failure is outdated."""
    marked, outdated = [], []
    for result in results:
        verdict = listed.get((result.engine, result.case))
        if verdict is result.verdict:
            result = replace(result, known=True)
        elif verdict is not None:
            outdated.append(f"{result.case} with {result.engine}: listed as {verdict.value}, is {result.verdict.value}")
        marked.append(result)
    return Known(tuple(marked), tuple(outdated))


def known_lines(results: Iterable[Result]) -> Iterable[str]:
    """Yield the list of all failures, sorted, without line ends."""
    failed = sorted((result.engine, result.case, result.verdict.value) for result in results if result.verdict.bad)
    for engine, case, verdict in failed:
        yield json.dumps({"engine": engine, "case": case, "verdict": verdict}, ensure_ascii=False)
