"""Sets in the checker: each claim about them, and every certain claim about programs with sets against the algebra."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parte.algebra.partelang.programs import run
from parte.checker.environment.deployment import read_deployment
from parte.checker.partelang.check import check
from parte.checker.partelang.relations import equivalent, subsumed
from parte.checker.partelang.replay import without_negation
from parte.checker.partelang.sources import constraint_text
from parte.checker.report.contents import Finding, Json, Report
from parte.checker.report.json_form import report_to_text
from parte.checker.report.text import render
from parte.checker.solver.verdict import Verdict
from parte.conformance.partelang.strategies import ProgramShape, programs, traces
from parte.semantics.events.event import Event, TraceItem
from parte.semantics.events.types import Scalar
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.elaborate import parse
from parte.semantics.partelang.syntax.printer import expression_text

TEMPLATES = (
    "level 2\ntemplate T { k : Integer, x : Float, s : String, b : Boolean }\ntemplate U { k : Integer }\nrule R where "
)


def report_of(rule: str) -> Report:
    return check(TEMPLATES + rule)


def codes(report: Report) -> set[str]:
    return {finding.code for finding in report.findings}


# --- Claims ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "having",
    [
        "count(v) < 0",
        "count(v) >= 3, count(v) < 2",
        "count(distinct v.k) > count(v)",
        "min(v.k) < 3",
        "max(v.k) < min(v.k)",
        "first(v.k) < 3",
        "last(v.k) < min(v.k)",
        "avg(v.k) < 3.0",
        "avg(v.k) > 8.0, max(v.k) < 8",
        "sum(v.k) < 0",
        "sum(v.k) < count(v)",
        "exists(v), count(v) = 0",
        "count(v) = 0, min(v.k) = 4",
        "count(v) = 0, sum(v.k) = 4",
        "count(v) = 1, min(v.k) < max(v.k)",
        "min(v.timestamp) > a.timestamp",
        "count(distinct v.k) = 1, min(v.k) < max(v.k)",
    ],
)
def test_having_that_no_sets_meet(having: str) -> None:
    report = report_of(f"a : T {{}} all v : U {{ k > 3 }} when v in a [-5 ms, 0 ms] having {having}")
    assert codes(report) == {"unsatisfiable-having"}
    assert report.verdict("can-match", "R") is Verdict.REFUTED
    assert report.verdict("effective-having", "R") is Verdict.VACUOUS


@pytest.mark.parametrize(
    "having",
    [
        "count(v) >= 3",
        "count(v) = 21",
        "count(v) > 2, count(distinct v.k) = 2",
        "min(v.k) = 4, max(v.k) = 9, avg(v.k) = 6.0",
        "first(v.k) > last(v.k), count(v) = 2",
        "sum(v.k) = 17",
        "min(v.k) = 4 or not exists(v)",
        "max(v.timestamp) - min(v.timestamp) > 3 ms",
    ],
)
def test_having_that_makes_a_difference(having: str) -> None:
    report = report_of(f"a : T {{}} all v : U {{ k > 3 }} when v in a [-5 ms, 0 ms] having {having}")
    assert not report.findings
    assert report.verdict("can-match", "R") is Verdict.PROVED
    assert report.verdict("effective-having", "R") is Verdict.PROVED
    attack_report(
        parse(TEMPLATES + f"a : T {{}} all v : U {{ k > 3 }} when v in a [-5 ms, 0 ms] having {having}"), report, ()
    )


@pytest.mark.parametrize(
    ("rule", "useless"),
    [
        ("a : T {} all v : T {} when v in a [0 ms, 0 ms] having exists(v)", "exists(v)"),
        ("a : T {} all v : U {} when v in a [0 ms, 1 ms] having count(v) >= 0", "count(v) >= 0"),
        ("a : T {} all v : U { k > 5 } when v in a [0 ms, 1 ms] having min(v.k) > 3, avg(v.k) > 4.0", "avg(v.k) > 4.0"),
        ("a : T { k > 5 } all v : T { k > 5 } when v in a [-1 ms, 1 ms] having max(v.k) >= a.k", "max(v.k) >= a.k"),
    ],
)
def test_having_that_is_always_true(rule: str, useless: str) -> None:
    report = report_of(rule)
    assert [finding.evidence["condition"] for finding in report.of("useless-having")] == [useless]
    assert report.verdict("effective-having", "R") is Verdict.REFUTED


@pytest.mark.parametrize(
    ("rule", "code"),
    [
        ("a : T {} all v : U { k > 3, k < 3 } when v in a [0 ms, 1 ms]", "unsatisfiable-pattern"),
        ("a : T {} all v : U {} when v in a [0 ms, 1 ms], v in a [2 ms, 3 ms]", "empty-set"),
        ("a : T { k > 5 } all v : U { k = a.k, k < 3 } when v in a [0 ms, 1 ms]", "empty-set"),
        ("a : T {} no n : U {} all v : U {} when no n in a [0 ms, 5 ms], v in a [1 ms, 5 ms]", "empty-set"),
    ],
)
def test_a_set_that_is_always_empty(rule: str, code: str) -> None:
    report = report_of(rule)
    assert code in codes(report)
    assert report.verdict("effective-sets", "R") is Verdict.REFUTED
    assert report.verdict("can-match", "R") is Verdict.PROVED


def test_a_set_that_has_to_be_empty_may_have_elements_but_for_that() -> None:
    report = report_of("a : T {} all v : U {} when v in a [0 ms, 1 ms] having count(v) = 0")
    assert not report.findings


def test_a_set_without_a_window_is_explained() -> None:
    report = report_of("a : T {} all v : U {}")
    assert codes(report) == {"unbounded-set"}
    assert report.verdict("bounded-time", "R") is Verdict.REFUTED
    assert report.verdict("can-match", "R") is Verdict.NOT_PROVED


def test_a_rule_without_sets_has_no_guarantees_of_sets() -> None:
    report = check(
        "level 2\ntemplate T {}\nrule R where a : T {} all v : T {} when v in a [0 ms, 1 ms]\nrule S where b : T {}"
    )
    rules = {guarantee.rule for guarantee in report.guarantees if guarantee.name == "effective-sets"}
    assert rules == {"R"}


def test_the_time_of_a_set_is_monotone() -> None:
    at = "max(a.timestamp, min(v.timestamp) + 3 ms)"
    report = report_of(
        f"a : T {{}} all v : T {{}} when v in a [0 ms, 5 ms] having exists(v) then emit U at {at} with {{ k = 1 }}"
    )
    assert report.verdict("monotone-at", "R") is Verdict.PROVED


def test_too_many_elements_are_not_tried() -> None:
    report = report_of("a : T {} all v : U {} when v in a [0 ms, 1 ms] having count(v) > 5000")
    assert report.verdict("can-match", "R") is Verdict.NOT_PROVED


DEPLOYMENT = (
    '[[source]]\nname = "s"\n[[source.emits]]\ntemplate = "T"\nevery = "1 seconds"\n'
    '[[source.emits]]\ntemplate = "U"\nat_most = 3\nper = "1 seconds"\n'
)


@pytest.mark.parametrize(("least", "verdict"), [(12, Verdict.PROVED), (13, Verdict.REFUTED)])
def test_a_count_that_no_rate_reaches(least: int, verdict: Verdict) -> None:
    """Four periods of a second touch a closed window of three seconds."""
    text = f"{TEMPLATES}a : T {{}} all v : U {{}} when v in a [-1 seconds, 2 seconds] having count(v) >= {least}"
    report = check(text, read_deployment(DEPLOYMENT))
    assert report.verdict("can-match", "R") is Verdict.PROVED
    assert report.verdict("reachable-counts", "R") is verdict
    assert report.verdict("bounded-space") is Verdict.PROVED
    assert [finding.evidence["at_most"] for finding in report.of("unreachable-count")] == (
        [{"v": 12}] if verdict is Verdict.REFUTED else []
    )


def test_a_cardinality_bounds_a_set_of_one_value() -> None:
    declared = '[[cardinality]]\ntemplate = "U"\nattribute = "k"\nat_most = 2\nper = "1 minutes"\n'
    text = f"{TEMPLATES}a : T {{}} all v : U {{ k = a.k }} when v in a [-1 seconds, 2 seconds] having count(v) >= 3"
    assert check(text, read_deployment(DEPLOYMENT)).verdict("reachable-counts", "R") is Verdict.PROVED
    assert check(text, read_deployment(DEPLOYMENT + declared)).verdict("reachable-counts", "R") is Verdict.REFUTED


RELATED = """\
level 2
template T { k : Integer }
rule Three where a : T {} all v : T { k > a.k } when v in a [0 ms, 5 ms] having count(v) >= 3
rule Two where b : T {} all w : T { k > b.k } when w in b [0 ms, 5 ms] having count(w) >= 2
rule Wider where b : T {} all w : T { k > b.k } when w in b [0 ms, 6 ms] having count(w) >= 2
rule Any where b : T {}
rule None where b : T {} no w : T { k > b.k } when no w in b [0 ms, 5 ms]
"""


@pytest.mark.parametrize(
    ("narrow", "wide", "verdict"),
    [
        ("Three", "Two", Verdict.PROVED),
        ("Two", "Three", Verdict.REFUTED),
        ("Three", "Wider", Verdict.NOT_PROVED),  # the one set is in the other, which the solver does not know
        ("Wider", "Two", Verdict.REFUTED),
        ("Two", "Any", Verdict.PROVED),
        ("Any", "Two", Verdict.REFUTED),
        ("None", "Two", Verdict.REFUTED),
    ],
)
def test_relations_of_rules_with_sets(narrow: str, wide: str, verdict: Verdict) -> None:
    assert subsumed(parse(RELATED), narrow, wide).verdict is verdict


# --- Against the algebra ---------------------------------------------------------------------------------------------

Bindings = tuple[tuple[str, str], ...]


def matches_of(program: core.Program, rule: core.Rule, trace: Iterable[TraceItem]) -> set[Bindings]:
    """The matches of a rule in the place of the one with its name."""
    rules = tuple(rule if candidate.name == rule.name else candidate for candidate in program.rules)
    matches = run(replace(program, rules=rules), tuple(trace), {}).matches
    return {match.bindings for match in matches if match.rule == rule.name}


def alone(program: core.Program, rule: core.Rule, evidence: Mapping[str, Json]) -> tuple[set[Bindings], Bindings]:
    """The matches of a rule on the trace of evidence, and the match that the evidence is about."""
    events = [
        Event(str(e["id"]), str(e["template"]), cast(int, e["timestamp"]), cast(dict[str, int], e["attributes"]))
        for e in cast(list[dict[str, Json]], evidence["trace"])
    ]
    silent = replace(rule, emissions=())
    bindings = cast(dict[str, str], evidence["bindings"])
    wanted = tuple((pattern.variable, bindings[pattern.variable]) for pattern in rule.positive)
    return matches_of(replace(program, rules=(silent,)), silent, events), wanted


def advised(rule: core.Rule, findings: Iterable[Finding]) -> core.Rule:
    """The rule without what the report calls superfluous."""
    for finding in findings:
        if finding.verdict is not Verdict.REFUTED:
            continue
        match finding.code:
            case "useless-having":
                texts = [expression_text(condition) for condition in rule.having]
                place = len(texts) - 1 - texts[::-1].index(str(finding.evidence["condition"]))
                rule = replace(rule, having=(*rule.having[:place], *rule.having[place + 1 :]))
            case "implied-condition":
                rule = replace(rule, patterns=tuple(_without(rule.patterns, str(finding.evidence["condition"]))))
            case "redundant-constraint":
                written = [constraint_text(constraint, rule) for constraint in rule.constraints]
                place = len(written) - 1 - written[::-1].index(str(finding.evidence["constraint"]))
                rule = replace(rule, constraints=(*rule.constraints[:place], *rule.constraints[place + 1 :]))
            case _:
                pass
    return rule


def _without(patterns: Iterable[core.Pattern], text: str) -> Iterable[core.Pattern]:
    """The patterns without the last condition with a text, which names its variable."""
    removed = False
    for pattern in patterns:
        texts = [expression_text(condition) for condition in pattern.conditions]
        if text in texts and not removed:
            place, removed = len(texts) - 1 - texts[::-1].index(text), True
            pattern = replace(pattern, conditions=(*pattern.conditions[:place], *pattern.conditions[place + 1 :]))
        yield pattern


def attack_report(program: core.Program, report: Report, attempts: Iterable[tuple[TraceItem, ...]]) -> None:
    """Every certain claim of a report is so on the traces, and on those that the report gives as evidence."""
    attempts = list(attempts)
    render(report, verbose=True)
    report_to_text(report)
    for rule in program.rules:
        mine = [finding for finding in report.findings if finding.rule == rule.name]
        guarantees = {guarantee.name: guarantee for guarantee in report.guarantees if guarantee.rule == rule.name}
        can, negations, sets = (guarantees.get(name) for name in ("can-match", "effective-negations", "effective-sets"))
        assert can is not None
        assert negations is not None
        if can.verdict is Verdict.PROVED:
            matches, wanted = alone(program, rule, can.evidence)
            assert wanted in matches
        for record in cast(list[dict[str, Json]], negations.evidence.get("negations", [])):
            less = without_negation(rule, str(record["negated"]))
            matches, wanted = alone(program, less, record)
            assert wanted in matches
            assert wanted not in alone(program, rule, record)[0]
        for record in cast(list[dict[str, Json]], [] if sets is None else sets.evidence.get("sets", [])):
            matches, wanted = alone(program, with_element(rule, str(record["set"])), record)
            assert wanted in matches
        for finding in mine:
            if finding.code in ("partly-self-blocked", "self-blocked") and finding.verdict is Verdict.REFUTED:
                matches, wanted = alone(program, without_negation(rule), finding.evidence)
                assert wanted in matches
                assert wanted not in alone(program, rule, finding.evidence)[0]
        for trace in attempts:
            matches = matches_of(program, rule, trace)
            assert not (matches and can.verdict is Verdict.REFUTED)
            assert matches_of(program, advised(rule, mine), trace) == matches
            for finding in mine:
                if finding.verdict is Verdict.REFUTED and finding.code == "useless-negation":
                    less = without_negation(rule, str(finding.evidence["negated"]))
                    assert matches_of(program, less, trace) == matches
                if finding.verdict is Verdict.REFUTED and finding.code == "empty-set" and "set" in finding.evidence:
                    assert not matches_of(program, with_element(rule, str(finding.evidence["set"])), trace)


def with_element(rule: core.Rule, variable: str) -> core.Rule:
    """The rule whose only condition on sets is that one has an element."""
    return replace(rule, having=(core.Aggregate("exists", variable, None, False, Scalar.BOOLEAN),))


Case = tuple[core.Program, tuple[tuple[TraceItem, ...], ...]]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    program = draw(programs(ProgramShape(rules=2, level=2, either=False)))
    return program, tuple(draw(traces(program, events=9, latest=6, promises=False)) for _ in range(3))


@given(cases())
@settings(max_examples=30)
def test_the_algebra_confirms_claims_about_programs_with_sets(case: Case) -> None:
    program, attempts = case
    attack_report(program, check(program, timeout=2), attempts)


@given(cases(), st.data())
@settings(max_examples=20)
def test_the_algebra_confirms_relations_of_rules_with_sets(case: Case, data: st.DataObject) -> None:
    program, attempts = case
    rule = data.draw(st.sampled_from(program.rules))
    changed = replace(rule, name="Changed")
    if rule.having:
        changed = replace(changed, having=rule.having[data.draw(st.integers(0, 1)) :])
    if rule.constraints:
        first, *others = rule.constraints
        wider = replace(first, upper=first.upper + data.draw(st.integers(0, 1)))
        changed = replace(changed, constraints=(wider, *others))
    attack_relation(program, rule, changed, attempts)


def attack_relation(
    program: core.Program, rule: core.Rule, changed: core.Rule, attempts: Iterable[tuple[TraceItem, ...]]
) -> None:
    """What is proved of two rules, and what is refuted, is so."""
    related = equivalent(program, rule, changed, timeout=2)
    for subsumption, narrow, wide in ((related.forth, rule, changed), (related.back, changed, rule)):
        if subsumption.verdict is Verdict.PROVED:
            for trace in attempts:
                assert matches_of(program, narrow, trace) <= matches_of(program, replace(wide, name=narrow.name), trace)
        elif subsumption.verdict is Verdict.REFUTED:
            evidence = subsumption.evidence()
            assert evidence is not None
            matches, wanted = alone(program, narrow, evidence)
            assert wanted in matches
            assert wanted not in alone(program, wide, evidence)[0]
