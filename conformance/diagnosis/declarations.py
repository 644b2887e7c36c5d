"""What an engine declares to have, held against what it answers (specification: protocol-constructs)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from difflib import get_close_matches

from parte.conformance.results import CaseVerdict, Result
from parte.conformance.runner.judging import NOT_ASKED, Prepared

_MOST_NAMED = 3


def remarks(
    declared: Collection[str], results: Iterable[Result], cases: Mapping[str, Prepared], known: Collection[str]
) -> Iterator[str]:
    """Where a declaration and the answers of an engine contradict each other; `known` is what may be declared."""
    for name in declared:
        if name not in known:
            near = get_close_matches(name, known, 1)
            yield f"it declares {name!r}, which is no construct" + (f"; did you mean {near[0]!r}?" if near else "")
    answered: dict[str, list[str]] = {}
    refused: dict[str, list[str]] = {}
    for result in results:
        lacking = cases[result.case].needs() - set(declared)
        if result.verdict in (CaseVerdict.PASS, CaseVerdict.FAIL):
            for name in sorted(lacking):
                answered.setdefault(name, []).append(result.case)
        elif result.verdict is CaseVerdict.UNSUPPORTED and not lacking and not result.message.startswith(NOT_ASKED):
            refused.setdefault(result.message, []).append(result.case)
    for name, ids in answered.items():
        yield f"it does not declare {name!r}, but answers {_some(ids)}, which need it"
    for reason, ids in refused.items():
        yield f"it declares all that {_some(ids)} need, but does not support them: {reason[:200]}"


def _some(ids: list[str]) -> str:
    more = f" and {len(ids) - _MOST_NAMED} more" if len(ids) > _MOST_NAMED else ""
    return f"{len(ids)} case{'' if len(ids) == 1 else 's'} ({', '.join(ids[:_MOST_NAMED])}{more})"
