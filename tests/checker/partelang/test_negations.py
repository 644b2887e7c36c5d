"""Negations that make a difference and those that make none, and claims that are about nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest
from hypothesis import given, settings

from parte.algebra.partelang.programs import run
from parte.checker.partelang.check import check
from parte.checker.partelang.relations import equivalent
from parte.checker.partelang.replay import without_negation
from parte.checker.report.contents import Json, Report
from parte.checker.solver.verdict import Verdict
from parte.conformance.partelang.strategies import ProgramShape, programs
from parte.semantics.events.domain import read_domain
from parte.semantics.events.event import Event
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.elaborate import parse

TEMPLATES = "template A { k : Integer, b : Boolean }\ntemplate B { k : Integer }\npredicate p(Integer)\n"
LATEST = "9223372036854775807 ms"


def effective_negations(report: Report, rule: str = "R") -> dict[str, dict[str, Json]]:
    """The negations of a rule that make a difference, each with its trace."""
    (guarantee,) = (
        guarantee
        for guarantee in report.guarantees
        if guarantee.name == "effective-negations" and guarantee.rule == rule
    )
    return {
        str(negation["negated"]): negation
        for negation in cast(list[dict[str, Json]], guarantee.evidence.get("negations", []))
    }


def ruled_out(program: core.Program, rule: core.Rule, evidence: dict[str, Json]) -> bool:
    """Whether the algebra finds the match of the evidence without the negation, and not with it."""
    trace = cast(list[dict[str, Json]], evidence["trace"])
    events = [
        Event(str(e["id"]), str(e["template"]), cast(int, e["timestamp"]), cast(dict[str, int], e["attributes"]))
        for e in trace
    ]
    given_ = {name: lambda *_: False for name in (predicate.name for predicate in program.predicates)}
    bindings = tuple((p.variable, cast(dict[str, str], evidence["bindings"])[p.variable]) for p in rule.positive)
    with_, without = (
        {match.bindings for match in run(replace(program, rules=(rule,)), events, given_).matches}
        for rule in (
            replace(rule, emissions=()),
            replace(without_negation(rule, str(evidence["negated"])), emissions=()),
        )
    )
    return bindings in without and bindings not in with_


@pytest.mark.parametrize(
    ("rule", "demands"),
    [
        (
            "a : A { k > 5 }, no n : B { k = a.k, k < 3 } when no n in a [0 ms, 5 ms]",
            ["a.k > 5", "n.k = a.k", "n.k < 3"],
        ),
        (  # whatever fills the first fills the second
            "a : A, no n : B { k > 3 }, no m : B { k > 2 } when no n in a [0 ms, 5 ms], no m in a [-1 ms, 5 ms]",
            ["n.k > 3", "no n in a [0 ms, 5 ms]", "it must not fill `m`"],
        ),
        ("a : A { b = true }, no n : A { b != a.b, b = a.b } when no n in a [1 ms, 5 ms]", ["n.b != a.b", "n.b = a.b"]),
        ("a : A { p(k) }, no n : B { k = a.k, p(k) = false } when no n in a [0 ms, 5 ms]", None),
    ],
)
def test_a_negation_that_makes_no_difference(rule: str, demands: list[str] | None) -> None:
    program = parse(TEMPLATES + "rule R where " + rule)
    report = check(program)
    finding = report.of("useless-negation")[0]
    assert finding.evidence["negated"] == "n"
    assert demands is None or [place.label for place in finding.places] == demands
    assert report.verdict("effective-negations", "R") is Verdict.REFUTED
    assert "n" not in effective_negations(report)
    less = replace(without_negation(program.rule("R"), "n"), name="Less")
    assert equivalent(program, "R", less).verdict is Verdict.PROVED


@pytest.mark.parametrize(
    "rule",
    [
        "a : A { k > 5 }, no n : B { k = a.k, k < 7 } when no n in a [0 ms, 5 ms]",
        "a : A, no n : B { k > 3 }, no m : B { k > 2 } when no n in a [0 ms, 5 ms], no m in a [1 ms, 5 ms]",
        "a : A, no n : A when no n in a [0 ms, 0 ms]",
    ],
)
def test_a_negation_that_makes_a_difference_has_a_trace(rule: str) -> None:
    program = parse(TEMPLATES + "rule R where " + rule)
    report = check(program)
    assert report.verdict("effective-negations", "R") is Verdict.PROVED
    assert set(effective_negations(report)) == {
        pattern.variable for pattern in program.rule("R").patterns if pattern.negated
    }
    for evidence in effective_negations(report).values():
        assert ruled_out(program, program.rule("R"), evidence)


def test_time_alone_may_leave_a_negation_no_room() -> None:
    """The pair is as far apart as timestamps can be, so that nothing comes after it."""
    rule = f"a : A, b : A, c : A, no n : B when b in a [{LATEST}, {LATEST}], c in b [{LATEST}, {LATEST}]"
    report = check(f"{TEMPLATES}rule R where {rule}, no n in c [2 ms, 5 ms]")
    (finding,) = report.of("contradictory-negation")
    assert "timestamps are 64-bit integers" in finding.reason[1]
    assert report.verdict("effective-negations", "R") is Verdict.REFUTED
    assert not check(f"{TEMPLATES}rule R where {rule}, no n in c [1 ms, 5 ms]").of("contradictory-negation")


@settings(max_examples=30)
@given(programs(ProgramShape(rules=1, strata=1, patterns=4)))
def test_verdicts_on_negations_are_those_of_relate(program: core.Program) -> None:
    report, (rule,) = check(program, timeout=2), program.rules
    effective = effective_negations(report, rule.name)
    open_ = {str(finding.message) for finding in report.of("useless-negation") if finding.verdict is Verdict.NOT_PROVED}
    for pattern in rule.patterns:
        if pattern.negated:
            less = replace(without_negation(rule, pattern.variable), name="Less")
            related = equivalent(program, rule, less, timeout=2).verdict
            if pattern.variable in effective:
                assert related is not Verdict.PROVED
                assert ruled_out(program, rule, effective[pattern.variable])
            elif not open_:
                assert related is not Verdict.REFUTED


# --- Claims that are about nothing -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "vacuous"),
    [
        ("a : A, no n : A when no n in a [0 ms, 0 ms]", {"no-self-blocking", "every-condition-counts"}),
        (
            "a : A { k > 3 }, b : B { k = a.k, k < 3 }, no n : B when b in a [0 ms, 1 ms], no n in a [0 ms, 1 ms]",
            {"no-self-blocking", "effective-negations", "every-condition-counts"},
        ),
        (
            "a : A, b : B, no n : B when b in a [0 ms, 1 ms], b in a [2 ms, 3 ms], no n in a [0 ms, 1 ms]",
            {"no-self-blocking", "effective-negations", "every-condition-counts", "every-constraint-counts"},
        ),
        ("a : A { k > 5 }, no n : B { k = a.k, k < 3 } when no n in a [0 ms, 5 ms]", {"every-condition-counts"}),
        ("a : A, no n : B { k < 3 } when no n in a [0 ms, 5 ms]", set[str]()),
    ],
)
def test_a_claim_that_is_about_nothing_says_so(rule: str, vacuous: set[str]) -> None:
    report = check(TEMPLATES + "rule R where " + rule)
    assert {guarantee.name for guarantee in report.guarantees if guarantee.verdict is Verdict.VACUOUS} == vacuous
    assert all(guarantee.detail for guarantee in report.guarantees if guarantee.verdict is Verdict.VACUOUS)


def test_a_rule_that_cannot_run_is_asked_nothing_more() -> None:
    report = check(TEMPLATES + "rule R where a : A, b : B\nrule S where a : A")
    assert report.verdict("can-match", "R") is Verdict.NOT_PROVED
    assert report.verdict("can-match", "S") is Verdict.PROVED


def test_contradictory_windows_hide_no_variable_that_nothing_bounds() -> None:
    report = check(TEMPLATES + "rule R where a : A, b : B, c : B when b in a [0 ms, 1 ms], b in a [2 ms, 3 ms]")
    assert {finding.code for finding in report.findings} == {"contradictory-windows", "unrelated-variables"}


def test_with_a_domain_a_predicate_may_always_hold() -> None:
    text = "template A { b : Boolean }\npredicate p(Boolean)\nrule R where a : A { p(b) }"
    assert not check(text).of("implied-condition")
    always = read_domain({"p": {"false_for": []}})
    assert check(text, domain=always).of("implied-condition")


# --- 64 bits of time -------------------------------------------------------------------------------------------------


def chain(*distances: str) -> str:
    """A rule of patterns, each at a distance after the one before."""
    names = [f"v{number}" for number in range(len(distances) + 1)]
    windows = (
        f"{after} in {before} [{distance}, {distance}]"
        for before, after, distance in zip(names, names[1:], distances, strict=False)
    )
    return f"{TEMPLATES}rule R where {', '.join(f'{name} : A' for name in names)} when {', '.join(windows)}"


def test_windows_that_leave_no_room_in_64_bits() -> None:
    report = check(chain(LATEST, LATEST, LATEST))
    assert report.verdict("consistent-windows", "R") is Verdict.REFUTED
    (finding,) = report.findings
    assert finding.code == "contradictory-windows"
    assert len(finding.places) == 3
    assert finding.reason == (
        "these 3 constraints cannot hold together, though without any one of them they can",
        "timestamps are 64-bit integers: none is so far from another as these constraints demand",
    )


@pytest.mark.parametrize(("last", "room"), [("0 ms", True), ("1 ms", True), ("2 ms", False)])
def test_the_room_of_64_bits_is_exact(last: str, room: bool) -> None:
    report = check(chain(LATEST, LATEST, last))
    assert report.verdict("can-match", "R") is (Verdict.PROVED if room else Verdict.REFUTED)
    assert report.verdict("consistent-windows", "R") is (Verdict.PROVED if room else Verdict.REFUTED)


def test_a_constraint_may_follow_from_the_room_of_64_bits() -> None:
    text = chain(LATEST, LATEST).replace("v2 : A", "v2 : A, w : A, x : A") + (
        ", w in v2 [0 ms, 5 ms], x in v2 [0 ms, 5 ms], x in w [-1 ms, 1 ms]"
    )
    report = check(text)
    assert [finding.evidence["constraint"] for finding in report.of("redundant-constraint")] == ["x in w [-1 ms, 1 ms]"]
    # Of what nothing else relates no constraint follows, though the room be as narrow.
    apart = text.replace("x in v2 [0 ms, 5 ms], ", "")
    assert not check(apart).of("redundant-constraint")
