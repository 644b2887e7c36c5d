"""Programs over traces: strata, emissions, failures, and the indexed evaluator against the naive one."""

from __future__ import annotations

from collections import Counter
from typing import Literal

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from parte.algebra.partelang.indexed import Indexes
from parte.algebra.partelang.programs import run
from parte.semantics.events.domain import MissingPredicate
from parte.semantics.events.event import Event, Progress, TraceItem, Value
from parte.semantics.events.outcome import Outcome
from parte.semantics.events.types import Scalar
from parte.semantics.partelang.syntax import core
from tests.algebra.partelang.strategies import (
    ATTRIBUTES,
    DOMAIN,
    OPTIONAL,
    PREDICATES,
    STRATA,
    TEMPLATES,
    attribute_of,
    events,
    programs,
)

Evaluator = Literal["naive", "indexed"]
both = pytest.mark.parametrize("evaluator", ["naive", "indexed"])


def program(*rules: core.Rule, predicates: tuple[core.Predicate, ...] = ()) -> core.Program:
    return core.Program(TEMPLATES, predicates, rules, STRATA)


def pattern(variable: str, template: str, *conditions: core.Expression, negated: bool = False) -> core.Pattern:
    return core.Pattern(variable, template, negated, conditions)


def emission(variable: str, template: str, **replaced: core.Expression) -> core.Emission:
    """An emission that copies an event, but for some attributes."""
    assignments = (
        core.Assignment(name, replaced.get(name, attribute_of(variable, name)), name in OPTIONAL) for name in ATTRIBUTES
    )
    return core.Emission(template, core.TimestampOf(variable), tuple(assignments))


def event(name: str, template: str, timestamp: int, **replaced: Value) -> Event:
    return Event(name, template, timestamp, {"i": 1, "f": 1.0, "s": "", "b": True, **replaced})


def bindings(outcome: Outcome) -> list[dict[str, str]]:
    return [dict(match.bindings) for match in outcome.matches]


def equal(left: str, right: str, name: str) -> core.Expression:
    return core.Comparison("=", attribute_of(left, name), attribute_of(right, name))


# --- By example ------------------------------------------------------------------------------------------------------


@both
@pytest.mark.parametrize(("distance", "inside"), [(-3, False), (-2, True), (5, True), (6, False)])
@pytest.mark.parametrize("swapped", [False, True])
def test_windows_are_closed_at_both_ends(evaluator: Evaluator, distance: int, inside: bool, swapped: bool) -> None:
    window = core.Constraint("x", "y", -5, 2, False) if swapped else core.Constraint("y", "x", -2, 5, False)
    rule = core.Rule("Rule", (pattern("x", "T"), pattern("y", "U")), (window,), ())
    trace = [event("t", "T", 10), event("u", "U", 10 + distance)]
    assert bool(run(program(rule), trace, evaluator=evaluator).matches) == inside
    absent = core.Rule(
        "Rule",
        (pattern("x", "T"), pattern("y", "U", negated=True)),
        (core.Constraint("y", "x", -2, 5, True),),
        (),
    )
    assert bool(run(program(absent), trace, evaluator=evaluator).matches) != inside


@both
def test_equal_contents_are_two_events_and_one_event_may_fill_two_patterns(evaluator: Evaluator) -> None:
    rule = core.Rule(
        "Rule",
        (pattern("x", "T"), pattern("y", "T", equal("y", "x", "i"))),
        (core.Constraint("y", "x", 0, 0, False),),
        (),
    )
    pairs = bindings(run(program(rule), [event("a", "T", 0), event("b", "T", 0)], evaluator=evaluator))
    assert pairs == [{"x": x, "y": y} for x in "ab" for y in "ab"]


@both
def test_a_positive_event_may_fill_its_own_negated_pattern(evaluator: Evaluator) -> None:
    """The refund scam as D lists it: the incoming transfer itself is what must not exist.

    Specification: reference-scenarios.
    """
    constraints = (core.Constraint("n", "x", 0, 5, True),)

    def rule(*conditions: core.Expression) -> core.Program:
        return program(
            core.Rule("Rule", (pattern("x", "T"), pattern("n", "T", *conditions, negated=True)), constraints, ())
        )

    different = core.Comparison("!=", attribute_of("n", "s"), attribute_of("x", "s"))
    trace = [event("a", "T", 0, s="a"), event("b", "T", 6, s="b")]
    assert bindings(run(rule(equal("n", "x", "i")), trace, evaluator=evaluator)) == []
    assert bindings(run(rule(different), trace, evaluator=evaluator)) == [{"x": "a"}, {"x": "b"}]


