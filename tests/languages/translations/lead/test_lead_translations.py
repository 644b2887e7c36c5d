"""Translations between LEAD and PARTElang mean the same by the definition of both, or are refused with the reason."""

from __future__ import annotations

import random
from collections import Counter
from typing import cast

import pytest

from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.parser import parse as parse_lead
from parte.languages.translations import connectives, naming
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
    for number in range(200):
        CAMPAIGN.attack(CAMPAIGN.draw(random.Random(f"quick {number}")), counts)
    assert counts["to LEAD, with negations and matches"] > 5
    assert counts["to LEAD, level 2, with matches"] > 5
    assert counts["to LEAD, with sets and matches"] > 0
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


def test_contraries_that_are_none_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cast(dict[str, str], connectives.CONTRARY), "=", "=")
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


LEVEL_2 = "level 2\n" + TEMPLATES.replace("s : String", "s : String?")


def test_a_set_is_a_list_whose_items_are_counted() -> None:
    rule = "rule R where a : A, all n : N { k = a.k }, when n in a [-5 ms, 0 ms), having count(n) >= 2"
    assert to_lead(Given(LEVEL_2 + rule)) == (
        "// Rule R, on traces in the order of their timestamps.\n"
        "FROM A, N\n"
        "MATCH all((collect(N AS n) AS n -> A AS a) FILTER (AT LEAST 2 (n.event_time - a.event_time >= -5 ms and "
        "n.event_time - a.event_time <= -1 ms and n.k == a.k)))\n"
    )


@pytest.mark.parametrize(
    ("having", "condition"),
    [
        ("not exists(n)", "not AT LEAST 1 (IN)"),
        ("count(n) < 3", "not AT LEAST 3 (IN)"),
        ("count(n) = 2", "AT LEAST 2 (IN) and not AT LEAST 3 (IN)"),
        ("not count(n) > 2", "not AT LEAST 3 (IN)"),
        ("count(n.s) > 0", "AT LEAST 1 (IN and n.s == n.s)"),
        ("max(n.k) >= a.k", "AT LEAST 1 (IN and n.k >= a.k)"),
        ("3 > min(n.k)", "AT LEAST 1 (IN and 3 > n.k)"),
        ("min(n.k) > 3", "AT LEAST 1 (IN and n.k == n.k) and not AT LEAST 1 (IN and n.k <= 3)"),
        ("max(n.s) < a.s", "AT LEAST 1 (IN and n.s == n.s) and a.s == a.s and not AT LEAST 1 (IN and n.s >= a.s)"),
    ],
)
def test_conditions_on_sets(having: str, condition: str) -> None:
    text = to_lead(Given(f"{LEVEL_2}rule R where a : A, all n : N, when n in a (-ever, -1 ms], having {having}"))
    assert f"FILTER ({condition.replace('IN', 'n.event_time - a.event_time <= -1 ms')})" in text


def test_a_set_on_both_sides_is_divided() -> None:
    rule = "rule R where a : A, all n : N, when n in a [-2 ms, 2 ms], having count(n) >= 2"
    text = to_lead(Given(LEVEL_2 + rule))
    assert "collect(N AS n) AS n -> A AS a -> collect(N AS n) AS n_after within 3 ms" in text
    assert (text.count("AT LEAST 1 (n."), text.count("AT LEAST 1 (n_after."), text.count("AT LEAST 2")) == (1, 1, 2)


def test_conditions_are_joined_and_a_missing_value_is_not_the_contrary_of_one() -> None:
    patterns = 'a : A { not (s = "x" or k in (1, 2)) or s is missing }, b : B { timestamp - a.timestamp > 2 ms }'
    text = to_lead(Given(f"{LEVEL_2}rule R where {patterns}, when b in a [0 ms, 5 ms]"))
    assert "A AS a FILTER (a.s != 'x' and a.k != 1 and a.k != 2 or not a.s == a.s)" in text
    assert "b.event_time - a.event_time > 2 ms" in text


def test_a_sequence_of_lead_is_a_rule() -> None:
    text = "FROM A, B, N MATCH all(A -> not N -> (B FILTER (B.k > 1 or B.x > 0.5)) within 5 ms)"
    translated = lead_to_parte(Given(text, templates=TEMPLATES))
    (rule,) = parse(translated).rules
    assert "k > 1 or x > 0.5" in translated
    assert [pattern.variable for pattern in rule.patterns] == ["A", "B", "absent1"]
    assert [
        (constraint.subject, constraint.reference, constraint.lower, constraint.upper)
        for constraint in rule.constraints
    ] == [
        ("B", "A", 0, 4),
        ("absent1", "A", 0, 4),
        ("absent1", "B", -4, 0),
    ]


