"""Translations between LEAD and PARTElang mean the same by the definition of both, or are refused with the reason."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.parser import parse as parse_lead
from parte.languages.translations import naming
from parte.languages.translations.comparing import TRUE
from parte.languages.translations.lead import to_lead as in_lead
from parte.languages.translations.lead import to_parte as from_lead
from parte.languages.translations.lead.texts import to_lead
from parte.languages.translations.lead.texts import to_parte as lead_to_parte
from parte.languages.translations.table import Given, NoSuchRule
from parte.semantics.partelang.syntax.elaborate import parse
from parte.semantics.source.diagnostics import ProgramError
from tests.campaigns import translating
from tests.campaigns.running import Broken
from tests.languages.translations.lead.campaign import LeadTranslations
from tests.languages.translations.lead.part import drawn_rule

TEMPLATES = """
template A { k : Integer, x : Float, s : String, uid : Integer }
template B { k : Integer, x : Float, s : String, uid : Integer }
template N { k : Integer, x : Float, s : String, uid : Integer }
"""
CAMPAIGN = LeadTranslations()


def test_drawn_rules_mean_the_same() -> None:
    counts: Counter[str] = Counter()
    for number in range(150):
        CAMPAIGN.attack(CAMPAIGN.draw(random.Random(f"quick {number}")), counts)
    assert counts["to LEAD, with negations and matches"] > 5
    assert counts["to PARTElang, with negations and matches"] > 3


def attack_some() -> None:
    """Until something breaks."""
    for number in range(400):
        CAMPAIGN.attack(CAMPAIGN.draw(random.Random(f"quick {number}")), Counter())


def test_windows_that_are_too_short_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_lead, "_length", lambda amount: tree.Duration(max(1, amount - 1), tree.Unit.MS))
    with pytest.raises(Broken, match=r"^matches of the definition of LEAD"):
        attack_some()


def test_events_that_are_bound_twice_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_lead, "_once", lambda *_: None)
    with pytest.raises(Broken, match=r"^matches of the definition of LEAD"):
        attack_some()


def test_events_that_no_uid_tells_apart_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(from_lead._Making, "_differ", lambda *_: TRUE)
    with pytest.raises(Broken, match=r"^matches of the definition of LEAD"):
        attack_some()


def test_a_negation_after_an_event_is_an_absence() -> None:
    rule = 'rule R where a : A, b : B { k = a.k }, no n : N { s = "x" }, when '
    rule += "b in a [0 ms, 1 minute], no n in a [0 ms, 4 ms],"
    assert to_lead(Given(TEMPLATES + rule)) == (
        "// Rule R, on traces in the order of their timestamps.\n"
        "FROM A, B, N\n"
        "MATCH all(((A AS a -> not N AS n FILTER (n.s == 'x') within 5 ms) and B AS b) FILTER (b.event_time - "
        "a.event_time >= 0 ms and b.event_time - a.event_time <= 1 minutes and b.k == a.k))\n"
    )


def test_a_negation_with_bound_variables_is_a_list_of_which_no_item_counts() -> None:
    """The draft of the language held that these have no counterpart."""
    rule = "rule R where a : A, no n : N { k > a.k }, when no n in a [-2 ms, -1 ms],"
    text = to_lead(Given(TEMPLATES + rule))
    assert "collect(N AS n) AS n -> A AS a" in text
    assert "ALL (n.event_time - a.event_time < -2 ms or n.event_time - a.event_time > -1 ms or not n.k > a.k)" in text


def test_a_sequence_of_lead_is_rules() -> None:
    text = "FROM A, B, N MATCH all(A -> not N -> (B FILTER (B.k > 1 or B.x > 0.5)) within 5 ms)"
    one, other = parse(lead_to_parte(Given(text, templates=TEMPLATES))).rules
    assert [pattern.variable for pattern in one.patterns] == ["A", "B", "absent1_1"]
    assert [(each.subject, each.reference, each.lower, each.upper) for each in other.constraints] == [
        ("B", "A", 0, 4),
        ("absent1_1", "A", 0, 4),
        ("absent1_1", "B", -4, 0),
    ]


WINDOW = "when two in one [1 ms, 5 ms],"
REFUSED_TO_LEAD = {
    "rule R where one : A, two : A, when two in one [0 ms, 5 ms],": ("no-counterpart", "LEAD binds an event once"),
    "rule R where one : A, no n : A { k > one.k }, when no n in one [0 ms, 5 ms],": (
        "no-counterpart",
        "LEAD uses an event once",
    ),
    "rule R where one : A, two : B { k + 1 = one.k }, " + WINDOW: ("no-counterpart", "computes nothing"),
    "rule R where one : A, two : B { x = one.k }, " + WINDOW: ("rounded-comparison", "rounds the Integer"),
    "predicate p(Integer) rule R where one : A { p(k) },": ("no-counterpart", "comparisons only"),
    "template From {} rule R where one : From,": ("no-counterpart", "keyword of LEAD"),
    "rule R where one : A, then emit N at one.timestamp with { k = 1, x = 1.0, s = one.s, uid = 1 }": (
        "no-counterpart",
        "end of the match",
    ),
    f"rule R where one : A, two : B, {WINDOW} one in two [1 ms, 5 ms],": ("no-counterpart", "contradict"),
}
REFUSED_TO_PARTE = {
    "FROM A MATCH A": ("no-counterpart", "finds all matches"),
    "FROM A MATCH all(A) consume(A)": ("no-counterpart", "uses nothing up"),
    "FROM A, B MATCH all(A -> B)": ("no-counterpart", "bounded in time"),
    "FROM A, B MATCH all(A within 1 ms -> B within 1 ms)": ("no-counterpart", "at any time"),
    "FROM A, B MATCH all(A or B)": ("no-counterpart", "no counterpart"),
    "FROM A MATCH all(A) PARTITION BY window(3)": ("no-counterpart", "no tumbling windows"),
    "FROM A MATCH all(A) EMIT Event E(1)": ("no-counterpart", "end of the match"),
    "FROM A MATCH all(A -> A AS b within 1 ms)": ("no-counterpart", "may have several places"),
    "FROM A MATCH all(A FILTER (A.v + 1 > 2))": ("no-counterpart", "counts nothing"),
    "FROM A MATCH all(A FILTER (A.v == A.w))": ("unknown-type-of-attribute", "no constant"),
}


@pytest.mark.parametrize("rule", REFUSED_TO_LEAD)
def test_rules_that_lead_does_not_say(rule: str) -> None:
    code, message = REFUSED_TO_LEAD[rule]
    with pytest.raises(ProgramError) as caught:
        to_lead(Given(TEMPLATES + rule))
    found = caught.value.diagnostics[0]
    assert found.code == code
    assert message in found.message
    assert found.span.start.line > 1


@pytest.mark.parametrize("text", REFUSED_TO_PARTE)
def test_rules_that_partelang_does_not_say(text: str) -> None:
    code, message = REFUSED_TO_PARTE[text]
    with pytest.raises(ProgramError) as caught:
        lead_to_parte(Given(text))
    found = caught.value.diagnostics[0]
    assert found.code == code
    assert message in found.message


def test_names_and_templates_that_there_are_not() -> None:
    with pytest.raises(NoSuchRule, match="a rule of LEAD is one rule, and the program has 0: none"):
        to_lead(Given(TEMPLATES))
    with pytest.raises(ProgramError, match="no template is called C"):
        lead_to_parte(Given("FROM C MATCH all(C)", templates=TEMPLATES))
    with pytest.raises(ProgramError, match="in PARTElang"):
        lead_to_parte(Given("FROM Integer MATCH all(Integer)"))


def test_the_least_integer_is_written() -> None:
    rule = "rule R where one : A { k > -9223372036854775808 },"
    text = to_lead(Given(TEMPLATES + rule))
    assert "-9223372036854775807 - 1" in text
    assert parse_lead(text)


def test_an_attribute_that_becomes_a_time_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs with one name exchanged, as the campaign exchanges names, mean something else."""
    monkeypatch.setattr(naming.Vocabulary, "refuse_attribute", lambda *_: None)
    found = set[str]()
    for number in range(300):
        source = random.Random(f"quick {number}")
        case = drawn_rule(source)
        try:
            CAMPAIGN.attack(translating.with_names(case, {"k": "event_time"}), Counter())
        except Broken as broken:
            found.add(broken.what)
    assert "matches of the definition of LEAD" in found
