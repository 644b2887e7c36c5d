"""The nets find what the formulas say, whichever of equal ranks fires; without a repair they do not."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parte.languages.lead.algebra.rules import evaluate
from parte.languages.lead.conformance.drawing import Shape
from parte.languages.lead.conformance.strategies import cases
from parte.languages.lead.semantics.machine import Machine
from parte.languages.lead.semantics.repairs import PUBLISHED, SOUND
from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.parser import parse
from parte.languages.lead.semantics.syntax.readings import CHOICES, Readings
from parte.languages.lead.semantics.syntax.streams import occurrences
from parte.languages.lead.semantics.translation import NoNet
from parte.semantics.events.event import Event
from tests.languages.lead.semantics.runs import defined, occurring, rule_of, run, written

SHAPES = [Shape(depth=2, events=7), Shape(depth=3, events=5)]

REPAIRED = {
    "instant": ("A -> B", "b0@0 a1@0"),
    "unique": ("all(A -> A AS x)", "a0@0"),
    "twins": ("all(A and A)", "a0@0 a1@1"),
    "activation": ("all(A -> (B and C))", "a0@0 b1@1 a2@2 c3@3"),
    "deadline-first": ("all(B within 2 ms from A)", "a0@0 b1@2"),
    "kill-all": ("all(A -> not B within 3 ms)", "a0@0 a1@1 b2@2"),
    "invalidate-first": ("collect(A) terminate (count() >= 1) invalidate (count() >= 1)", "a0@0"),
    "outer-join": ("all(A or B)", "a0@0 b1@0"),
    "wait-all": ("all(wait(A, 1 ms))", "a0@0 a1@0"),
    "rearm": ("all(collect(A) terminate (count() == 1))", "a0@0 a1@1"),
    "local-age": ("all(B within 2 ms from (A -> C))", "a0@0 c1@2 b2@3"),
    "sub-release": (
        "collect(A) terminate (count() >= 1) AS l "
        "Subcontext(i ==> l (MATCH not B within 2 ms)) terminate (count(l) > 0) AS m",
        "a0@0",
    ),
    "keep": ("A -> B", "a0@0 b1@1000"),
}
"""A pattern and a trace for each repair; without it the net finds something else."""


@pytest.mark.parametrize("shape", SHAPES, ids=["long", "deep"])
@settings(max_examples=25)
@given(data=st.data(), schedule=st.integers(0, 3))
def test_the_net_finds_what_the_formulas_say(shape: Shape, data: st.DataObject, schedule: int) -> None:
    rule, items = data.draw(cases(shape))
    events = occurrences(rule, items)
    chosen = Random(schedule) if schedule else None
    assert written(Machine(rule, schedule=chosen).run(events)) == written(evaluate(rule, events))


@settings(max_examples=40)
@given(
    case=cases(Shape(depth=3, events=9, least=4)),
    rng=st.randoms(use_true_random=False),
    readings=st.builds(Readings, **{name: st.sampled_from(choices) for name, choices in CHOICES.items()}),
)
def test_the_net_finds_what_the_formulas_say_under_every_reading(
    case: tuple[tree.Rule, tuple[Event, ...]], rng: Random, readings: Readings
) -> None:
    rule, items = case
    events = occurrences(rule, items)
    try:
        machine = Machine(rule, schedule=rng, readings=readings)
    except NoNet:
        return
    assert written(machine.run(events)) == written(evaluate(rule, events, readings))


BRANCH = "collect(A) terminate (count() == 1) AS l Subcontext(i ==> l (MATCH {})) AS m"
NO_NET = {
    "adj(A and B)": (Readings(adjacent="least"), "a0@0 b1@2", " a2@3"),
    BRANCH.format("wait(B, 1 ms)"): (Readings(wait="conjunction"), "a0@0", " b1@2"),
    BRANCH.format("wait(B within 3 ms, 1 ms)"): (Readings(wait="conjunction"), "a0@0", " b1@2"),
}
"""A rule and a reading under which it has no net: a trace, and later events."""


@pytest.mark.parametrize("pattern", NO_NET)
def test_what_no_net_can_find_depends_on_what_comes_later(pattern: str) -> None:
    """What a net finds up to an instant is the same whatever comes later; what is meant is not."""
    readings, trace, later = NO_NET[pattern]
    with pytest.raises(NoNet, match=r"1:\d+: no net finds"):
        Machine(rule_of(pattern), readings=readings)
    first = int(later.partition("@")[2])
    meant = [
        [match for match in defined(pattern, text, readings) if match.end < first] for text in (trace, trace + later)
    ]
    assert meant[0] != meant[1]
    usual = [[match for match in run(pattern, text) if match.end < first] for text in (trace, trace + later)]
    assert usual[0] == usual[1]


def test_a_wait_that_has_an_end_bounds_a_branch_under_every_reading() -> None:
    pattern = BRANCH.format("wait(B within 2 ms, 3 ms)")
    readings = Readings(wait="conjunction")
    rule = rule_of(pattern)
    for trace in ("a0@0", "a0@0 b1@1", "a0@0 b1@2"):
        matches = Machine(rule, readings=readings).run(occurring(rule, trace))
        assert written(matches) == written(defined(pattern, trace, readings))


def test_every_repair_has_a_counterexample() -> None:
    assert REPAIRED.keys() == SOUND.repairs


@pytest.mark.parametrize("name", REPAIRED)
def test_without_a_repair_the_net_errs(name: str) -> None:
    pattern, trace = REPAIRED[name]
    right = written(defined(pattern, trace))
    assert written(run(pattern, trace)) == right
    assert written(run(pattern, trace, SOUND.without(name))) != right


@pytest.mark.parametrize("name", sorted(REPAIRED.keys() - {"kill-all"}))
def test_the_net_as_printed_errs(name: str) -> None:
    pattern, trace = REPAIRED[name]
    assert written(run(pattern, trace, PUBLISHED)) != written(defined(pattern, trace))


@pytest.mark.parametrize("bounds", ["A.event_time, A.v", "A.v, A.event_time + 1 ms", "A.v, A.v"])
def test_a_boolean_is_no_instant(bounds: str) -> None:
    rule = parse(f"FROM A, B DEFINE TimeEvent t({bounds}) MATCH A -> collect(B) terminate (!t)")
    events = occurrences(rule, [Event("a", "A", 0, {"v": True}), Event("b", "B", 0, {})])
    assert evaluate(rule, events) == Machine(rule).run(events) == []
