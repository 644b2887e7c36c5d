"""How much a check does on programs that are one operator, many times: the work is counted, not the time.

Work is what costs time: pairs and findings that a definition looks at, events and firings of replays, transitions of
automata that are made. A step to twice the size must not take many times the work.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from parte.checker.report.contents import Report
from parte.checker.solver.clock import Clock
from parte.languages.cel.algebra import denotation
from parte.languages.cel.checker.check import check as check_cel
from parte.languages.cel.semantics import construction
from parte.languages.cel.semantics.automata import Automaton
from parte.languages.etalis.algebra import patterns
from parte.languages.etalis.checker.check import check as check_etalis
from parte.languages.lead.algebra import effort
from parte.languages.lead.checker.check import check as check_lead

TIMEOUT = 0.2
MOST = 12_000_000
"""No check counts more, whatever its program is: each replay and each definition has a bound."""

CHECKS: dict[str, Callable[[str], Report]] = {
    "CEL": lambda text: check_cel(text, TIMEOUT),
    "ETALIS": lambda text: check_etalis(text, TIMEOUT),
    "LEAD": lambda text: check_lead(text, TIMEOUT),
}


def joined(operator: str, count: int, name: str = "A") -> str:
    """The same event, joined with itself."""
    return operator.join([name] * count)


PROGRAMS: dict[str, tuple[str, Callable[[int], str]]] = {
    "CEL +": ("CEL", lambda n: "SELECT * WHERE A" + "+" * n),
    "CEL :+": ("CEL", lambda n: "SELECT * WHERE A" + ":+" * n),
    "CEL + and :+": ("CEL", lambda n: "SELECT * WHERE A" + "+:+" * (n // 2)),
    "CEL ;": ("CEL", lambda n: "SELECT * WHERE " + joined("; ", n)),
    "CEL :": ("CEL", lambda n: "SELECT * WHERE " + joined(" : ", n)),
    "CEL OR": ("CEL", lambda n: "SELECT * WHERE " + joined(" OR ", n)),
    "CEL AS": ("CEL", lambda n: "SELECT * WHERE A" + "".join(f" AS x{number}" for number in range(n))),
    "CEL nested": ("CEL", lambda n: "SELECT * WHERE " + "(" * (n // 2) + "A" + "; B)+" * (n // 2)),
    **{
        f"ETALIS {operator}": ("ETALIS", lambda n, operator=operator: f"h <- {joined(f' {operator} ', n, 'a')}.")  # type: ignore[misc]  # a default
        for operator in ("SEQ", "AND", "OR", "PAR", "DURING", "STARTS", "MEETS", "EQUALS", "FINISHES")
    },
    **{
        f"LEAD {operator}": ("LEAD", lambda n, operator=operator: f"FROM A MATCH {joined(f' {operator} ', n)}")  # type: ignore[misc]  # a default
        for operator in ("and", "or", "->")
    },
}


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """The work that is done."""
    work: Counter[str] = Counter()
    for kind in (denotation.Effort, patterns.Effort, effort.Effort):
        spend = kind.spend

        def spending(self: object, amount: int, spend: Callable[..., None] = spend) -> None:
            work["definition"] += amount
            spend(self, amount)

        monkeypatch.setattr(kind, "spend", spending)
    tick, trim = Clock.tick, construction.cea_trim

    def ticking(self: Clock, every: int = 64) -> None:
        work["steps"] += 1
        tick(self, every)

    def trimming(automaton: Automaton) -> Automaton:
        work["transitions"] += len(automaton.transitions)
        return trim(automaton)

    monkeypatch.setattr(Clock, "tick", ticking)
    monkeypatch.setattr(construction, "cea_trim", trimming)
    return work


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_chain_takes_bounded_work(name: str, counted: Counter[str]) -> None:
    language, program = PROGRAMS[name]
    for size in (10, 20, 40, 80):
        counted.clear()
        CHECKS[language](program(size))
        assert counted.total() < MOST, (size, counted)


@pytest.mark.parametrize("plus", ["+", ":+", "+:+"])
def test_iterations_of_iterations_are_made_as_one(plus: str, counted: Counter[str]) -> None:
    """60 and 98 times `+` did not end: the automaton had a state a level, and is made for each part."""
    made = []
    for size in (20, 98):
        counted.clear()
        check_cel("SELECT * WHERE A" + plus * (size // plus.count("+")), 60)
        made.append(counted["transitions"])
    assert made[1] <= 6 * made[0]
