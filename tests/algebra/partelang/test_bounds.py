"""The definition of PARTElang ends: it has a bound on what it looks at, and its error names the bound."""

from __future__ import annotations

import pytest

from parte.algebra.partelang import programs
from parte.algebra.partelang.effort import TooMuch
from parte.algebra.partelang.evaluators import EVALUATORS
from parte.algebra.partelang.indexed import Indexes
from parte.semantics.events.event import Event
from parte.semantics.partelang.syntax import parse
from tests.algebra.rows import events

STAR = parse("""
    template A { } template B { }
    rule R where b : B, c : A, d : A, e : A
    when c in b [-1 days, 0 ms], d in b [-1 days, 0 ms], e in b [-1 days, 0 ms]
""")


def test_partelang_with_many_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = [*events(20), Event("b", "B", 20, {}, "s")]
    assert len(programs.run(STAR, trace).matches) == 20**3
    with pytest.raises(TooMuch, match="more than 5,000,000 values of patterns"):
        programs.run(STAR, [*events(200), Event("b", "B", 200, {}, "s")])
    indexes = Indexes({}, 8_000)
    indexes.extend(trace)
    with pytest.raises(TooMuch, match="more than 8,000 events that may fill a pattern"):
        list(indexes.valuations(STAR.rules[0]))
    monkeypatch.setattr(programs, "MOST_MATCHES", 20**3 - 1)
    for evaluator in EVALUATORS.keys() - {"duckdb"}:
        with pytest.raises(TooMuch, match="rule R has more than 7,999 matches"):
            EVALUATORS[evaluator](STAR, trace, {})
