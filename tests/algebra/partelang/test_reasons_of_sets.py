"""The explanation of rules with sets, against the definition, and the words of its reports."""

from __future__ import annotations

import json
import re
from itertools import product
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import parte
from parte.algebra.partelang.aggregates import Elements
from parte.algebra.partelang.demands import Kind
from parte.algebra.partelang.evaluate import evaluate
from parte.algebra.partelang.mapping import pattern_of
from parte.algebra.partelang.reasons import explained, search
from parte.conformance.partelang.strategies import ProgramShape, cases
from parte.conformance.partelang.why import UnknownBinding
from parte.semantics.events.domain import Predicates
from parte.semantics.events.event import Event, TraceItem
from parte.semantics.partelang.syntax import core

CASES = cases(ProgramShape(patterns=4, rules=1, strata=1, level=2, either=False))
Case = tuple[core.Program, tuple[TraceItem, ...]]
NONE: Predicates = {}


def matches_of(rule: core.Rule, trace: list[Event]) -> dict[tuple[str, ...], dict[str, Event]]:
    """Return the matches of a rule by the ids of their positive events; variables of sets are bound to sets."""
    valuations = map(dict, evaluate(pattern_of(rule), trace, NONE))
    return {tuple(value[pattern.variable].id for pattern in rule.positive): value for value in valuations}


@settings(max_examples=50)
@given(CASES)
def test_all_demands_are_met_by_matches_alone_and_sets_have_their_elements(case: Case) -> None:
    program, items = case
    rule, trace = program.rules[0], [item for item in items if isinstance(item, Event)][:5]
    matches = matches_of(rule, trace)
    variables = [pattern.variable for pattern in rule.positive]
    for chosen in product(trace, repeat=len(variables)):
        explanation = explained(rule, dict(zip(variables, chosen, strict=True)), trace, NONE)
        match = matches.get(tuple(event.id for event in chosen))
        assert explanation.holds == (match is not None)
        sets = {reason.variable: reason.events for reason in explanation.reasons if reason.kind is Kind.SET}
        for variable in match or ():
            if variable not in variables:
                elements = cast(Elements, cast(dict[str, Event], match)[variable])
                assert sorted(sets[variable]) == sorted(event.id for event in elements)
        failing = [reason for reason in explanation.reasons if reason.kind is Kind.HAVING and not reason.holds]
        assert all(reason.value and reason.outside >= 0 and reason.pattern == 0 for reason in failing)


@settings(max_examples=50)
@given(CASES, st.integers(0, 20))
def test_a_search_counts_the_matches_and_keeps_its_limit(case: Case, limit: int) -> None:
    program, items = case
    rule, trace = program.rules[0], [item for item in items if isinstance(item, Event)][:5]
    matches = matches_of(rule, trace)
    answer = search(rule, {}, trace, NONE)
    assert answer.complete
    assert answer.count == len(matches)
    assert all(
        explanation.holds and tuple(event for _, event in explanation.bindings) in matches
        for explanation in answer.matches
    )
    assert all(not explanation.holds for explanation in answer.nearest)
    limited = search(rule, {}, trace, NONE, limit=limit)
    assert limited == answer or (not limited.complete and sum(level.tried for level in limited.levels) <= limit)


# --- The words of reports ---------------------------------------------------------------------------------------------

DECLARED = """level 2
template A { k : Integer }
template B { k : Integer, x : Float, s : String }
template C { k : Integer }
template D { k : Integer }
rule R where
    a : A,
    all b : B { k < 9 },
    all c : C
when
    b in a [-20 ms, 0 ms],
    c in a [-20 ms, 0 ms]
having
    """
ELEMENTS = ((1, 0.5, "m"), (2, 0.25, "n"), (2, 1e308, "n"))
TRACE = (
    *(Event(f"b{n}", "B", 10 * n, {"k": k, "x": x, "s": s}, "s") for n, (k, x, s) in enumerate(ELEMENTS)),
    Event("a", "A", 20, {"k": 7}, "s"),
    Event("late", "B", 22, {"k": 0, "x": 0.0, "s": ""}, "s"),
)


