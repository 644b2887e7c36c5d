"""A check of ETALIS takes bounded work on programs that are one operator, many times (`tests/checker/growth.py`)."""

from __future__ import annotations

import pytest

from parte.languages.etalis.algebra.patterns import Effort
from parte.languages.etalis.checker.check import check
from tests.checker.growth import TIMEOUT, bounded, counting, joined

OPERATORS = ("SEQ", "AND", "OR", "PAR", "DURING", "STARTS", "MEETS", "EQUALS", "FINISHES")


@pytest.mark.parametrize("operator", OPERATORS)
def test_a_chain_takes_bounded_work(operator: str, monkeypatch: pytest.MonkeyPatch) -> None:
    work = counting(monkeypatch, Effort)
    bounded(lambda text: check(text, TIMEOUT), lambda n: f"h <- {joined(f' {operator} ', n, 'a')}.", work)
