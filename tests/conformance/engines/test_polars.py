"""Polars against the suite: a strict list of known failures, each with its cause, and what Polars is asked."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from parte.conformance.engines.registry import engine_called
from parte.conformance.partelang.engines.polars.adapter import PolarsAdapter
from parte.conformance.partelang.engines.polars.manifest import DECLARED
from parte.conformance.partelang.engines.table import ENGINES
from parte.conformance.partelang.strategies import Case
from parte.conformance.protocol import Found, Json, Load, Unsupported
from tests.conformance.engines import level_2
from tests.conformance.engines.agreement import (
    caused_by,
    differing,
    failures_now_and_known,
    with_ieee_floats,
    with_integers,
    wrapped,
)

EMITTING = {"novalue/division-in-an-emission", "novalue/list-item"}
"""Cases with infinities in emitted events, which the algebra has no JSON for."""


def test_the_failures_are_those_that_are_known() -> None:
    """If this fails after a change of the suite, docs/conformance.md (Foreign engines) says what to run."""
    failures, listed = failures_now_and_known("polars")
    assert failures == listed


def test_the_algebra_with_wrapping_integers_says_what_polars_says(monkeypatch: pytest.MonkeyPatch) -> None:
    with_integers(monkeypatch, wrapped)
    assert not differing("polars", caused_by("polars", "integers-wrap"))


def test_the_algebra_with_infinities_and_nan_says_what_polars_says(monkeypatch: pytest.MonkeyPatch) -> None:
    with_ieee_floats(monkeypatch)
    cases = caused_by("polars", "floats-go-on")
    assert set(cases) > EMITTING
    assert not differing("polars", set(cases) - EMITTING)


@given(level_2.drawn(DECLARED))
@settings(max_examples=25)
def test_polars_finds_at_level_2_what_the_definition_finds(case: Case) -> None:
    level_2.as_the_definition(PolarsAdapter(), case)


def matches_of(program: str, trace: list[Json], domain: Json = None) -> list[Json]:
    engine = engine_called(ENGINES, "polars")
    engine.load(Load(program, None, domain or {}))
    reply = engine.run(trace)
    assert isinstance(reply, Found), reply
    return sorted(reply.matches, key=str)


def event(id_: str, template: str, timestamp: int, **attributes: Json) -> Json:
    return {"id": id_, "template": template, "timestamp": timestamp, "attributes": attributes}


def test_tables_are_asked_about_two_events() -> None:
    program = (
        "template A { k : Integer }\ntemplate B { k : Integer }\npredicate near(Integer, Integer)\n"
        "rule R where a : A, b : B { near(a.k, k) }, no n : A { k = 3 }, no m : B { near(a.k, k) } "
        "when b in a [0 ms, 9 ms], no n in a [1 ms, 9 ms], no m in b [1 ms, 9 ms]"
    )
    trace = [event("a1", "A", 0, k=1), event("b1", "B", 1, k=2), event("b2", "B", 2, k=1)]
    domain = {"near": {"true_for": [[1, 2]]}}
    assert [match["bindings"] for match in matches_of(program, trace, domain)] == [{"a": "a1", "b": "b1"}]
    assert not matches_of(program, [*trace, event("a2", "A", 5, k=3)], domain)
    assert [match["bindings"] for match in matches_of(program, [*trace, event("b3", "B", 5, k=2)], domain)] == [
        {"a": "a1", "b": "b3"}
    ]


def test_what_polars_cannot_be_asked() -> None:
    engine = engine_called(ENGINES, "polars")
    assert isinstance(engine.load(Load("rule", None)), Unsupported)
