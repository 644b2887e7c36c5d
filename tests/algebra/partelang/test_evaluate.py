"""The evaluator beside D def. 12: each case by example, and the laws that the definition implies."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parte.algebra.partelang.evaluate import MappingValue, evaluate, holds
from parte.algebra.partelang.patterns import (
    All,
    Binding,
    Condition,
    Conjunction,
    Disjunction,
    Filter,
    FilteredNegation,
    Pattern,
    Within,
)
from parte.semantics.events.event import Event
from parte.semantics.partelang.syntax import core
from tests.algebra.partelang.strategies import DOMAIN, conditions, events

X, Y = Binding("T", "x"), Binding("U", "y")


def event(name: str, template: str, timestamp: int) -> Event:
    return Event(name, template, timestamp, {"i": 1})


def ids(values: frozenset[MappingValue]) -> set[str]:
    """Each value as the ids of its events, by variable."""
    return {",".join(f"{variable}={event.id}" for variable, event in sorted(v, key=lambda p: p[0])) for v in values}


def test_each_case_of_the_definition() -> None:
    stream = [event("t1", "T", 0), event("t2", "T", 5), event("u1", "U", 1)]
    close = Within("y", "x", 0, 2)
    both = Conjunction(X, Y)
    assert ids(evaluate(X, stream, {})) == {"x=t1", "x=t2"}
    assert ids(evaluate(both, stream, {})) == {"x=t1,y=u1", "x=t2,y=u1"}
    assert ids(evaluate(Disjunction(X, Binding("U", "x")), stream, {})) == {"x=t1", "x=t2", "x=u1"}
    assert ids(evaluate(Disjunction(X, X), stream, {})) == {"x=t1", "x=t2"}
    assert ids(evaluate(Filter(both, close), stream, {})) == {"x=t1,y=u1"}
    assert ids(evaluate(FilteredNegation(X, Y, close), stream, {})) == {"x=t2"}
    assert ids(evaluate(FilteredNegation(X, Y, All(())), stream, {})) == set()
    assert ids(evaluate(FilteredNegation(X, Binding("R", "y"), All(())), stream, {})) == {"x=t1", "x=t2"}


def test_equal_contents_do_not_merge_two_events() -> None:
    stream = [event("t1", "T", 0), event("t2", "T", 0)]
    assert len(evaluate(X, stream, {})) == 2
    assert len(evaluate(Conjunction(X, Binding("T", "z")), stream, {})) == 4  # an event may fill both


@pytest.mark.parametrize(("distance", "inside"), [(1, False), (2, True), (5, True), (6, False)])
def test_windows_are_closed_at_both_ends(distance: int, inside: bool) -> None:
    stream = [event("t", "T", 10), event("u", "U", 10 + distance)]
    window = Within("y", "x", 2, 5)
    assert bool(evaluate(Filter(Conjunction(X, Y), window), stream, {})) == inside
    assert bool(evaluate(FilteredNegation(X, Y, window), stream, {})) != inside


def test_window_sums_are_exact() -> None:
    stream = [event("t", "T", 2**63 - 1), event("u", "U", -(2**63))]
    window = Within("x", "y", 2**64 - 1, 2**64 - 1)
    assert evaluate(Filter(Conjunction(X, Y), window), stream, {})


# --- Laws ------------------------------------------------------------------------------------------------------------

WINDOWS = st.builds(lambda lower, width: Within("y", "x", lower, lower + width), st.integers(-4, 4), st.integers(0, 4))
JOINT: st.SearchStrategy[Condition] = conditions(["x", "y"]) | WINDOWS
OF_X = conditions(["x"])
TRACES = events(most=6)
LEFTS: st.SearchStrategy[Pattern] = st.just(X) | OF_X.map(lambda condition: Filter(X, condition))


@given(LEFTS, TRACES, JOINT)
def test_conjunction_commutes_and_associates(left: Pattern, stream: list[Event], joint: Condition) -> None:
    def values(pattern: Pattern) -> frozenset[MappingValue]:
        return evaluate(Filter(pattern, joint), stream, DOMAIN)

    z = Binding("T", "z")
    assert values(Conjunction(left, Y)) == values(Conjunction(Y, left))
    assert values(Conjunction(Conjunction(left, Y), z)) == values(Conjunction(left, Conjunction(Y, z)))


@given(OF_X, TRACES)
def test_filters_may_be_pushed_down(of_x: core.Expression, stream: list[Event]) -> None:
    outside = Filter(Conjunction(X, Y), of_x)
    assert evaluate(outside, stream, DOMAIN) == evaluate(Conjunction(Filter(X, of_x), Y), stream, DOMAIN)


@given(JOINT, JOINT, TRACES)
def test_filters_compose(first: Condition, second: Condition, stream: list[Event]) -> None:
    both = Conjunction(X, Y)
    nested = evaluate(Filter(Filter(both, first), second), stream, DOMAIN)
    assert nested == evaluate(Filter(Filter(both, second), first), stream, DOMAIN)
    assert nested == evaluate(Filter(both, All((first, second))), stream, DOMAIN)


@given(JOINT, JOINT, TRACES)
def test_filters_distribute_over_disjunction(first: Condition, joint: Condition, stream: list[Event]) -> None:
    left, right = Filter(Conjunction(X, Y), first), Conjunction(Binding("U", "x"), Y)
    outside = evaluate(Filter(Disjunction(left, right), joint), stream, DOMAIN)
    assert outside == evaluate(Disjunction(Filter(left, joint), Filter(right, joint)), stream, DOMAIN)


@given(LEFTS, JOINT, TRACES)
def test_negation_leaves_what_the_join_does_not_reach(left: Pattern, joint: Condition, stream: list[Event]) -> None:
    joined = evaluate(Filter(Conjunction(left, Y), joint), stream, DOMAIN)
    reached = {frozenset(pair for pair in value if pair[0] == "x") for value in joined}
    remaining = evaluate(FilteredNegation(left, Y, joint), stream, DOMAIN)
    assert remaining | reached == evaluate(left, stream, DOMAIN)
    assert not remaining & reached


@given(JOINT, TRACES)
def test_the_order_of_the_stream_does_not_matter(joint: Condition, stream: list[Event]) -> None:
    pattern = Filter(Conjunction(X, Y), joint)
    values = evaluate(pattern, stream, DOMAIN)
    assert values == evaluate(pattern, stream[::-1], DOMAIN)
    assert all(holds(joint, value, DOMAIN) for value in values)
