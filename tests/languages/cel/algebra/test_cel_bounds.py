"""The definition of CEL ends: it has a bound on what it looks at, and its error names the bound."""

from __future__ import annotations

import pytest

from parte.conformance.protocol import Failed, Found, Load
from parte.languages.cel.algebra.denotation import Effort, TooManyValuations
from parte.languages.cel.algebra.queries import evaluate
from parte.languages.cel.conformance import engine as cel_engine
from parte.languages.cel.semantics import determinised
from parte.languages.cel.semantics.machine import Machine
from parte.languages.cel.semantics.syntax.parser import parse
from tests.algebra.rows import events


@pytest.mark.parametrize("text", ["(A+)+", "((A; A)+)+", "(A+) AS x; (A+); (A+)"])
def test_with_pairs_of_valuations(text: str) -> None:
    with pytest.raises(TooManyValuations, match="more than 200000 pairs of valuations; run a machine, or a shorter"):
        evaluate(parse(f"SELECT * WHERE {text}"), events(12), effort=Effort(200_000))
    assert Effort().most < 10_000_000  # without one of its own a definition has one, too


def test_rivals_under_max_are_compared_up_to_a_limit() -> None:
    with pytest.raises(TooManyValuations, match="more than 500000 pairs"):
        evaluate(parse("SELECT MAX * WHERE A+"), events(12), effort=Effort(500_000))
    assert len(evaluate(parse("SELECT MAX * WHERE A+"), events(6))) == 21
    with pytest.raises(TooManyValuations, match="more than 10 pairs"):
        evaluate(parse("SELECT * WHERE A; A"), events(6), effort=Effort(10))


def test_the_machine_of_cel_as_an_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parte.languages.cel.running.MAX_RESULTS", 1000)
    engine = cel_engine.CelEngine("sound")
    engine.load(Load("SELECT * WHERE A+", None))
    lines = [{"id": event.id, "template": "A", "timestamp": event.timestamp, "attributes": {}} for event in events(60)]
    assert isinstance(engine.run(lines[:5]), Found)
    reply = engine.run(lines)
    assert isinstance(reply, Failed)
    assert "more than 1000 results" in reply.message


def test_the_machine_of_cel_has_a_bound_on_its_states(monkeypatch: pytest.MonkeyPatch) -> None:
    text, stream = "SELECT * WHERE A; A; A", events(6)
    run = list(Machine(parse(text)).run(stream))
    assert sorted(run) == evaluate(parse(text), stream)
    monkeypatch.setattr(determinised, "MAX_STATES", 2)
    with pytest.raises(determinised.TooManyStates, match="more than 2 states here; make it smaller"):
        list(Machine(parse(text)).run(stream))