@pytest.mark.parametrize(
    ("having", "value", "outside"),
    [
        ("count(b) >= 5", "count(b) is 3, 2 short of 5", 2),
        ("5 <= count(b)", "count(b) is 3, 2 short of 5", 2),
        ("count(b) > 3", "count(b) is 3, not > 3", 0),
        ("count(b) < 2", "count(b) is 3, 1 over 2", 1),
        ("count(b) = 4", "count(b) is 3, 1 short of 4", 1),
        ("count(b) != 3", "count(b) is 3, not != 3", 0),
        ("not count(b) > 1", "count(b) is 3, 2 over 1", 2),
        ("count(distinct b.k) >= a.k", "count(distinct b.k) is 2, 5 short of a.k = 7", 5),
        ("count(b) >= count(c) + 4", "count(b) is 3, 1 short of count(c) + 4 = 4", 1),
        ("max(b.x) <= 0.5 * 1e308", "max(b.x) is 1e+308, 5e+307 over 0.5 * 1e+308 = 5e+307", 5e307),
        ("min(b.x) > 0.5", "min(b.x) is 0.25, 0.25 short of 0.5", 0.25),
        ('first(b.s) = "n"', 'first(b.s) is "m", not = "n"', 0),
        ("exists(c)", "exists(c) is false", 0),
        ("not exists(b)", "exists(b) is true", 0),
        ("avg(c.k) > 1.0", "avg(c.k) has no value: the set is empty", 0),
        ("sum(b.k) * 4611686018427387904 > 1", "sum(b.k) * 4611686018427387904 has no value", 0),
        ("count(b) >= 5 or count(c) >= 1", "count(b) is 3, 2 short of 5; count(c) is 0, 1 short of 1", 1),
        ("not (exists(b) and count(c) < 2)", "exists(b) is true; count(c) is 0, 2 short of 2", 0),
        ('starts_with(last(b.s), "m")', 'last(b.s) = "n"', 0),
    ],
)
def test_what_fails_in_having_is_named_with_its_distance(having: str, value: str, outside: float) -> None:
    explanation = parte.why(parte.parse(DECLARED + having), TRACE, bindings={"a": "a"}).whole
    assert explanation is not None
    (failing,) = [reason for reason in explanation.reasons if not reason.holds]
    assert (failing.kind, failing.value, failing.outside) == (Kind.HAVING, value, outside)


def test_a_report_has_the_elements_and_the_value_of_every_aggregate() -> None:
    text = DECLARED + "count(b) >= 5, count(c) = 0\nthen emit D at max(b.timestamp) with { k = sum(b.k) + sum(b.k) }"
    answer = parte.why(parte.parse(text), TRACE, bindings={"a": "a"})
    lines = [re.sub(" +[0-9]+:[0-9]+ +", " @ ", line) for line in answer.render().splitlines()]
    assert lines == [
        "R(a=a): no match",
        "  a = a",
        "  all b",
        "    set  all B in a [-20 ms, 0 ms] @ 3 elements: b0 (20 ms before a), b1 (10 ms before a), "
        "b2 (at the time of a)",
        "    is   count(b) @ 3",
        "    is   max(b.timestamp) @ 20",
        "    is   sum(b.k) @ 5",
        "  all c",
        "    set  all C in a [-20 ms, 0 ms] @ none of 0 is in it",
        "    is   count(c) @ 0",
        "  having",
        "    NO   count(b) >= 5 @ count(b) is 3, 2 short of 5",
        "    yes  count(c) = 0 @ count(c) = 0",
    ]
    record = json.loads(answer.to_json())["explained"]
    assert [reason["events"] for reason in record["reasons"] if reason["kind"] == "set"] == [["b0", "b1", "b2"], []]


def test_the_element_that_lies_nearest_to_an_empty_set_is_named() -> None:
    text = DECLARED.replace("b in a [-20 ms, 0 ms]", "b in a [3 ms, 9 ms]") + "exists(b)"
    answer = parte.why(parte.parse(text), TRACE, bindings={"a": "a"})
    assert "none of 4 is in it; nearest: late (2 ms after a, 1 ms too early)" in answer.render()


def test_a_search_reports_having_after_the_patterns_and_the_nearest_first() -> None:
    more = (*TRACE, Event("a2", "A", 5, {"k": 7}, "s"), Event("a3", "A", 15, {"k": 7}, "s"))
    answer = parte.why(parte.parse(DECLARED + "count(b) >= 4"), sorted(more, key=lambda event: event.timestamp))
    assert answer.render().splitlines()[:5] == [
        "R: no match",
        "  pattern by pattern:",
        "    a : A: 3 of 3 left",
        "    having: 0 of 3 left",
        "      3 fail  count(b) >= 4",
    ]
    assert answer.search is not None
    assert [dict(explanation.bindings)["a"] for explanation in answer.search.nearest] == ["a", "a3", "a2"]


def test_a_set_is_not_bound() -> None:
    with pytest.raises(UnknownBinding, match="b is a set, which is not bound; its variables are: a"):
        parte.why(parte.parse(DECLARED + "exists(b)"), TRACE, bindings={"b": "b0"})
