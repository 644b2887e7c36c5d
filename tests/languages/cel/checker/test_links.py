"""Links that the machine does not support: what only it could tell is not decided, and the report names the link."""

from __future__ import annotations

import pytest

from parte.checker.solver.clock import Undecided
from parte.checker.solver.verdict import Verdict
from parte.languages.cel.checker import replay
from parte.languages.cel.checker.check import check
from parte.languages.cel.semantics.syntax.parser import parse
from parte.semantics.events.event import Event


@pytest.mark.parametrize("strategy", ["LAST", "NXT", "MAX"])
@pytest.mark.parametrize("link", ["x[v] < A[v]", "B[v] < A[v]"])
def test_a_link_with_a_strategy_is_not_decided_by_name(strategy: str, link: str) -> None:
    report = check(f"SELECT {strategy} * WHERE (A; B) FILTER {link}")
    assert report.verdict("every-clause-counts") is Verdict.NOT_PROVED
    (finding,) = report.of("useless-strategy")
    assert f"`{link}`" in finding.reason[0]


def test_a_link_below_an_operator_is_not_decided_by_name() -> None:
    report = check("SELECT * WHERE ((A;B) FILTER A[v]<B[v])+")
    assert report.verdict("every-part-counts") is Verdict.NOT_PROVED
    (finding,) = report.of("useless-iteration")
    assert "`A[v] < B[v]`" in finding.reason[0]


def test_a_query_that_may_have_no_result_is_open() -> None:
    names = [f"T{number}" for number in range(14)]
    text = f"SELECT LAST * WHERE ({' : '.join(names)}) FILTER T0[v] < T1[v]"
    report = check(text)
    assert (report.verdict("satisfiable"), report.exit_code) == (Verdict.NOT_PROVED, 4)
    (finding,) = report.of("unsatisfiable-query")
    assert "the machine does not support the link `T0[v] < T1[v]`" in finding.reason[0]
    assert "14 events" in finding.reason[0]


def test_streams_with_too_many_results_are_not_replayed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "MOST_RESULTS", 100)
    events = [Event(f"e{number}", "A", number, {}, "s") for number in range(14)]
    with pytest.raises(Undecided, match="more than 100 results"):
        replay.results(parse("SELECT * WHERE A+"), events)
    assert len(replay.results(parse("SELECT * WHERE A+"), events[:4])) == 15
