"""A rule that is fed events as they come finds the same, as soon as an instant is over."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from parte.conformance.protocol import Found, Load
from parte.conformance.results import CaseVerdict
from parte.conformance.runner.judging import judge_case, prepare
from parte.conformance.runner.sessions import LocalSession
from parte.conformance.suites import load_suite
from parte.languages.lead import LEAD
from parte.languages.lead.algebra.rules import evaluate
from parte.languages.lead.conformance.engine import LeadEngine
from parte.languages.lead.semantics.feeding import Feeding
from parte.languages.lead.semantics.machine import Machine
from parte.languages.lead.semantics.syntax.parser import parse
from parte.languages.lead.semantics.syntax.streams import occurrences
from parte.semantics.events.problems import TraceError
from tests.languages.lead.campaigns.lead import Lead
from tests.languages.lead.semantics.runs import events_of, ids


def fed(rule: str, trace: str, disorder: int = 0) -> list[list[str]]:
    """What is found with each event, and at the end."""
    feeding = Feeding(Machine(parse(rule)), disorder)
    return [*(ids(feeding.event(event)) for event in events_of(trace)), ids(feeding.end())]


def test_a_match_is_told_when_its_instant_is_over() -> None:
    assert fed("FROM A, B MATCH A -> B", "a0@0 b1@2 b2@2 b3@3") == [[], [], [], ["2: a0 b1"], []]
    assert fed("FROM A, B MATCH all(A -> not B within 2 ms)", "a0@0 a1@1 x2@5") == [[], [], ["2: a0", "3: a1"], []]


def test_events_may_be_late_by_the_disorder() -> None:
    assert fed("FROM A, B MATCH A -> B", "b1@2 a0@1 b2@3 x3@4", 1) == [[], [], [], ["2: a0 b1"], []]
    with pytest.raises(TraceError, match="late-event"):
        fed("FROM A, B MATCH A -> B", "b1@2 a0@1")


def test_equal_matches_of_different_partitions_are_different_results() -> None:
    rule = "FROM A MATCH not A FILTER (A.v > 5) within 3 ms PARTITION BY A.v"
    assert fed(rule, "a0@0=1 a1@0=2") == [[], [], ["3:", "3:"]]


def test_partitions_of_1_and_true_are_different() -> None:
    events = events_of("a0@0=1 a1@0")
    events[1] = replace(events[1], attributes={"v": True})
    rule = parse("FROM A MATCH not A FILTER (A.v > 5) within 3 ms PARTITION BY A.v")
    feeding = Feeding(Machine(rule))
    fed_matches = [match for event in events for match in feeding.event(event)] + feeding.end()
    accepted = occurrences(rule, events)
    assert [len(fed_matches), len(Machine(rule).run(accepted)), len(evaluate(rule, accepted))] == [2, 2, 2]


BOUNDED = (
    "all(A -> B within 5 ms)",
    "all(A -> B within 5 ms -> C within 5 ms)",
    "all(A -> not B within 5 ms)",
    "all(A -> last(B) within 5 ms)",
    "all(A -> (collect(B) AS l within 5 ms))",
    "all(A -> wait(B, 5 ms))",
    "all(A within 5 ms from B)",
    "every(A -> B within 5 ms)",
    "every(adj(A and B))",
)


@pytest.mark.parametrize("pattern", BOUNDED)
def test_what_within_bounds_does_not_grow(pattern: str) -> None:
    """The most tokens that are stored after an event, on a trace and on one ten times as long."""
    feeding, source = Feeding(Machine(parse(f"FROM A, B, C MATCH {pattern}"))), Random(1)
    sizes = []
    for number in range(1_000):
        feeding.event(events_of(f"{source.choice('abc')}{number}@{2 * number}")[0])
        sizes.append(feeding.kept)
    assert max(sizes) <= 2 * max(sizes[:100])


@pytest.mark.parametrize(("pace", "matches"), [(1, 100), (7, 186)])
def test_windows_that_are_over_are_forgotten(pace: int, matches: int) -> None:
    feeding = Feeding(Machine(parse("FROM A MATCH all(A AS x -> A) PARTITION BY window(2)")))
    sizes = []
    count = 0
    for number in range(200):
        count += len(feeding.event(events_of(f"a{number}@{number // pace}")[0]))
        sizes.append(feeding.kept)
    assert (count + len(feeding.end()), max(sizes[100:])) == (matches, max(sizes[:25]))


def test_a_window_that_ends_in_an_instant_has_its_events_of_that_instant() -> None:
    rule = "FROM A, B MATCH A within 1 ms PARTITION BY window(2)"
    assert fed(rule, "b0@0 a1@2 b2@2") == [[], [], [], []]


@pytest.mark.parametrize(
    "pattern",
    [
        "every(A -> collect(B) terminate (count() == 2) AS l) Subcontext(i ==> l (MATCH not C within 2 ms)) AS m",
        "every(A -> (collect(B) AS l within 9 ms)) Subcontext(i ==> l (MATCH C within 2 ms)) AS m",
    ],
)
def test_branches_that_are_over_are_forgotten(pattern: str) -> None:
    feeding = Feeding(Machine(parse(f"FROM A, B, C MATCH {pattern}")))
    sizes = []
    count = 0
    for number in range(100):
        start = 10 * number
        trace = f"a{number}@{start} b{number}@{start + 1} c{number}@{start + 2} b{number}x@{start + 4}"
        for event in events_of(trace):
            count += len(feeding.event(event))
            sizes.append(feeding.kept)
    assert (count + len(feeding.end()), max(sizes[200:])) == (100, max(sizes[:20]))


def test_drawn_cases_are_fed() -> None:
    counts: Counter[str] = Counter()
    campaign = Lead()
    for number in range(30):
        campaign.attack(campaign.draw(Random(f"fed {number}")), counts)
    assert counts["with results"] > 3


def test_the_suite_is_fed() -> None:
    """Some cases of each file: nothing is told that is no match, and in the end all is told."""
    cases = [prepare(case, LEAD) for case in list(load_suite(LEAD).cases.values())[::8]]
    session = LocalSession(LeadEngine("sound"))
    verdicts = Counter(judge_case(session, case, 60.0, incremental=True).verdict for case in cases)
    assert verdicts.keys() == {CaseVerdict.PASS}


def test_an_engine_tells_all_that_is_certain() -> None:
    engine = LeadEngine("sound")
    engine.load(Load("FROM A MATCH all(A)", None))
    first = engine.feed([{"id": "a", "template": "A", "timestamp": 1}])
    second = engine.feed([{"id": "b", "template": "A", "timestamp": 2}])
    last = engine.advance()
    assert [len(farewell.matches) for farewell in (first, second, last) if isinstance(farewell, Found)] == [0, 1, 2]
