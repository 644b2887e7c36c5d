"""The fraud example says what it must (specification: reference-scenarios), and its files go through every reader."""

from __future__ import annotations

from pathlib import Path

import pytest

from parte.algebra.partelang.programs import run
from parte.semantics.events.conformity import conform
from parte.semantics.events.domain import bind_domain, load_domain
from parte.semantics.events.event import Event, Value
from parte.semantics.events.promises import arrivals, pairs
from parte.semantics.events.trace import load_trace
from parte.semantics.partelang.syntax import parse

FRAUD = Path(__file__).resolve().parents[3] / "examples" / "fraud"


def matches(name: str, *, with_domain: bool) -> list[str]:
    """The matches of a program of the example by the event algebra, as lines of JSON."""
    program = parse((FRAUD / name).read_text(encoding="utf-8"))
    assert not program.warnings
    items = conform(program, load_trace(FRAUD / "trace.jsonl"))
    predicates = bind_domain(program, load_domain(FRAUD / "domain.json") if with_domain else {})
    outcome = run(program, items, predicates)
    assert not outcome.failures
    return [match.to_json() for match in outcome.matches]


def expected(name: str) -> list[str]:
    return (FRAUD / name).read_text(encoding="utf-8").splitlines()


def test_the_trace_is_that_of_figure_7_3_with_the_claim() -> None:
    trace = load_trace(FRAUD / "trace.jsonl")
    transfers = [event for event in trace.events if event.template == "MoneyTransferred"]
    assert len(transfers) == 21
    assert all(event.id == f"t{event.attributes['id']}" for event in transfers)
    assert sum(float(str(event.attributes["amount"])) for event in transfers) == 7691.0
    (claim,) = (event for event in trace if isinstance(event, Event) and event not in transfers)
    assert (claim.id, claim.timestamp, claim.attributes["transaction_id"]) == ("claim", 1514815200000, 13)


def test_the_trace_keeps_its_promises() -> None:
    trace = load_trace(FRAUD / "trace.jsonl")
    assert pairs(trace) == (("bank", "MoneyTransferred"), ("customer-service", "FraudulentTransactionClaimed"))
    assert len(arrivals(trace)) == 22 + 2


@pytest.mark.parametrize(
    ("rule", "bindings"),
    [
        ("FraudPassThrough", {("t2", "t10"), ("t13", "t201"), ("t13", "t5003")}),
        (
            "FraudDiffusion",
            {
                ("t4", "t6", "t9", "t200"),
                ("t4", "t6", "t200", "t9"),
                ("t4", "t9", "t6", "t200"),
                ("t4", "t9", "t200", "t6"),
                ("t4", "t200", "t6", "t9"),
                ("t4", "t200", "t9", "t6"),
            },
        ),
        ("FraudRefundScam", {("t13", "t201", "claim"), ("t13", "t5003", "claim")}),
    ],
)
def test_the_expected_matches_are_those_of_the_specification(rule: str, bindings: set[tuple[str, ...]]) -> None:
    program = parse((FRAUD / "scenarios.parte").read_text(encoding="utf-8"))
    items = conform(program, load_trace(FRAUD / "trace.jsonl"))
    outcome = run(program, items, bind_domain(program, load_domain(FRAUD / "domain.json")))
    matched = [tuple(id_ for _, id_ in match.bindings) for match in outcome.matches if match.rule == rule]
    assert len(matched) == len(bindings)
    assert set(matched) == bindings


def test_the_scenarios() -> None:
    assert matches("scenarios.parte", with_domain=True) == expected("expected.jsonl")


def test_the_refund_scam_as_printed_finds_nothing_in_the_trace() -> None:
    assert matches("refund-scam-as-printed.parte", with_domain=False) == []
    assert expected("refund-scam-as-printed.expected.jsonl") == []


@pytest.mark.parametrize(("refund", "count"), [(89.9, 0), (90.0, 1), (90.5, 1), (91.0, 0), (100.0, 0), (110.0, 0)])
def test_the_refund_scam_as_printed_matches_at_one_edge(refund: float, count: int) -> None:
    """README.md: a refund of 90 % to 90.9 % of the transfer leaves the negated pattern unfilled."""
    program = parse((FRAUD / "refund-scam-as-printed.parte").read_text(encoding="utf-8"))
    transfer: dict[str, Value] = {"id": 1, "originator": "R", "destination": "S", "amount": 100.0}
    back: dict[str, Value] = {"id": 2, "originator": "S", "destination": "R", "amount": refund}
    items = conform(
        program,
        [
            Event("t1", "MoneyTransferred", 0, transfer),
            Event("t2", "MoneyTransferred", 1, back),
            Event("c", "FraudulentTransactionClaimed", 2, {"transaction_id": 1, "reason": ""}),
        ],
    )
    assert len(run(program, items, {}).matches) == count