@both
@pytest.mark.parametrize(
    ("left", "right", "equal_as_floats"),
    [(2**53 + 1, 2.0**53, True), (2**53 + 1, 2.0**53 + 2, False), (0, -0.0, True), (1, 1.5, False)],
)
def test_mixed_equality_is_that_of_floats(evaluator: Evaluator, left: int, right: float, equal_as_floats: bool) -> None:
    condition = core.Comparison("=", core.ToFloat(attribute_of("y", "i")), attribute_of("x", "f"))
    window = core.Constraint("y", "x", 0, 0, False)
    rule = core.Rule("Rule", (pattern("x", "T"), pattern("y", "U", condition)), (window,), ())
    outcome = run(program(rule), [event("t", "T", 0, f=right), event("u", "U", 0, i=left)], evaluator=evaluator)
    assert bool(outcome.matches) == equal_as_floats


@both
def test_emitted_events_join_the_stream_of_the_next_stratum(evaluator: Evaluator) -> None:
    copies = core.Rule("Copies", (pattern("x", "T"),), (), (emission("x", "R"), emission("x", "R")))
    pairs = core.Rule(
        "Pairs",
        (pattern("r", "R"), pattern("y", "T", equal("y", "r", "s"))),
        (core.Constraint("y", "r", 1, 1, False),),
        (emission("r", "S"),),
    )
    trace: list[TraceItem] = [event("t1", "T", 0), event("t2", "T", 1, s="b"), event("t3", "T", 1)]
    trace.insert(1, Progress("default", "T", 0))
    outcome = run(program(pairs, copies), trace, evaluator=evaluator)  # strata, not the order in the text, decide
    assert [dict(match.bindings) for match in outcome.matches if match.rule == "Pairs"] == [
        {"r": "Copies#1(x=t1)", "y": "t3"},
        {"r": "Copies#2(x=t1)", "y": "t3"},
    ]
    first, second = outcome.matches[0].emits
    assert (first.id, first.source) == ("Copies#1(x=t1)", "rule:Copies#1")
    assert (second.id, second.source) == ("Copies#2(x=t1)", "rule:Copies#2")
    last = outcome.matches[-1].emits[0]
    assert (last.id, last.source) == ("Pairs(r=Copies#2(x=t1),y=t3)", "rule:Pairs#1")
    assert (last.template, last.timestamp, list(last.attributes.items())) == (
        "S",
        0,
        [("i", 1), ("f", 1.0), ("s", ""), ("b", True)],
    )


@both
def test_an_emission_without_value_emits_nothing_and_is_reported(evaluator: Evaluator) -> None:
    increment = core.Arithmetic("+", attribute_of("x", "i"), core.Constant(1, Scalar.INTEGER), Scalar.INTEGER)
    late = core.Emission("R", core.Shift(core.TimestampOf("x"), 2**63 - 1), emission("x", "R", i=increment).assignments)
    rule = core.Rule("Rule", (pattern("x", "T"),), (), (emission("x", "R", i=increment), emission("x", "R"), late))
    greatest = 2**63 - 1
    trace = [event("t", "T", 1, i=greatest), event("s", "T", 2, i=greatest), event("u", "T", 0)]
    outcome = run(program(rule), trace, evaluator=evaluator)
    assert [[emitted.id for emitted in match.emits] for match in outcome.matches] == [
        ["Rule#2(x=s)"],
        ["Rule#2(x=t)"],
        ["Rule#1(x=u)", "Rule#2(x=u)", "Rule#3(x=u)"],
    ]
    assert [(f.rule, f.position, f.bindings, f.without_value) for f in outcome.failures] == [
        ("Rule", 1, (("x", "s"),), ("i",)),
        ("Rule", 3, (("x", "s"),), ("timestamp", "i")),
        ("Rule", 1, (("x", "t"),), ("i",)),
        ("Rule", 3, (("x", "t"),), ("timestamp", "i")),
    ]
    assert str(outcome.failures[3]).startswith("Rule(x=t): emission 3 emits nothing, for a part of it has no value")


@both
def test_a_negated_variable_may_have_the_name_of_a_later_positive_one(evaluator: Evaluator) -> None:
    """Whatever the order of evaluation: here `y` has fewer events than `x`, so that indexes begin with it."""
    more = core.Comparison(">", attribute_of("y", "i"), attribute_of("x", "i"))
    small = core.Comparison("<=", attribute_of("y", "i"), core.Constant(1, Scalar.INTEGER))
    rule = core.Rule(
        "Rule",
        (pattern("x", "T"), pattern("y", "U", more, negated=True), pattern("y", "U", small)),
        (core.Constraint("y", "x", 2, 5, True), core.Constraint("y", "x", 1, 1, False)),
        (),
    )
    trace = [event("t", "T", 0), event("u", "U", 1), event("v", "U", 2), event("w", "T", 9), event("z", "T", 9)]
    assert bindings(run(program(rule), trace, evaluator=evaluator)) == [{"x": "t", "y": "u"}]
    assert bindings(run(program(rule), [*trace, event("a", "U", 1, i=2)], evaluator=evaluator)) == [
        {"x": "t", "y": "u"}
    ]
    assert bindings(run(program(rule), [*trace, event("a", "U", 2, i=2)], evaluator=evaluator)) == []


