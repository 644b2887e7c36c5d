"""The content of a case, cut to the part that is shown beside a failure."""

from __future__ import annotations

import json
from collections.abc import Iterable

from parte.conformance.fixtures import Fixture
from parte.conformance.results import Asked, some_matches

_MOST_LINES, _LONGEST_LINE = 60, 400


def content_of_case(case: Fixture) -> Asked:
    """Return the program, the trace, the settings and the expectation of a case."""
    settings = [f"domain {name}: {json.dumps(table, ensure_ascii=False)}" for name, table in case.domain.items()]
    settings += [f"disorder: {case.disorder} ms"] if case.disorder else []
    settings += [f"option {name}: {value}" for name, value in case.options.items()]
    settings += [f"shares: {' '.join(map(str, case.shares))}"] if case.shares else []
    expected = case.expected
    return Asked(
        case.id,
        case.clauses,
        case.sources,
        _some(case.text.rstrip("\n").split("\n")),
        _some(json.dumps(item, ensure_ascii=False) for item in case.trace),
        _some(settings),
        some_matches(expected.matches),
        len(expected.matches),
        "" if expected.rejected is None else str(expected.rejected),
    )


def _some(lines: Iterable[str]) -> tuple[str, ...]:
    cut = [line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}…" for line in lines]
    more = len(cut) - _MOST_LINES
    return tuple(cut if more <= 0 else [*cut[:_MOST_LINES], f"… and {more} more lines"])