def test_conditions_of_thousands_of_alternatives_are_one_rule_of_level_2() -> None:
    """Before, each alternative was a rule of level 1, and more than 1,000 were refused."""
    condition = " and ".join(f"(A.k == {number} or A.x > {number}.5)" for number in range(12))
    program = parse(lead_to_parte(Given(f"FROM A MATCH all(A FILTER ({condition}))")))
    assert program.level == 2
    assert [len(pattern.conditions) for rule in program.rules for pattern in rule.patterns] == [12]
    assert parse(lead_to_parte(Given("FROM A MATCH all(A FILTER (not (A.k == 1 or A.x > 0.5)))"))).level == 1


def test_words_of_level_2_are_no_names_of_programs_of_level_2() -> None:
    rule_text = "FROM A MATCH all(A AS having FILTER ({}))"
    translated = lead_to_parte(Given(rule_text.format("having.k == 1 or having.pattern == 2")))
    assert "    having_ : A {\n        k = 1 or having_.pattern = 2,\n" in translated
    with pytest.raises(ProgramError, match="`use` is a keyword of PARTElang"):
        lead_to_parte(Given("FROM use MATCH all(use FILTER (use.k == 1 or use.k == 2))"))
    assert parse(lead_to_parte(Given("FROM use MATCH all(use FILTER (use.k == 1))"))).level == 1


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
SET = "rule R where a : A, all n : N, when n in a [-5 ms, 5 ms] having"
REFUSED_AT_LEVEL_2 = {
    f"{SET} sum(n.k) >= 2": ("no-counterpart", "no such aggregate"),
    f"{SET} count(distinct n.k) >= 2": ("no-counterpart", "no such aggregate"),
    f"{SET} count(n) >= a.k": ("no-counterpart", "no such aggregate"),
    f"{SET} max(n.timestamp) > a.timestamp": ("no-counterpart", "no such aggregate"),
    f"{SET} count(n) >= 2000": ("too-large-translation", "more than 100 events"),
    f"{SET} avg(n.k) >= 2.0": ("no-counterpart", "averages and sums of Floats over sets"),
    f"{SET} (count(n) > 1) is present": ("no-counterpart", "the number, the greatest or the least"),
    "rule R where a : A, all n : A, when n in a [-5 ms, -1 ms] having exists(n)": (
        "no-counterpart",
        "uses an event once",
    ),
    "rule R where a : A, first b : B, when b in a [1 ms, 5 ms],": ("no-counterpart", "selections, `first` and `last`"),
    'rule R where a : A { starts_with(s, "x") },': ("no-counterpart", "functions on Strings"),
    "rule R where a : A { weekday(a) = 1 },": ("no-counterpart", "clocks"),
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
    diagnostic = caught.value.diagnostics[0]
    assert diagnostic.code == code
    assert message in diagnostic.message
    assert diagnostic.span.start.line > 1


@pytest.mark.parametrize("rule", REFUSED_AT_LEVEL_2)
def test_rules_of_level_2_that_lead_does_not_say(rule: str) -> None:
    code, message = REFUSED_AT_LEVEL_2[rule]
    with pytest.raises(ProgramError) as caught:
        to_lead(Given(LEVEL_2 + rule))
    diagnostic = caught.value.diagnostics[0]
    assert diagnostic.code == code
    assert message in diagnostic.message


@pytest.mark.parametrize("text", REFUSED_TO_PARTE)
def test_rules_that_partelang_does_not_say(text: str) -> None:
    code, message = REFUSED_TO_PARTE[text]
    with pytest.raises(ProgramError) as caught:
        lead_to_parte(Given(text))
    diagnostic = caught.value.diagnostics[0]
    assert diagnostic.code == code
    assert message in diagnostic.message


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
    failures = set[str]()
    for number in range(300):
        source = random.Random(f"quick {number}")
        case = drawn_rule(source)
        try:
            CAMPAIGN.attack(translating.with_names(case, {"k": "event_time"}), Counter())
        except Broken as broken:
            failures.add(broken.what)
    assert "matches of the definition of LEAD" in failures