@both
def test_a_predicate_may_tell_the_two_zeros_apart(evaluator: Evaluator) -> None:
    def written(variable: str, value: float) -> core.Expression:
        return core.PredicateCall("same_text", (attribute_of(variable, "f"), core.Constant(value, Scalar.FLOAT)))

    window = core.Constraint("y", "x", 0, 0, False)
    rule = core.Rule(
        "Rule", (pattern("x", "T", written("x", -0.0)), pattern("y", "T", written("y", 0.0))), (window,), ()
    )
    same_text = {"same_text": lambda left, right: str(left) == str(right)}
    assert run(program(rule), [event("t", "T", 0, f=-0.0)], same_text, evaluator).matches == ()


@both
@pytest.mark.parametrize(("value", "is_match"), [(2**63 - 1, False), (1, True)])
def test_no_value_equals_nothing_not_even_no_value(evaluator: Evaluator, value: int, is_match: bool) -> None:
    def next_of(variable: str) -> core.Expression:
        return core.Arithmetic("+", attribute_of(variable, "i"), core.Constant(1, Scalar.INTEGER), Scalar.INTEGER)

    condition = core.Comparison("=", next_of("y"), next_of("x"))
    window = core.Constraint("y", "x", 0, 0, False)
    rule = core.Rule("Rule", (pattern("x", "T"), pattern("y", "U", condition)), (window,), ())
    trace = [event("t", "T", 0, i=value), event("u", "U", 0, i=value)]
    assert bool(run(program(rule), trace, evaluator=evaluator).matches) == is_match


def test_indexes_follow_the_stream() -> None:
    rule = core.Rule("Rule", (pattern("x", "T"), pattern("y", "T")), (core.Constraint("y", "x", 0, 1, False),), ())
    indexes = Indexes({})
    indexes.extend([event("b", "T", 1)])
    assert [(v["x"].id, v["y"].id) for v in indexes.valuations(rule)] == [("b", "b")]
    indexes.extend([event("a", "T", 0)])
    # Collected first: each valuation is one of its own.
    pairs = {(v["x"].id, v["y"].id) for v in list(indexes.valuations(rule))}
    assert pairs == {("a", "a"), ("a", "b"), ("b", "b")}


@both
def test_a_missing_predicate_is_named(evaluator: Evaluator) -> None:
    with pytest.raises(MissingPredicate, match="negative_zero"):
        run(program(predicates=PREDICATES), [], {"near": DOMAIN["near"]}, evaluator)


# --- In general ------------------------------------------------------------------------------------------------------


TRACES = st.lists(events(most=9), min_size=4, max_size=4)
"""Several traces a program, which is the dearer to draw."""


@given(programs(), TRACES)
def test_the_indexed_evaluator_finds_what_the_naive_one_finds(drawn: core.Program, traces: list[list[Event]]) -> None:
    for trace in traces:
        naive, indexed = run(drawn, trace, DOMAIN, "naive"), run(drawn, trace, DOMAIN, "indexed")
        assert [match.to_json() for match in indexed.matches] == [match.to_json() for match in naive.matches]
        assert indexed == naive


@given(programs(), events(), st.data())
def test_the_order_of_arrival_does_not_matter(drawn: core.Program, trace: list[Event], data: st.DataObject) -> None:
    assert run(drawn, data.draw(st.permutations(trace)), DOMAIN) == run(drawn, trace, DOMAIN)


@given(programs(), events())
def test_no_match_is_found_twice(drawn: core.Program, trace: list[Event]) -> None:
    lines = [match.to_json() for match in run(drawn, trace, DOMAIN).matches]
    assert lines == sorted(set(lines))


def test_the_generators_reach_what_matters() -> None:
    """Agreement over programs that never match would be no evidence."""
    reached: Counter[str] = Counter()

    @settings(max_examples=80, derandomize=True, database=None, phases=[Phase.generate])
    @given(programs(), TRACES)
    def observe(drawn: core.Program, traces: list[list[Event]]) -> None:
        for trace in traces:
            outcome = run(drawn, trace, DOMAIN)
            second = [match for match in outcome.matches if match.rule == "Second"]
            patterns = drawn.rule(outcome.matches[0].rule).patterns if outcome.matches else ()
            reached["joins"] += len(outcome.matches) > 1 and len(patterns) > 2
            reached["negation"] += any(pattern.negated and pattern.conditions for pattern in patterns)
            reached["emissions joined"] += any("#" in name for match in second for _, name in match.bindings)
            reached["emissions of the second stratum"] += any(match.emits for match in second)
            reached["failures"] += bool(outcome.failures)

    observe()
    assert min(reached.values()) > 5, reached
