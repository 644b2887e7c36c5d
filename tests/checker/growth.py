"""How much a check does on programs that are one operator, many times: the work is counted, not the time.

Work is what costs time: pairs and findings that a definition looks at, events and firings of replays, transitions of
automata that are made. A step to twice the size must not take many times the work.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from parte.checker.solver.clock import Clock

TIMEOUT = 0.2
MOST = 12_000_000
"""No check counts more, whatever its program is: each replay and each definition has a bound."""


def joined(operator: str, count: int, name: str = "A") -> str:
    """The same event, joined with itself."""
    return operator.join([name] * count)


def counting(monkeypatch: pytest.MonkeyPatch, effort: type) -> Counter[str]:
    """The work that is done from now on; `effort` is what a definition spends."""
    work: Counter[str] = Counter()
    spend: Callable[..., None] = effort.spend  # type: ignore[attr-defined]  # of whichever definition
    tick = Clock.tick

    def spending(self: object, amount: int) -> None:
        work["definition"] += amount
        spend(self, amount)

    def ticking(self: Clock, every: int = 64) -> None:
        work["steps"] += 1
        tick(self, every)

    monkeypatch.setattr(effort, "spend", spending)
    monkeypatch.setattr(Clock, "tick", ticking)
    return work


def bounded(check: Callable[[str], object], program: Callable[[int], str], work: Counter[str]) -> None:
    """Hold the work for longer and longer programs against the bound."""
    for size in (10, 20, 40, 80):
        work.clear()
        check(program(size))
        assert work.total() < MOST, (size, work)
