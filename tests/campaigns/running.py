"""Campaigns: cases drawn without end, each attacked, and what breaks made small.

A campaign says how a case is drawn, attacked, made smaller and shown. The runner has the clock, the counts and the
seed: case number n of a seed is the same on every run.
"""

from __future__ import annotations

import random
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Generic, Protocol, TypeVar

Case = TypeVar("Case")

SHRINKING = 120.0
"""Seconds for making one failure small."""

PROGRESS = 60.0
"""Seconds between two lines of progress."""

INTERRUPTED = "interrupted"
"""The count of a campaign that an interrupt ended early."""


class Broken(Exception):
    """A case does what it must not; `what` names it, and stays the same while the case is made smaller."""

    def __init__(self, what: str, detail: str = "") -> None:
        super().__init__(f"{what}: {detail}" if detail else what)
        self.what = what


class Campaign(Protocol[Case]):
    """What one campaign is about."""

    name: str

    def draw(self, source: random.Random) -> Case:
        """A case."""

    def attack(self, case: Case, counts: Counter[str]) -> None:
        """Raises if something is wrong, and counts what was tried."""

    def smaller(self, case: Case) -> Iterator[Case]:
        """Cases that are a little simpler, the simplest first; some may be none."""

    def show(self, case: Case) -> str:
        """The case as a program and a trace that can be run."""


@dataclass(frozen=True, slots=True)
class Failure(Generic[Case]):
    """What broke: of which case, which smaller one does the same, and what it said."""

    number: int
    what: str
    said: str
    case: Case


def run(
    campaign: Campaign[Case],
    *,
    seed: int,
    seconds: float,
    say: Callable[[str], None],
    first: int = 0,
    cases: int | None = None,
    step: int = 1,
    stopped: Callable[[], bool] = lambda: False,
) -> tuple[list[Failure[Case]], Counter[str]]:
    """Attack every `step`-th case until the time is over, or so many are; of failures of one kind the first is made
    small and the rest are counted. An interrupt ends it too, which is counted as `INTERRUPTED`."""
    counts: Counter[str] = Counter()
    failures: list[Failure[Case]] = []
    numbers = count(first, step) if cases is None else range(first, first + cases * step, step)
    try:
        _attack_all(campaign, numbers, seed, seconds, say, stopped, failures, counts)
    except KeyboardInterrupt:
        say("interrupted")
        counts[INTERRUPTED] = 1
    return failures, counts


def _attack_all(
    campaign: Campaign[Case],
    numbers: Iterable[int],
    seed: int,
    seconds: float,
    say: Callable[[str], None],
    stopped: Callable[[], bool],
    failures: list[Failure[Case]],
    counts: Counter[str],
) -> None:
    started = reported = time.monotonic()
    for number in numbers:
        if time.monotonic() - started >= seconds or stopped():
            return
        case = campaign.draw(random.Random(f"{campaign.name} {seed} {number}"))
        counts["cases"] += 1
        problem = _problem(campaign, case, counts)
        if problem is not None:
            what, said = problem
            counts[f"broken: {what}"] += 1
            if what not in {failure.what for failure in failures}:
                case, said = _small(campaign, case, what, said)
                failures.append(Failure(number, what, said, case))
                say(f"--- {campaign.name}, seed {seed}, case {number}: {said}\n{campaign.show(case)}")
        if time.monotonic() - reported > PROGRESS:
            reported = time.monotonic()
            say(f"{campaign.name}: {reported - started:.0f} s, {counts['cases']} cases, {len(failures)} failures")


def _problem(campaign: Campaign[Case], case: Case, counts: Counter[str]) -> tuple[str, str] | None:
    try:
        campaign.attack(case, counts)
    except Broken as broken:
        return broken.what, str(broken)
    except Exception as error:
        return type(error).__name__, "".join(traceback.format_exception(error)[-4:])
    return None


def _small(campaign: Campaign[Case], case: Case, what: str, said: str) -> tuple[Case, str]:
    until = time.monotonic() + SHRINKING
    improved = True
    while improved:
        improved = False
        for smaller in campaign.smaller(case):
            if time.monotonic() > until:
                break
            problem = _problem(campaign, smaller, Counter())
            if problem is not None and problem[0] == what:
                case, said, improved = smaller, problem[1], True
                break
    return case, said
