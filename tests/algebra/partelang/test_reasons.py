"""What explains a match, and what finds the nearest misses, against the definition."""

from __future__ import annotations

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from parte.algebra.partelang import reasons
from parte.algebra.partelang.demands import Kind
from parte.algebra.partelang.evaluate import evaluate
from parte.algebra.partelang.mapping import pattern_of
from parte.algebra.partelang.reasons import explained, search
from parte.semantics.events.event import Event
from parte.semantics.partelang.syntax import core, parse
from tests.algebra.partelang.strategies import DOMAIN, events, rules

RULES = rules("Rule", "TTU", "R")


def _matches(rule: core.Rule, trace: list[Event]) -> set[tuple[str, ...]]:
    valuations = map(dict, evaluate(pattern_of(rule), trace, DOMAIN))
    return {tuple(value[pattern.variable].id for pattern in rule.positive) for value in valuations}


@settings(max_examples=25)
@given(RULES, events(most=4))
def test_all_demands_are_met_by_matches_alone(rule: core.Rule, trace: list[Event]) -> None:
    """By any events, of the wrong template too; and what fails is said to."""
    matches = _matches(rule, trace)
    variables = [pattern.variable for pattern in rule.positive]
    for chosen in product(trace, repeat=len(variables)):
        explanation = explained(rule, dict(zip(variables, chosen, strict=True)), trace, DOMAIN)
        assert explanation.holds == (tuple(event.id for event in chosen) in matches)
        assert all(
            reason.holds or reason.kind is not Kind.WINDOW or reason.outside > 0 for reason in explanation.reasons
        )


@settings(max_examples=25)
@given(RULES, events(most=5), st.data())
def test_a_search_that_ends_by_itself_counts_the_matches(
    rule: core.Rule, trace: list[Event], data: st.DataObject
) -> None:
    fixed: dict[str, Event] = {}
    if trace:
        variables = st.sampled_from([pattern.variable for pattern in rule.positive])
        fixed = data.draw(st.dictionaries(variables, st.sampled_from(trace), max_size=2))
    answer = search(rule, fixed, trace, DOMAIN)
    wanted = {
        match
        for match in _matches(rule, trace)
        if all(match[n] == fixed[p.variable].id for n, p in enumerate(rule.positive) if p.variable in fixed)
    }
    assert answer.complete
    assert answer.count == len(wanted)
    assert all(
        explanation.holds and tuple(event for _, event in explanation.bindings) in wanted
        for explanation in answer.matches
    )
    assert all(not explanation.holds for explanation in answer.nearest)
    assert answer.nearest == () or answer.count == 0
    failing = [sum(not reason.holds for reason in explanation.reasons) for explanation in answer.nearest]
    assert failing == sorted(failing)


@settings(max_examples=25)
@given(RULES, events(most=6), st.integers(0, 20))
def test_a_limit_is_held_and_told(rule: core.Rule, trace: list[Event], limit: int) -> None:
    answer = search(rule, {}, trace, DOMAIN, limit=limit)
    assert sum(level.tried for level in answer.levels) <= limit
    whole = search(rule, {}, trace, DOMAIN)
    assert answer == whole or not answer.complete


def test_of_more_failures_than_are_stored_the_nearest_are_reported() -> None:
    program = parse("template A {} template B {} rule R where a : A, b : B when b in a [0 ms, 0 ms]")
    distances = [*range(2_000, 0, -1), *range(2_001, 2_100)]
    assert len(distances) > reasons._MOST_FAILING
    trace = [Event("a", "A", 0, {}), *(Event(f"b{distance}", "B", distance, {}) for distance in distances)]
    answer = search(program.rules[0], {}, trace, {})
    assert [explanation.bindings for explanation in answer.nearest] == [(("a", "a"), ("b", f"b{k}")) for k in (1, 2, 3)]
    assert len(answer.nearest) == reasons.NEAREST
