"""A check of LEAD takes bounded work on programs that are one operator, many times (`tests/checker/growth.py`)."""

from __future__ import annotations

import pytest

from parte.languages.lead.algebra.effort import Effort
from parte.languages.lead.checker.check import check
from tests.checker.growth import TIMEOUT, bounded, counting, joined


@pytest.mark.parametrize("operator", ["and", "or", "->"])
def test_a_chain_takes_bounded_work(operator: str, monkeypatch: pytest.MonkeyPatch) -> None:
    work = counting(monkeypatch, Effort)
    bounded(lambda text: check(text, TIMEOUT), lambda n: f"FROM A MATCH {joined(f' {operator} ', n)}", work)
