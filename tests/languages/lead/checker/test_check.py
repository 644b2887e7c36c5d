"""What is said of rules before a run: verdicts, findings, and the streams that show them."""

from __future__ import annotations

from typing import Any

import pytest

from parte.checker.report.contents import Report, Severity
from parte.checker.solver.verdict import Verdict
from parte.languages.lead.checker.check import check
from parte.languages.lead.checker.codes import CODES, GUARANTEES
from parte.semantics.source.diagnostics import ProgramError

FOUND = {
    "all(A FILTER (A.v > 1 and A.v < 1))": {"unsatisfiable-rule", "unsatisfiable-condition", "dead-transition"},
    "all(A -> B) FILTER (B.event_time < A.event_time)": {"unsatisfiable-rule", "growing-place"},
    "all(A FILTER (A.v == 'x' and A.v > 1))": {"unsatisfiable-rule", "unsatisfiable-condition", "dead-transition"},
    "collect(A) terminate (count() < 0)": {"unsatisfiable-rule", "unsatisfiable-condition", "growing-place"},
    "all(A FILTER (A.event_time == A.event_time))": {"useless-condition"},
    "all(A FILTER (A.v == A.v))": set[str](),
    "A -> B": {"few-matches", "growing-place"},
    "all(A within 5 ms)": {"early-end"},
    "all(A -> B)": {"growing-place"},
    "every(A FILTER (A.v > 3 and A.w == 'on'))": set[str](),
    "all(A -> not B within 3 ms)": set[str](),
    "every(A within 5 ms)": set[str](),
}
"""A pattern, and what is found for sure."""


def sure(report: Report) -> set[str]:
    """The codes of what is refuted."""
    return {finding.code for finding in report.findings if finding.verdict is Verdict.REFUTED}


@pytest.mark.parametrize("pattern", FOUND)
def test_what_is_found(pattern: str) -> None:
    report = check(f"FROM A, B, C MATCH {pattern}", 2.0)
    assert sure(report) == FOUND[pattern]
    assert {guarantee.name for guarantee in report.guarantees} == set(GUARANTEES)


def test_every_code_is_found_somewhere() -> None:
    text = "FROM A MATCH every(A) CHECK FIRST WHERE (A.v > 1) EMIT Event E() WHERE (A.v > 2) EMIT Event F() END"
    clause = check(text, 2.0)
    assert sure(clause) == {"unreachable-clause"}
    assert set().union(*FOUND.values()) | sure(clause) == set(CODES)


def plain(report: Report, guarantee: str) -> Any:
    """The evidence of a guarantee."""
    (evidence,) = [claim.evidence for claim in report.guarantees if claim.name == guarantee]
    return evidence


def test_what_is_said_comes_with_streams() -> None:
    report = check("FROM A, B MATCH all(A FILTER (A.v > 7) -> B FILTER (B.w == 'x'))", 2.0)
    trace = plain(report, "satisfiable")["trace"]
    assert [event["template"] for event in trace] == ["A", "B"]
    assert trace[0]["attributes"]["v"] > 7
    assert report.verdict("matches-again") is Verdict.PROVED
    (left, *_) = report.of("growing-place")
    assert left.evidence["repeated"] == [6, 12, 24]
    assert left.severity is Severity.WARNING


def test_bounds_of_places_are_told() -> None:
    places = plain(check("FROM A, B MATCH every(A -> (B within 10 s))", 2.0), "bounded-places")["places"]
    bounds = {place["place"].partition(" ")[0]: place["keeps"] for place in places if place["place"][:1] in "eT"}
    assert bounds == {"enabled": "what is at most 10000 ms old", "T": "what is at most 10000 ms old"}


def test_branches_are_kept_as_long_as_lists_that_time_ends() -> None:
    pattern = "every(A -> (collect(B) AS l within 7 ms)) Subcontext(i ==> l (MATCH A within 2 ms)) AS m"
    places = plain(check(f"FROM A, B MATCH {pattern}", 2.0), "bounded-places")["places"]
    assert [place["keeps"] for place in places if place["place"].startswith("count")] == ["what is at most 9 ms old"]


@pytest.mark.parametrize(
    ("pattern", "word"),
    [
        ("A -> all(B)", "outside"),
        ("all(A or B)", "`or`"),
        ("all(A -> (B within 3 ms))", "`within`"),
        ("every(A -> wait(B, 3 ms))", "`wait`"),
        ("all(A -> not B -> C)", "`not`"),
        ("all(A -> collect(B) terminate (count() > 1))", "list"),
        ("all(A -> B FILTER (B.event_time > 3))", "times"),
    ],
)
def test_why_it_is_not_decided_whether_a_rule_matches_again(pattern: str, word: str) -> None:
    (guarantee,) = [
        guarantee
        for guarantee in check(f"FROM A, B, C MATCH {pattern}", 2.0).guarantees
        if guarantee.name == "matches-again"
    ]
    assert guarantee.verdict is Verdict.NOT_PROVED
    assert word in guarantee.detail


def test_a_text_that_is_no_rule_is_refused() -> None:
    with pytest.raises(ProgramError):
        check("FROM A MATCH A ->", 1.0)
