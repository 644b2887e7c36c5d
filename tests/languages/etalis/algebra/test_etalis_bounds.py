"""The definition of ETALIS ends: it has a bound on what it looks at, and its error names the bound."""

from __future__ import annotations

import pytest

from parte.languages.etalis.algebra import patterns
from parte.languages.etalis.algebra.evaluation import evaluate
from parte.languages.etalis.algebra.fixpoint import TooManyEvents
from parte.languages.etalis.algebra.policies import POLICIES
from parte.languages.etalis.algebra.readings import USUAL
from parte.languages.etalis.semantics import machine, policies
from parte.languages.etalis.semantics.syntax.parser import parse
from parte.languages.etalis.semantics.syntax.streams import Instant


@pytest.mark.parametrize(
    "text", ["n(X * 2 + 1) <- n(X).", "n(X + 1) <- n(X) WHERE (X > 0).", "n(X + 1) <- n(X) OR n(X)."]
)
def test_recursion_that_calculates_takes_work_in_proportion(text: str) -> None:
    effort = patterns.Effort()
    with pytest.raises(TooManyEvents, match="more than 2000 events end at 0"):
        evaluate(parse(text), [Instant(0, frozenset({("n", (1,))}))], effort=effort)
    assert effort.spent < 20_000  # each of 2000 events is looked at once, not once in each round


@pytest.mark.parametrize("policy", POLICIES)
def test_with_pairs_of_pairs(policy: str) -> None:
    program = parse("b(X, Y) <- a(X) AND a(Y). c(X, Y, Z, W) <- b(X, Y) AND b(Z, W).")
    instants = [Instant(number, frozenset({("a", (number,))})) for number in range(80)]
    with pytest.raises(patterns.TooManyFindings, match="more than 3000 findings and pairs"):
        evaluate(program, instants, USUAL, policy, patterns.Effort(3000))


def test_the_machine_of_etalis_has_bounds_on_the_events_of_an_instant(monkeypatch: pytest.MonkeyPatch) -> None:
    endless = machine.Machine(parse("n(X + 1) <- n(X)."), policies.POLICIES["unrestricted"])
    with pytest.raises(machine.TooManyEvents, match="more than 2000 events end at 0"):
        endless.instant(Instant(0, frozenset({("n", (1,))})))
    monkeypatch.setattr(machine, "MOST_PARTS", 20)
    pairs = machine.Machine(parse("b(X, Y) <- (a(X) AND a(Y)) AND a(0)."), policies.POLICIES["unrestricted"])
    with pytest.raises(machine.TooManyEvents, match="more than 20 events, those of subpatterns included, end at 0"):
        pairs.instant(Instant(0, frozenset(("a", (number,)) for number in range(9))))
