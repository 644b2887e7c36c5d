"""What of Panther's rules is refused, and where; what is read all the same; the events of tests."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import parte
from parte.importers.imported import Imported, Options, Refused, Schedule
from parte.importers.panther import rules
from tests.importers.panther_comparison import imported

RULE = """\
AnalysisType: correlation_rule
RuleID: Badge.Used.WITH.Login
DisplayName: "A badge is used"
Enabled: true
Severity: Info
Detection:
  - Sequence:
      - ID: BadgeUsed
        RuleID: Door.Badge
      - ID: Login
        RuleID: Desk.Login
        MinMatchCount: 2
    Transitions:
      - ID: BadgeUsed THEN Login
        From: BadgeUsed
        To: Login
        WithinTimeFrameMinutes: 5
        Match:
          - On: employee
    LookbackWindowMinutes: 30
    Schedule:
      RateMinutes: 20
      TimeoutMinutes: 2
Tests:
  - Name: A badge and two logins
    ExpectedResult: true
    RuleOutputs:
      - ID: Login
        Matches:
          employee:
            ada: [2, 2]
      - ID: BadgeUsed
        Matches:
          employee: {ada: ["1970-01-01T00:01:00Z"]}
  - Name: No one
    ExpectedResult: false
"""
GROUP = """\
AnalysisType: correlation_rule
RuleID: G
Enabled: true
Severity: Info
Detection:
  - Group:
      - ID: a
        RuleID: A
      - ID: b
        RuleID: B
    MatchCriteria:
      field_name:
        - GroupID: a
          Match: user
        - GroupID: b
          Match: user
    Schedule:
      TimeoutMinutes: 2
