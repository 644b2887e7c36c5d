"""The definition of LEAD ends: it has a bound on what it looks at, and its error names the bound."""

from __future__ import annotations

from types import ModuleType

import pytest

from parte.languages.lead.algebra import effort
from parte.languages.lead.algebra.effort import Effort, TooManyMatches
from parte.languages.lead.algebra.rules import evaluate
from parte.languages.lead.semantics import net, repetition
from parte.languages.lead.semantics.machine import Machine
from parte.languages.lead.semantics.syntax.parser import parse
from parte.languages.lead.semantics.syntax.streams import occurrences
from tests.algebra.rows import events


@pytest.mark.parametrize("operator", ["->", "and"])
def test_with_events_at_once(operator: str) -> None:
    rule = parse("FROM A MATCH " + f" {operator} ".join(["A"] * 20))
    with pytest.raises(TooManyMatches, match="run a machine, or a shorter trace"):
        evaluate(rule, occurrences(rule, events(12, 0)), effort=Effort(200_000))


def test_with_matches_of_a_pattern(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = parse("FROM A MATCH all(A -> A)")
    count = len(evaluate(rule, occurrences(rule, events(12))))
    assert count == 12 * 11 // 2
    monkeypatch.setattr(effort, "MAX_MATCHES", count - 1)
    with pytest.raises(TooManyMatches, match="run a machine, or a shorter trace"):
        evaluate(rule, occurrences(rule, events(12)))


@pytest.mark.parametrize(
    ("module", "name", "pattern", "message"),
    [
        (net, "MAX_FIRINGS", "all(A -> A)", "more than 20 transitions fired; look for fewer matches"),
        (
            repetition,
            "MAX_LISTS",
            "max(collect(A) terminate (count() >= 9), count())",
            "a choice among more than 20 lists",
        ),
    ],
    ids=["firings", "lists"],
)
def test_a_run_of_the_net_ends(
    module: ModuleType, name: str, pattern: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule = parse(f"FROM A MATCH {pattern}")
    few, many = (occurrences(rule, events(count)) for count in (2, 12))
    monkeypatch.setattr(module, name, 20)
    Machine(rule).run(few)
    with pytest.raises(net.TooManyFirings, match=message):
        Machine(rule).run(many)
