"""A check of CEL takes bounded work on programs that are one operator, many times (`tests/checker/growth.py`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from parte.languages.cel.algebra.denotation import Effort
from parte.languages.cel.checker.check import check
from parte.languages.cel.semantics import construction
from parte.languages.cel.semantics.automata import Automaton
from tests.checker.growth import TIMEOUT, bounded, counting, joined

FORMULAS: dict[str, Callable[[int], str]] = {
    "+": lambda n: "A" + "+" * n,
    ":+": lambda n: "A" + ":+" * n,
    "+ and :+": lambda n: "A" + "+:+" * (n // 2),
    ";": lambda n: joined("; ", n),
    ":": lambda n: joined(" : ", n),
    "OR": lambda n: joined(" OR ", n),
    "AS": lambda n: "A" + "".join(f" AS x{number}" for number in range(n)),
    "nested": lambda n: "(" * (n // 2) + "A" + "; B)+" * (n // 2),
}


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """The work that is done."""
    work, trim = counting(monkeypatch, Effort), construction.cea_trim

    def trimming(automaton: Automaton) -> Automaton:
        work["transitions"] += len(automaton.transitions)
        return trim(automaton)

    monkeypatch.setattr(construction, "cea_trim", trimming)
    return work


@pytest.mark.parametrize("name", FORMULAS)
def test_a_chain_takes_bounded_work(name: str, counted: Counter[str]) -> None:
    bounded(lambda text: check(text, TIMEOUT), lambda n: f"SELECT * WHERE {FORMULAS[name](n)}", counted)


@pytest.mark.parametrize("plus", ["+", ":+", "+:+"])
def test_iterations_of_iterations_are_made_as_one(plus: str, counted: Counter[str]) -> None:
    """60 and 98 times `+` did not end: the automaton had a state a level, and is made for each part."""
    transitions = []
    for size in (20, 98):
        counted.clear()
        check("SELECT * WHERE A" + plus * (size // plus.count("+")), 60)
        transitions.append(counted["transitions"])
    assert transitions[1] <= 6 * transitions[0]