"""


def read(text: str, *, nearest: bool = False) -> Imported | Refused:
    (result,) = imported(text, Options(nearest=nearest))
    return result


def test_a_rule_is_read() -> None:
    rule = read(RULE)
    assert isinstance(rule, Imported)
    assert rule.name == "Badge_Used_WITH_Login"
    assert rule.place.line == 2
    assert rule.schedule == Schedule(20 * 60_000, 30 * 60_000)
    assert rule.differences == ()
    yes, no = rule.tests
    assert (yes.name, yes.matches, no.name, no.matches, no.events) == (
        "A badge and two logins",
        True,
        "No one",
        False,
        (),
    )
    assert [(event.id, event.template, event.timestamp, event.attributes) for event in yes.events] == [
        ("s1", "Door_Badge", 60_000, {"employee": "ada"}),
        ("s2", "Desk_Login", 120_000, {"employee": "ada"}),
        ("s3", "Desk_Login", 120_000, {"employee": "ada"}),
    ]
    assert parte.format_program(rule.program) == rule.program
    assert len(parte.run(parte.parse(rule.program), yes.events)) > 0


HARD = [
    (RULE, "AnalysisType: correlation_rule", "AnalysisType: rule", 1, 15, "only rules whose AnalysisType"),
    (RULE, "AnalysisType: correlation_rule\n", "", 1, 1, "AnalysisType is missing"),
    (RULE, "RuleID: Badge.Used.WITH.Login\n", "", 1, 1, "RuleID is missing"),
    (
        RULE,
        "RuleID: Badge",
        "RuleId: Badge",
        1,
        1,
        "the key 'RuleId' is not known, did you mean 'RuleID'?",
    ),
    (
        RULE,
        "AnalysisType: ",
        "detection: {a: b}\nkind: ",
        1,
        1,
        "this looks like a rule of Sigma",
    ),
    (RULE, "RuleID: Badge.Used.WITH.Login", "RuleID: [x]", 2, 9, "expected RuleID, a text, found a list"),
    (RULE, "RuleID: Door.Badge", "RuleID: ~", 8, 9, "RuleID is missing"),
    (RULE, "MinMatchCount: 2", "MinMatchCount: 0", 12, 24, "an integer from 1 to"),
    (RULE, "MinMatchCount: 2", 'MinMatchCount: "2"', 12, 24, "an integer from 1 to"),
    (RULE, "MinMatchCount: 2", "Absence: yes", 12, 18, "expected Absence, true or false"),
    (RULE, "To: Login", "To: Login2", 16, 13, "To: no member has the ID 'Login2'"),
    (RULE, "From: BadgeUsed\n        To: Login", "From: Login\n        To: BadgeUsed", 14, 9, "to the next one"),
    (RULE, "- On: employee", "- {On: employee, From: x}", 19, 13, "either On, or From and To"),
    (RULE, "- On: employee", "- {From: x}", 19, 13, "To is missing"),
    (RULE, "- On: employee", "- {On: employee, Of: x}", 19, 28, "the key 'Of' is not known"),
    (RULE, "- On: employee", "- On: employee\n          - On: x", 20, 13, "matches on one field"),
    (RULE, "LookbackWindowMinutes: 30", "LookbackWindowMinutes: 30.5", 20, 28, "an integer from 1 to"),
    (RULE, "LookbackWindowMinutes: 30", "EventEvaluationOrder: Up", 20, 27, "Chronological or Reverse"),
    (RULE, "LookbackWindowMinutes: 30", "MatchCriteria: {x: []}", 20, 20, "a Sequence has no MatchCriteria"),
    (RULE, "- ID: BadgeUsed\n", "- ID: Login\n", 10, 9, "the ID 'Login' stands twice"),
    (RULE, "        RuleID: Door.Badge\n", "        RuleID: Door.Badge\n        RuleID: x\n", 10, 9, "stands twice"),
    (RULE, "  - Sequence:", "  - {}\n  - Sequence:", 8, 5, "with one group or sequence, found 2"),
    (RULE, "  - Sequence:", "  - Group: []\n    Sequence:", 7, 5, "either Group or Sequence"),
    (RULE, "ada: [2, 2]", "ada: [soon]", 31, 19, 'expected a timestamp, found the string "soon"'),
    (RULE, "ada: [2, 2]", "ada: 2", 31, 18, "expected times, a list"),
    (RULE, "      - ID: Login\n        Matches", "      - ID: Other\n        Matches", 28, 13, "no member has the ID"),
    (RULE, "ExpectedResult: false", "Expected: false", 36, 5, "the key 'Expected' is not known"),
    (RULE, "ExpectedResult: false", "ExpectedResult: 0", 36, 21, "true or false"),
    (GROUP, "      field_name:", "      b_: []\n      field_name: x\n      c:", 13, 19, "a list, found 'x'"),
    (GROUP, "GroupID: b", "GroupID: a", 15, 11, "'a' has two fields in one criterion"),
    (GROUP, "GroupID: b", "GroupID: c", 15, 20, "GroupID: no member has the ID 'c'"),
    (GROUP, "    Schedule:", "    Transitions: [x]\n    Schedule:", 17, 18, "a Group has no Transitions"),
]
"""Replacements in a rule that leave nothing near to write: the place, and the reason."""
NEAR = [
    (RULE, "Severity: Info", "Severity: Info\nThreshold: 3", 6, 1, "the key 'Threshold' is not known"),
    (RULE, "RateMinutes: 20", "RateMinutes: 20\n      RateSeconds: 1", 23, 7, "the key 'RateSeconds' is not known"),
    (RULE, "MinMatchCount: 2", "MinMatchCount: 2\n        Severity: Low", 13, 9, "the key 'Severity' is not known"),
    (RULE, "MinMatchCount: 2", "MinMatchCount: 2\n        MaxMatchCount: 9", 13, 24, "MaxMatchCount"),
    (RULE, "MinMatchCount: 2", "MinMatchCount: 2\n        Absence: true", 12, 24, "which count makes an absent"),
    (RULE, "RuleID: Desk.Login", "RuleID: Door.Badge", 10, 9, "Door.Badge stands twice"),
    (
        re.sub("  - Group(.*)    MatchCriteria.*    Schedule", r"  - Sequence\1    Schedule", GROUP, flags=re.DOTALL),
        "      - ID: b",
        "      - {ID: x, RuleID: X, Absence: true}\n      - ID: b",
        9,
        9,
        "a step in the middle is absent",
    ),
    (GROUP, "    Schedule:", "    MinMatchCount: 1\n    Schedule:", 17, 20, "MinMatchCount of a Group"),
    (
        GROUP,
        "    Schedule:",
        "      other: [{GroupID: a, Match: ip}, {GroupID: b, Match: ip}]\n    Schedule:",
        17,
        7,
        "two criteria name the same members",
    ),
    (
        GROUP.replace("    MatchCriteria", "      - {ID: c, RuleID: C}\n      - {ID: d, RuleID: D}\n    MatchCriteria"),
        "    Schedule:",
        "      other: [{GroupID: c, Match: ip}, {GroupID: d, Match: ip}]\n    Schedule:",
        19,
        7,
        "nothing joins this criterion to the others",
    ),
]
"""Replacements that no program says exactly, but one is near."""


def test_one_absent_member_is_no_mistake() -> None:
    absent = GROUP.replace("        RuleID: A\n", "        RuleID: A\n        Absence: true\n")
    assert isinstance(read(absent), Imported)
    both = absent.replace("        RuleID: B\n", "        RuleID: B\n        Absence: true\n")
    result = read(both)
    assert isinstance(result, Refused)
    assert (result.place.line, result.place.column) == (7, 9)
    assert "no member has to be present" in result.reason


@pytest.mark.parametrize(("text", "old", "new", "line", "column", "reason"), HARD, ids=range(len(HARD)))
def test_what_cannot_be_read_is_refused(text: str, old: str, new: str, line: int, column: int, reason: str) -> None:
    assert text.count(old) >= 1
    result = read(text.replace(old, new, 1), nearest=True)
    assert isinstance(result, Refused)
    assert reason in result.reason
    assert (result.place.line, result.place.column) == (line, column)
    assert not result.nearest


@pytest.mark.parametrize(("text", "old", "new", "line", "column", "reason"), NEAR, ids=range(len(NEAR)))
def test_what_is_near_is_written_if_asked_for(
    text: str, old: str, new: str, line: int, column: int, reason: str
) -> None:
    assert text.count(old) >= 1
    changed = text.replace(old, new, 1)
    refused = read(changed)
    assert isinstance(refused, Refused)
    assert refused.nearest
    assert reason in refused.reason
    assert (refused.place.line, refused.place.column) == (line, column)
    near = read(changed, nearest=True)
    assert isinstance(near, Imported)
    assert [(difference.place.line, difference.place.column) for difference in near.differences] == [(line, column)]
    assert f"// Difference, line {line}: {near.differences[0].text}" in near.program
    assert parte.parse(near.program).warnings == ()


def test_documents_and_files_are_read_in_their_order(tmp_path: Path) -> None:
    files: Sequence[str] = [str(tmp_path / name) for name in ("a.yml", "b.yml", "c.yml")]
    Path(files[0]).write_text(f"{GROUP}---\n{RULE}---\nAnalysisType: rule\nRuleID: Other\n", encoding="utf-8")
    Path(files[1]).write_text(f"{GROUP}---\na: [\n", encoding="utf-8")
    results = list(rules(files, Options()))
    assert [(type(result).__name__, result.name) for result in results] == [
        ("Imported", "G"),
        ("Imported", "Badge_Used_WITH_Login"),
        ("Refused", "Other"),
        ("Imported", "G"),
        ("Refused", files[1]),
        ("Refused", files[2]),
    ]
    assert results[4].place.line == 21
    assert results[5].place.line == 1


def test_names_of_other_tools_act_on_nothing() -> None:
    """A comment stays one line, and a name that is none in PARTElang becomes one."""
    hostile = RULE.replace("RuleID: Door.Badge", 'RuleID: "rule\\n} level 2\\u001b[31m // \\u202e"').replace(
        "On: employee", '"On": "when x\\ttimestamp"'
    )
    hostile = hostile.replace("employee", '"when x\\ttimestamp"')
    result = read(hostile)
    assert isinstance(result, Imported)
    program = parte.parse(result.program)
    assert "\x1b" not in result.program
    assert "\u202e" not in result.program
    assert [test.matches for test in result.tests] == [len(parte.run(program, t.events)) > 0 for t in result.tests]


_WORDS = ("~", "[]", "{}", "-1", "true", '"', "x: y", "Absence: true", "Group", "*a", "&a", "1e9", "{user: {}}")


@given(st.randoms(use_true_random=False), st.sampled_from([RULE, GROUP]), st.booleans())
def test_no_edit_of_a_rule_is_a_fault(random: Random, text: str, nearest: bool) -> None:
    """What is read has a program, and every test is a trace of it."""
    lines = text.splitlines()
    for _ in range(random.randint(1, 4)):
        place = random.randrange(len(lines))
        match random.randrange(4):
            case 0:
                del lines[place : place + random.randint(1, 3)]
            case 1:
                lines.insert(place, random.choice(lines))
            case 2:
                head, _, _ = lines[place].partition(":")
                lines[place] = f"{head}: {random.choice(_WORDS)}"
            case _:
                lines[place] = lines[place].replace(random.choice("abDL: -"), random.choice(("", " ", "a", ":")), 1)
        lines = lines or ["x: y"]
    for result in imported("\n".join(lines), Options(nearest=nearest)):
        if isinstance(result, Imported):
            program = parte.parse(result.program)
            assert all(isinstance(parte.run(program, test.events), list) for test in result.tests)


def test_a_rule_with_too_many_members_is_refused_by_the_front_end() -> None:
    members = "".join(f"\n      - {{ID: m{number}, RuleID: M{number}}}" for number in range(70))
    result = read(GROUP.replace("    MatchCriteria", f"{members[1:]}\n    MatchCriteria"))
    assert isinstance(result, Imported)
    with pytest.raises(parte.ProgramError, match="too-many-patterns"):
        parte.parse(result.program)
