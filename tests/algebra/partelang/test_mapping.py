"""Rules as patterns of EA (D §4.4)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest
from hypothesis import given

from parte.algebra.partelang.evaluate import evaluate, holds
from parte.algebra.partelang.mapping import pattern_of
from parte.algebra.partelang.patterns import All, Binding, Conjunction, Filter, FilteredNegation, PatternError, Within
from parte.semantics.events.event import Event
from parte.semantics.partelang.syntax import core
from tests.algebra.partelang.strategies import DOMAIN, attribute_of, events, rules


def equal(left: str, right: str) -> core.Expression:
    return core.Comparison("=", attribute_of(left, "i"), attribute_of(right, "i"))


def pattern(variable: str, *conditions: core.Expression, negated: bool = False) -> core.Pattern:
    return core.Pattern(variable, "T", negated, conditions)


def test_filters_stand_where_their_variables_are_in_scope() -> None:
    alone = core.Comparison("=", attribute_of("x", "i"), core.Constant(1, core.Scalar.INTEGER))
    rule = core.Rule(
        "Rule",
        (pattern("x", alone), pattern("n", equal("n", "x"), negated=True), pattern("y", equal("y", "x"))),
        (
            core.Constraint("x", "y", 1, 2, False),
            core.Constraint("n", "x", 3, 4, True),
        ),
        (),
    )
    x, y, n = (Binding("T", variable) for variable in "xyn")
    negation = FilteredNegation(Filter(x, alone), n, All((equal("n", "x"), Within("n", "x", 3, 4))))
    assert pattern_of(rule) == Filter(Filter(Conjunction(negation, y), equal("y", "x")), Within("x", "y", 1, 2))


def test_a_rule_may_not_begin_with_a_negated_pattern() -> None:
    with pytest.raises(PatternError, match="Backwards"):
        pattern_of(core.Rule("Backwards", (pattern("n", negated=True), pattern("x")), (), ()))


def test_a_condition_on_a_later_variable_is_out_of_scope() -> None:
    with pytest.raises(PatternError, match="y"):
        pattern_of(core.Rule("Rule", (pattern("x"), pattern("z", equal("z", "y")), pattern("y")), (), ()))


def literal_matches(rule: core.Rule, stream: list[Event]) -> Iterator[dict[str, Event]]:
    """A rule read at once, without the algebra: try all events, demand everything at the end."""

    def within(constraint: core.Constraint) -> Within:
        return Within(constraint.subject, constraint.reference, constraint.begins, constraint.upper)

    positive = [[event for event in stream if event.template == p.template] for p in rule.positive]
    demands = [condition for p in rule.positive for condition in p.conditions]
    windows = [within(constraint) for constraint in rule.constraints if not constraint.negated]
    for chosen in product(*positive):
        bound = {p.variable: event for p, event in zip(rule.positive, chosen, strict=True)}
        if holds(All((*demands, *windows)), frozenset(bound.items()), DOMAIN) and not any(
            holds(
                All((*p.conditions, *(within(c) for c in rule.constraints if c.negated and c.subject == p.variable))),
                frozenset({**bound, p.variable: event}.items()),
                DOMAIN,
            )
            for p in rule.patterns
            if p.negated
            for event in stream
            if event.template == p.template
        ):
            yield bound


@given(rules("Rule", "TU", "R"), events())
def test_the_pattern_means_the_rule_read_at_once(rule: core.Rule, stream: list[Event]) -> None:
    expected = {frozenset(bound.items()) for bound in literal_matches(rule, stream)}
    assert evaluate(pattern_of(rule), stream, DOMAIN) == expected
