"""The fraud example means to both evaluators what it must of D fig. 7.3 (specification: reference-scenarios)."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from parte.algebra.partelang.programs import run
from parte.semantics.events.conformity import conform
from parte.semantics.events.domain import Predicates, bind_domain, load_domain
from parte.semantics.events.trace import load_trace
from parte.semantics.partelang.syntax import parse

FRAUD = Path(__file__).parents[3] / "examples" / "fraud"


@pytest.mark.parametrize("evaluator", ["naive", "indexed"])
@pytest.mark.parametrize("name", ["scenarios", "refund-scam-as-printed"])
def test_the_fraud_example(name: str, evaluator: Literal["naive", "indexed"]) -> None:
    program = parse((FRAUD / f"{name}.parte").read_text(encoding="utf-8"))
    trace = conform(program, load_trace(FRAUD / "trace.jsonl"))
    domain: Predicates = bind_domain(program, load_domain(FRAUD / "domain.json")) if program.predicates else {}
    expected = "expected.jsonl" if name == "scenarios" else f"{name}.expected.jsonl"
    outcome = run(program, trace, domain, evaluator)
    assert [match.to_json() for match in outcome.matches] == (FRAUD / expected).read_text("utf-8").splitlines()
    assert outcome.failures == ()
    orders = {tuple(event.removeprefix("t") for _, event in match.bindings) for match in outcome.matches}
    diffusion = {("4", *order) for order in (("6", "9", "200"), ("200", "6", "9"), ("9", "200", "6"))}
    diffusion |= {("4", *order) for order in (("6", "200", "9"), ("9", "6", "200"), ("200", "9", "6"))}
    pass_through = {("2", "10"), ("13", "201"), ("13", "5003")}
    refunds = {("13", "201", "claim"), ("13", "5003", "claim")}
    assert orders == (diffusion | pass_through | refunds if name == "scenarios" else set())
