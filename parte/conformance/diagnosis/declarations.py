"""Comparison of the constructs that an engine declares with its answers (specification: protocol-constructs)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from parte.conformance.constructs import NODE, unknown
from parte.conformance.results import CaseVerdict, Earned, Result
from parte.conformance.runner.judging import NOT_ASKED, Prepared

_MOST_NAMED = 3


def remarks(
    declared: Collection[str], results: Iterable[Result], cases: Mapping[str, Prepared], known: Collection[str]
) -> Iterator[str]:
    """Yield the contradictions between a declaration and the answers of an engine; `known` is what may be declared."""
    yield from (f"it declares {problem}" for problem in unknown(declared, known))
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


def earned(results: Sequence[Result], cases: Mapping[str, Prepared]) -> Earned:
    """Return what an engine with these results may declare: constructs for which at least half of the cases that need
    them pass, among the cases that need nothing else. The construct that fails most is removed first: others may fail
    because of it."""
    passed = {result.case: result.verdict is CaseVerdict.PASS for result in results}
    needs = {case: cases[case].needs() for case in passed}
    chosen = frozenset[str]().union(*(needs[case] for case, passes in passed.items() if passes))
    while True:
        within = [case for case in passed if needs[case] <= chosen]
        needing = Counter(name for case in within for name in needs[case])
        right = Counter(name for case in within if passed[case] for name in needs[case])
        worst = min(sorted(chosen), key=lambda name: right[name] / max(1, needing[name]), default=None)
        if worst is None or 2 * right[worst] >= max(1, needing[worst]):
            return Earned(tuple(sorted(chosen, key=_in_order)), len(within), sum(passed[case] for case in within))
        chosen -= {worst}


def lacking(declared: Collection[str], cases: Iterable[Prepared]) -> list[tuple[str, int]]:
    """Return the undeclared constructs that most cases need, and how many need each."""
    return Counter(name for case in cases for name in case.needs() - set(declared)).most_common(_MOST_NAMED)


def _in_order(name: str) -> tuple[bool, str]:
    """Return a sort key that puts profiles first."""
    return name.startswith(NODE), name


def _some(ids: list[str]) -> str:
    more = f" and {len(ids) - _MOST_NAMED} more" if len(ids) > _MOST_NAMED else ""
    return f"{len(ids)} case{'' if len(ids) == 1 else 's'} ({', '.join(ids[:_MOST_NAMED])}{more})"
