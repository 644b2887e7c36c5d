"""Whether an engine fails a case, or only after others: failing cases, asked once more each in a process of its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence

from parte.conformance.results import CaseVerdict, Cause, Result
from parte.conformance.runner.judging import Prepared

PROBED = 2
"""Cases of each group that are asked again, the plainest ones."""

MOST_ASKED = 60
"""Cases of an engine that are asked again at most."""


def told_apart(
    found: Sequence[Cause],
    results: Sequence[Result],
    cases: Mapping[str, Prepared],
    passes_alone: Callable[[Prepared], bool],
    regrouped: Callable[[Sequence[Result]], Iterable[Cause]],
    seconds: float,
) -> tuple[Cause, ...]:
    """The causes of the failures of one engine, with those apart that pass when they are asked alone.

    `passes_alone` asks a fresh process. Of a group of which no probe passes nothing more is asked; of the others all
    is, as far as these seconds and `MOST_ASKED` reach; what fails again is grouped once more by `regrouped`, without
    what does not. Timeouts are not asked again: each may cost its whole time.
    """
    deadline = time.monotonic() + seconds
    timeouts = {result.case for result in results if result.verdict is CaseVerdict.TIMEOUT}
    alone: dict[str, bool] = {}

    def asked(some: Iterable[str]) -> None:
        for case in some:
            if time.monotonic() < deadline and len(alone) < MOST_ASKED and case not in timeouts:
                alone[case] = passes_alone(cases[case])

    for cause in found:
        asked(cause.cases[:PROBED])
    if not any(alone.values()):
        return tuple(found)
    suspected = [
        cause for cause in found if any(alone.get(case, case not in timeouts) for case in cause.cases[:PROBED])
    ]
    for cause in suspected:
        asked([case for case in cause.cases if case not in alone])
    of_the_suspected = [case for cause in suspected for case in cause.cases]
    kept = [case for case in of_the_suspected if alone.get(case, True)]
    kept.sort(key=lambda case: case not in alone)
    others = [cause for cause in found if cause not in suspected]
    explained = {*kept, *(case for cause in others for case in cause.cases)}
    again = regrouped([result for result in results if result.case not in explained])
    return tuple(
        sorted([_stateful(kept, alone, found[0].engine), *others, *again], key=lambda cause: -len(cause.cases))
    )


def _stateful(kept: Sequence[str], alone: Mapping[str, bool], engine: str) -> Cause:
    passing = sum(case in alone for case in kept)
    more = f", and the other {len(kept) - passing} were not asked again" if passing < len(kept) else ""
    these = f"{passing} of these {len(kept)} cases pass, each in a process of its own" if len(kept) > 1 else "it passes"
    told = f"asked again, {these}{more}"
    summary = f"passes alone: the engine keeps something of earlier cases, or does not always answer alike; {told}"
    return Cause(engine, summary, tuple(kept), "", ("protocol-load-replaces",))
