"""Recognizing failures that occur only after other cases: failing cases are run again, each in a new process."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence

from parte.conformance.results import CaseVerdict, Cause, Result
from parte.conformance.runner.judging import Prepared

PROBED = 2
"""Cases of each group that are run again, the plainest ones."""

MOST_ASKED = 60
"""Cases of an engine that are run again at most."""


def told_apart(
    groups: Sequence[Cause],
    results: Sequence[Result],
    cases: Mapping[str, Prepared],
    passes_alone: Callable[[Prepared], bool],
    regrouped: Callable[[Sequence[Result]], Iterable[Cause]],
    seconds: float,
) -> tuple[Cause, ...]:
    """Return the causes of the failures of one engine; cases that pass when they are run alone get a cause of their
    own.

    `passes_alone` runs a case in a new process. If no probe of a group passes, the rest of the group is not run again;
    of the other groups all cases are, as far as these seconds and `MOST_ASKED` allow. Those that fail again are grouped
    again by `regrouped`, without those that pass. Timeouts are not run again: each may need its whole time.
    """
    deadline = time.monotonic() + seconds
    timeouts = {result.case for result in results if result.verdict is CaseVerdict.TIMEOUT}
    alone: dict[str, bool] = {}

    def probe(some: Iterable[str]) -> None:
        for case in some:
            if time.monotonic() < deadline and len(alone) < MOST_ASKED and case not in timeouts:
                alone[case] = passes_alone(cases[case])

    for cause in groups:
        probe(cause.cases[:PROBED])
    if not any(alone.values()):
        return tuple(groups)
    suspected = [
        cause for cause in groups if any(alone.get(case, case not in timeouts) for case in cause.cases[:PROBED])
    ]
    for cause in suspected:
        probe([case for case in cause.cases if case not in alone])
    in_suspected = [case for cause in suspected for case in cause.cases]
    failures = [case for case in in_suspected if alone.get(case, True)]
    failures.sort(key=lambda case: case not in alone)
    unsuspected = [cause for cause in groups if cause not in suspected]
    explained = {*failures, *(case for cause in unsuspected for case in cause.cases)}
    regrouped_causes = regrouped([result for result in results if result.case not in explained])
    return tuple(
        sorted(
            [_stateful(failures, alone, groups[0].engine), *unsuspected, *regrouped_causes],
            key=lambda cause: -len(cause.cases),
        )
    )


def _stateful(members: Sequence[str], alone: Mapping[str, bool], engine: str) -> Cause:
    passing = sum(case in alone for case in members)
    more = f", and the other {len(members) - passing} were not asked again" if passing < len(members) else ""
    these = (
        f"{passing} of these {len(members)} cases pass, each in a process of its own"
        if len(members) > 1
        else "it passes"
    )
    evidence = f"asked again, {these}{more}"
    summary = f"passes alone: the engine keeps something of earlier cases, or does not always answer alike; {evidence}"
    return Cause(engine, summary, tuple(members), "", ("protocol-load-replaces",))
