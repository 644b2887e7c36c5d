"""Rules that never match, and negations that their own matches fill: the model case of the refund scam, and attacks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parte.algebra.partelang.programs import run
from parte.checker.partelang.check import check
from parte.checker.partelang.replay import confirm_blocked, confirm_match
from parte.checker.partelang.witness import Witness
from parte.checker.report.contents import Report
from parte.checker.solver.errors import CheckerBug
from parte.checker.solver.verdict import Verdict
from parte.conformance.partelang.strategies import ProgramShape, programs, traces
from parte.semantics.events.domain import bind_domain, read_domain
from parte.semantics.events.event import Event, TraceItem
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.elaborate import parse

FRAUD = Path(__file__).resolve().parents[3] / "examples" / "fraud"
PRINTED = (FRAUD / "refund-scam-as-printed.parte").read_text(encoding="utf-8")
REPAIRED = (FRAUD / "scenarios.parte").read_text(encoding="utf-8")


def test_the_refund_scam_as_printed() -> None:
    report = check(PRINTED)
    assert report.verdict("can-match", "FraudRefundScam") is Verdict.PROVED
    assert report.verdict("no-self-blocking", "FraudRefundScam") is Verdict.REFUTED
    first = next(finding for finding in report.of("partly-self-blocked") if finding.evidence["by"] == "incoming")
    assert (first.span.start.line, first.span.start.column) == (37, 6)
    assert first.evidence["negated"] == "additional_incoming"
    assert first.evidence["blocked_where"] == ["incoming.amount <= refund.amount * 1.1"]
    assert first.evidence["blocked_within_windows"] is False
    assert "the rule can match only where `incoming.amount > refund.amount * 1.1`" in first.reason
    assert "in other words: only where refund.amount is under 1/1.1 of incoming.amount" in first.reason
    assert "`id != incoming.id`" in first.hint
    (condition,) = first.places
    assert condition.source_line.strip() == "amount <= refund.amount * 1.1,"


def test_the_algebra_confirms_the_refund_scam() -> None:
    program = parse(PRINTED)
    report = check(program)
    (can,) = (guarantee for guarantee in report.guarantees if guarantee.name == "can-match")
    assert len(_matches(program, _events(can.evidence["trace"]))) == 1
    blocked = next(finding for finding in report.of("partly-self-blocked") if finding.evidence["by"] == "incoming")
    events = _events(blocked.evidence["trace"])
    assert not _matches(program, events)
    amounts = {
        event.id: event.attributes["amount"] for event in _events(can.evidence["trace"]) if "amount" in event.attributes
    }
    incoming, refund = amounts["incoming"], amounts["refund"]
    assert isinstance(incoming, float)
    assert isinstance(refund, float)
    assert incoming > refund * 1.1
    assert refund >= incoming * 0.9


def test_the_repaired_refund_scam() -> None:
    """What is left is a transfer to oneself, which is its own refund."""
    (finding,) = check(REPAIRED).findings
    assert finding.code == "partly-self-blocked"
    assert finding.evidence["by"] == "refund"
    assert "refund.originator = incoming.originator" in str(finding.evidence["blocked_where"])
    distinct = REPAIRED.replace("id != incoming.id, ", "id != incoming.id, id != refund.id, ")
    assert distinct != REPAIRED
    report = check(distinct)
    assert not report.findings
    assert report.exit_code_of(strict=True) == 0


@pytest.mark.parametrize(
    ("pattern", "residual", "windows"),
    [
        ("no c : T { k > 2 } when no c in a [0 ms, 5 ms]", ["a.k > 2"], False),
        ("no c : T { k > a.k } when no c in a [0 ms, 5 ms]", None, False),
        ("no c : T { k >= a.k } when no c in a [0 ms, 5 ms]", "always", False),
        ("no c : T { k >= a.k } when no c in a [1 ms, 5 ms]", None, False),
        ("b : T {} no c : T {} when b in a [0 ms, 9 ms] no c in b [-5 ms, -1 ms]", [], True),
        (
            "b : T { k > a.k } no c : T { k > a.k, k < b.k } when b in a [0 ms, 9 ms] no c in a [0 ms, 9 ms]",
            None,
            False,
        ),
        (
            "b : T { k > a.k } no c : T { k > a.k, k <= b.k } when b in a [0 ms, 9 ms] no c in a [0 ms, 9 ms]",
            "always",
            False,
        ),
    ],
)
def test_self_blocking(pattern: str, residual: list[str] | str | None, windows: bool) -> None:
    report = check("template T { k : Integer }\nrule R where a : T {}\n" + pattern)
    codes = {finding.code for finding in report.findings}
    if residual == "always":
        assert "self-blocked" in codes
        assert report.exit_code == 1
    elif residual is None:
        assert not codes & {"self-blocked", "partly-self-blocked"}
    else:
        (finding,) = report.of("partly-self-blocked")
        assert finding.evidence["blocked_where"] == residual
        assert finding.evidence["blocked_within_windows"] is windows


def test_two_variables_may_block_together() -> None:
    """Either of the two fills the negated pattern, though neither always does."""
    text = (
        "template T { k : Integer }\nrule R where a : T {} b : T { k != a.k } no c : T { k != 0 }\n"
        "when b in a [0 ms, 0 ms] no c in a [0 ms, 0 ms]"
    )
    (finding,) = check(text).of("self-blocked")
    assert finding.evidence["filled"] == [{"negated": "c", "by": "a"}, {"negated": "c", "by": "b"}]


# --- Attacks ---------------------------------------------------------------------------------------------------------


def _events(trace: object) -> list[Event]:
    assert isinstance(trace, list)
    return [Event(item["id"], item["template"], item["timestamp"], item["attributes"]) for item in trace]


def _matches(program: core.Program, events: list[Event]) -> set[tuple[str, tuple[tuple[str, str], ...]]]:
    return {(match.rule, match.bindings) for match in run(program, events, {}).matches}


def _dead(report: Report) -> set[str]:
    return {
        guarantee.rule
        for guarantee in report.guarantees
        if guarantee.name == "can-match" and guarantee.verdict is Verdict.REFUTED and guarantee.rule is not None
    }


@given(
    st.sampled_from([1, 2])
    .flatmap(lambda level: programs(ProgramShape(rules=2, level=level)))
    .flatmap(lambda program: st.tuples(st.just(program), traces(program)))
)
def test_rules_that_never_match_do_not(case: tuple[core.Program, tuple[TraceItem, ...]]) -> None:
    program, trace = case
    report = check(program, timeout=2)
    dead = _dead(report)
    assert not {match.rule for match in run(program, trace).matches} & dead
    for guarantee in report.guarantees:
        if guarantee.name == "can-match" and guarantee.verdict is Verdict.PROVED:
            # The trace may have events that another rule emits; more of them are not in it.
            (rule,) = (rule for rule in program.rules if rule.name == guarantee.rule)
            alone = replace(program, rules=(replace(rule, emissions=()),))
            matches = _matches(alone, _events(guarantee.evidence["trace"]))
            bindings = guarantee.evidence["bindings"]
            assert isinstance(bindings, dict)
            assert (rule.reported, tuple(bindings.items())) in matches


# --- Replays ---------------------------------------------------------------------------------------------------------


def test_a_wrong_verdict_is_the_bug_of_the_checker() -> None:
    program = parse(
        "template T { k : Integer }\nrule R where a : T { k > 0 } no b : T { k < 0 } when no b in a [0 ms, 1 ms]"
    )
    (rule,) = program.rules
    good = Witness({"a": Event("a", "T", 0, {"k": 1})})
    confirm_match(program, rule, good)
    with pytest.raises(CheckerBug, match="the machine matches"):
        confirm_blocked(program, rule, good)
    with pytest.raises(CheckerBug, match="does not match"):
        confirm_match(program, rule, Witness({"a": Event("a", "T", 0, {"k": 0})}))


def test_the_made_up_domain_is_part_of_the_trace() -> None:
    text = (
        "predicate p(Integer)\ntemplate T { k : Integer }\n"
        "rule R where a : T { p(k) } b : T { p(k) = false } when b in a [0 ms, 1 ms]"
    )
    report = check(text)
    (can,) = (guarantee for guarantee in report.guarantees if guarantee.name == "can-match")
    domain = can.evidence["domain"]
    assert isinstance(domain, dict)
    relations = bind_domain(parse(text), read_domain(domain))
    assert run(parse(text), _events(can.evidence["trace"]), relations).matches
