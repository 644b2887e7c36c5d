"""The nets find what the formulas say, whichever of equal ranks fires; without a repair they do not."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parte.algebra.lead.rules import evaluate
from parte.conformance.lead.generation import Shape, drawn_case
from parte.semantics.events.event import Event
from parte.semantics.lead.machine import Machine
from parte.semantics.lead.repairs import DESCRIPTIONS, PUBLISHED, SOUND
from parte.semantics.lead.syntax.parser import parse
from parte.semantics.lead.syntax.streams import occurrences
from tests.semantics.lead.runs import defined, run, written

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
@given(rng=st.randoms(use_true_random=False), schedule=st.integers(0, 3))
def test_the_net_finds_what_the_formulas_say(shape: Shape, rng: Random, schedule: int) -> None:
    case = drawn_case(rng, shape)
    events = occurrences(case.program, case.items)
    chosen = Random(schedule) if schedule else None
    assert written(Machine(case.program, schedule=chosen).run(events)) == written(evaluate(case.program, events))


def test_every_repair_has_a_counterexample() -> None:
    assert REPAIRED.keys() == DESCRIPTIONS.keys()


@pytest.mark.parametrize("name", REPAIRED)
def test_without_a_repair_the_net_errs(name: str) -> None:
    pattern, trace = REPAIRED[name]
    right = written(defined(pattern, trace))
    assert written(run(pattern, trace)) == right
    assert written(run(pattern, trace, replace(SOUND, **{name.replace("-", "_"): False}))) != right


@pytest.mark.parametrize("name", sorted(REPAIRED.keys() - {"kill-all"}))
def test_the_net_as_printed_errs(name: str) -> None:
    pattern, trace = REPAIRED[name]
    assert written(run(pattern, trace, PUBLISHED)) != written(defined(pattern, trace))


@pytest.mark.parametrize("bounds", ["A.event_time, A.v", "A.v, A.event_time + 1 ms", "A.v, A.v"])
def test_a_boolean_is_no_instant(bounds: str) -> None:
    rule = parse(f"FROM A, B DEFINE TimeEvent t({bounds}) MATCH A -> collect(B) terminate (!t)")
    events = occurrences(rule, [Event("a", "A", 0, {"v": True}), Event("b", "B", 0, {})])
    assert evaluate(rule, events) == Machine(rule).run(events) == []
