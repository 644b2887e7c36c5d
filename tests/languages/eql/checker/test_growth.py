"""A check of EQL takes bounded work on long queries: few questions a stage, and traces as long as the query."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from parte.languages.eql.checker.check import check
from parte.languages.eql.checker.work import LONGEST, Work
from parte.semantics.events.event import Event

QUERIES: dict[str, Callable[[int], str]] = {
    "runs": lambda n: f"sequence by k with maxspan=1s [A where x == 1] with runs={n} ![B where true]",
    "stages": lambda n: "sequence by k with maxspan=1s " + "[A where x == 1] " * n,
    "absences": lambda n: "sequence by k with maxspan=1s [A where true]" + " ![B where true] [A where true]" * (n // 2),
    "until": lambda n: "sequence by k with maxspan=1s " + "[A where k == 1] " * n + "until [C where k == 2]",
    "and": lambda n: "A where " + " and ".join(["x > 1"] * n),
    "not": lambda n: "A where " + "not " * n + "x > 1",
    "patterns": lambda n: "A where x like (" + ", ".join(f'"a{number}*"' for number in range(n)) + ")",
}


@pytest.mark.parametrize("name", QUERIES)
def test_a_long_query_takes_bounded_work(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    replayed: list[int] = []
    results = Work.results

    def counted(self: Work, events: list[Event], *, without_until: bool = False) -> list[tuple[str, ...]]:
        replayed.append(len(events))
        return results(self, events, without_until=without_until)

    monkeypatch.setattr(Work, "results", counted)
    for size in (15, 40):
        replayed.clear()
        report = check(QUERIES[name](size), 1.0)
        assert len(report.queries) <= 20 * size
        assert len(replayed) <= 3 * size
        assert max(replayed, default=0) <= size + 2
    assert LONGEST < 40
