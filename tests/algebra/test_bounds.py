"""Definitions end: each has a bound on what it looks at, and its error names the bound."""

from __future__ import annotations

import pytest

from parte.algebra.partelang import programs
from parte.algebra.partelang.effort import TooMuch
from parte.algebra.partelang.evaluators import EVALUATORS
from parte.algebra.partelang.indexed import Indexes
from parte.conformance.protocol import Failed, Found, Load
from parte.languages.cel.algebra.denotation import Effort, TooManyValuations
from parte.languages.cel.algebra.queries import evaluate as cel
from parte.languages.cel.conformance import engine as cel_engine
from parte.languages.cel.semantics.syntax.parser import parse as cel_query
from parte.languages.etalis.algebra import patterns
from parte.languages.etalis.algebra.evaluation import evaluate as etalis
from parte.languages.etalis.algebra.fixpoint import TooManyEvents
from parte.languages.etalis.algebra.policies import POLICIES
from parte.languages.etalis.algebra.readings import USUAL
from parte.languages.etalis.semantics.syntax.parser import parse as etalis_program
from parte.languages.etalis.semantics.syntax.streams import Instant
from parte.languages.lead.algebra.effort import Effort as LeadEffort
from parte.languages.lead.algebra.effort import TooManyMatches
from parte.languages.lead.algebra.rules import evaluate as lead
from parte.languages.lead.semantics.syntax.parser import parse as lead_rule
from parte.languages.lead.semantics.syntax.streams import occurrences
from parte.semantics.events.event import Event
from parte.semantics.partelang.syntax import parse


def events(count: int, apart: int = 1) -> list[Event]:
    """Events A in a row."""
    return [Event(f"e{number}", "A", number * apart, {}, "s") for number in range(count)]


@pytest.mark.parametrize(
    "text", ["n(X * 2 + 1) <- n(X).", "n(X + 1) <- n(X) WHERE (X > 0).", "n(X + 1) <- n(X) OR n(X)."]
)
def test_etalis_recursion_that_calculates_takes_work_in_proportion(text: str) -> None:
    effort = patterns.Effort()
    with pytest.raises(TooManyEvents, match="more than 2000 events end at 0"):
        etalis(etalis_program(text), [Instant(0, frozenset({("n", (1,))}))], effort=effort)
    assert effort.spent < 20_000  # each of 2000 events is looked at once, not once in each round


@pytest.mark.parametrize("policy", POLICIES)
def test_etalis_with_pairs_of_pairs(policy: str) -> None:
    program = etalis_program("b(X, Y) <- a(X) AND a(Y). c(X, Y, Z, W) <- b(X, Y) AND b(Z, W).")
    instants = [Instant(number, frozenset({("a", (number,))})) for number in range(80)]
    with pytest.raises(patterns.TooManyFindings, match="more than 3000 findings and pairs"):
        etalis(program, instants, USUAL, policy, patterns.Effort(3000))


@pytest.mark.parametrize("text", ["(A+)+", "((A; A)+)+", "(A+) AS x; (A+); (A+)"])
def test_cel_with_pairs_of_valuations(text: str) -> None:
    with pytest.raises(TooManyValuations, match="more than 200000 pairs of valuations; run a machine, or a shorter"):
        cel(cel_query(f"SELECT * WHERE {text}"), events(12), effort=Effort(200_000))
    assert Effort().most < 10_000_000  # without one of its own a definition has one, too


def test_cel_with_rivals() -> None:
    with pytest.raises(TooManyValuations, match="more than 500000 pairs"):
        cel(cel_query("SELECT MAX * WHERE A+"), events(12), effort=Effort(500_000))
    assert len(cel(cel_query("SELECT MAX * WHERE A+"), events(6))) == 21
    with pytest.raises(TooManyValuations, match="more than 10 pairs"):
        cel(cel_query("SELECT * WHERE A; A"), events(6), effort=Effort(10))


def test_the_machine_of_cel_as_an_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cel_engine, "MAX_RESULTS", 1000)
    engine = cel_engine.CelEngine("sound")
    engine.load(Load("SELECT * WHERE A+", None))
    lines = [{"id": each.id, "template": "A", "timestamp": each.timestamp, "attributes": {}} for each in events(60)]
    assert isinstance(engine.run(lines[:5]), Found)
    reply = engine.run(lines)
    assert isinstance(reply, Failed)
    assert "more than 1000 results" in reply.message


@pytest.mark.parametrize("operator", ["->", "and"])
def test_lead_with_events_at_once(operator: str) -> None:
    rule = lead_rule("FROM A MATCH " + f" {operator} ".join(["A"] * 20))
    with pytest.raises(TooManyMatches, match="run a machine, or a shorter trace"):
        lead(rule, occurrences(rule, events(12, 0)), effort=LeadEffort(200_000))


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
