"""Imported rules match where Panther's do: the importer and `parte run` against a definition written for the tests."""

from __future__ import annotations

import pytest
import yaml

import parte
from parte.importers.imported import Imported
from tests.importers.panther_comparison import compare, difference, imported
from tests.importers.panther_definition import MINUTE, Rule, Signal, matches
from tests.sampling import sampled


def test_drawn_rules_have_the_verdicts_of_the_definition() -> None:
    counted = compare(40, seed=3)
    assert counted["rules"] >= 35
    assert min(counted["matching"], counted["not matching"]) >= 20


@pytest.mark.parametrize("seed", [pytest.param(seed, marks=sampled(seed, usual=4)) for seed in range(4)])
def test_many_drawn_rules_have_the_verdicts_of_the_definition(seed: int) -> None:
    counted = compare(300, seed=100 + seed)
    assert min(counted["matching"], counted["not matching"]) >= 150


def rule_of(text: str) -> Rule:
    rule: Rule = yaml.safe_load(
        "{AnalysisType: correlation_rule, RuleID: R, Enabled: true, Severity: Low, Detection: [" + text + "]}"
    )
    return rule


GROUP = "{Group: [{ID: a, RuleID: A}, {ID: b, RuleID: B%s}], LookbackWindowMinutes: 5, Schedule: {TimeoutMinutes: 1}%s}"
SEQUENCE = GROUP.replace("Group", "Sequence")
ON_USER = ", MatchCriteria: {user: [{GroupID: a, Match: user}, {GroupID: b, Match: user}]}"
THEN = ', Transitions: [{From: a, To: b, WithinTimeFrameMinutes: 2, Match: [{"On": user}]}]'


def signals(written: str) -> list[Signal]:
    """Signals as `A@0:ada`: rule, minutes, and the user, if there is one."""
    parsed = (part.replace("@", ":").split(":") for part in written.split())
    return [
        Signal(name, round(float(time) * MINUTE), {"user": user[0]} if user else {}) for name, time, *user in parsed
    ]


@pytest.mark.parametrize(
    ("detection", "written", "expected"),
    [
        (GROUP % ("", ON_USER), "A@0:x B@5:x", True),
        (GROUP % ("", ON_USER), "A@5:x B@0:x", True),
        (GROUP % ("", ON_USER), "A@0:x B@5.01:x", False),
        (GROUP % ("", ON_USER), "A@0:x B@0:y", False),
        (GROUP % ("", ON_USER), "A@0 B@0", False),  # without a value there is nothing to match
        (GROUP % ("", ""), "A@0 B@0:y", True),
        (GROUP % (", MinMatchCount: 2", ON_USER), "A@0:x B@1:x B@1:y", False),
        (GROUP % (", MinMatchCount: 2", ON_USER), "A@3:x B@0:x B@5:x", True),
        (GROUP % (", MinMatchCount: 2", ON_USER), "A@0:x B@1:x B@1:x", True),  # two signals at one time are two
        (GROUP % (", MinMatchCount: 2", ON_USER), "A@0:x B@1:x", False),  # and one signal is not two
        (GROUP % (", MinMatchCount: 2", ON_USER), "A@0:x B@4:x B@6:x", False),
        (GROUP % (", Absence: true", ON_USER), "A@5:x B@0:x", False),
        (GROUP % (", Absence: true", ON_USER), "A@0:x B@5:x", False),
        (GROUP % (", Absence: true", ON_USER), "A@0:x B@5.01:x", True),
        (GROUP % (", Absence: true", ON_USER), "A@0:x B@0:y", True),
        (GROUP % (", Absence: true", ON_USER), "A@0", False),
        (SEQUENCE % ("", THEN), "A@0:x B@2:x", True),
        (SEQUENCE % ("", THEN), "A@0:x B@0:x", True),  # equal times are in order
        (SEQUENCE % ("", THEN), "B@0:x A@1:x", False),
        (SEQUENCE % ("", THEN), "A@0:x B@2.01:x", False),
        (SEQUENCE % ("", ""), "A@0:x B@5:y", True),
        (SEQUENCE % (", MinMatchCount: 2", THEN), "A@0:x B@2:x B@5:x", True),  # the frame ends at the first of them
        (SEQUENCE % (", MinMatchCount: 2", THEN), "A@0:x B@2:x B@5.01:x", False),  # the lookback at the last
        (SEQUENCE % (", Absence: true", THEN), "A@0:x B@2:x", False),
        (SEQUENCE % (", Absence: true", THEN), "A@0:x B@2.01:x", True),
        (SEQUENCE % (", Absence: true", THEN), "B@0:x A@1:x", True),
    ],
)
def test_stated_verdicts(detection: str, written: str, expected: bool) -> None:
    rule, trace = rule_of(detection), signals(written)
    assert matches(rule, trace) == expected
    (result,) = imported(yaml.safe_dump(rule))
    assert isinstance(result, Imported)
    assert difference(rule, trace, result, parte.parse(result.program)) == ""


def test_a_value_that_one_alternative_compares_is_present() -> None:
    """A drawn rule, made smaller: `latest` may be a signal of a member without a criterion, which compares nothing."""
    detection = (
        "{Group: [{ID: a, RuleID: A, Absence: true}, {ID: b, RuleID: B, MinMatchCount: 2}, {ID: c, RuleID: C}], "
        "MatchCriteria: {user: [{GroupID: a, Match: user}, {GroupID: c, Match: user}]}, Schedule: {TimeoutMinutes: 1}}"
    )
    rule = rule_of(detection)
    (result,) = imported(yaml.safe_dump(rule))
    assert isinstance(result, Imported)
    for written, expected in (("B@0 B@0 C@0", False), ("B@0 B@0 C@0:x", True)):
        assert matches(rule, signals(written)) == expected
        assert difference(rule, signals(written), result, parte.parse(result.program)) == ""


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        (">= 2", ">= 3"),
        ("[-5 minutes, 0 ms]", "[-5 minutes, -1 ms]"),
        ("user = a.user", "user != a.user"),
        ("all b", "no b"),
    ],
)
def test_a_wrong_program_is_noticed(good: str, bad: str) -> None:
    """The comparison is not blind: for each of these errors there are signals that show it."""
    rule = rule_of(GROUP % (", MinMatchCount: 2", ON_USER))
    (result,) = imported(yaml.safe_dump(rule))
    assert isinstance(result, Imported)
    text = result.program.replace(good, bad)
    assert text != result.program
    if bad == "no b":
        text = text[: text.index("having")].replace("    b in", "    no b in")
    wrong = parte.parse(text)
    traces = ["A@0:x B@0:x B@0:x", "A@0:x B@0:x", "A@0:x B@0:y B@1:y"]
    assert any(difference(rule, signals(written), result, wrong) for written in traces)
