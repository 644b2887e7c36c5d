"""Translations between EQL and PARTElang have the same results by the definition of both, or are refused with the
reason."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given

from parte.conformance.fuzz.structural import strategy
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.parser import parse as parse_eql
from parte.languages.translations.comparing import TRUE
from parte.languages.translations.eql import to_parte as into_parte
from parte.languages.translations.eql.conditions import Conditions
from parte.languages.translations.eql.texts import to_eql, to_parte
from parte.languages.translations.eql.to_eql import _Translating
from parte.languages.translations.table import Given
from parte.semantics.events.event import Event
from parte.semantics.partelang.syntax.elaborate import parse
from parte.semantics.source.diagnostics import ProgramError
from tests.campaigns.running import Broken
from tests.languages.translations.eql.campaign import (
    TEMPLATES,
    EqlTranslations,
    Query,
    Rule,
    drawn_query,
    drawn_rule,
    in_parte,
    results,
)
from tests.sampling import EXHAUSTIVE

CAMPAIGN = EqlTranslations()


@given(strategy(drawn_query))
def test_a_query_has_the_results_of_its_program(case: Query) -> None:
    CAMPAIGN.attack(case, Counter())


@given(strategy(drawn_rule))
def test_a_rule_has_the_matches_of_its_query(case: Rule) -> None:
    CAMPAIGN.attack(case, Counter())


@pytest.mark.parametrize("number", [200, pytest.param(4_000, marks=EXHAUSTIVE)])
def test_drawn_programs_mean_the_same(number: int) -> None:
    counts: Counter[str] = Counter()
    for seed in range(number):
        CAMPAIGN.attack(CAMPAIGN.draw(random.Random(f"quick {seed}")), counts)
    for way in ("PARTElang", "PARTElang with inferred types", "EQL"):
        assert counts[f"to {way}, with results"] > number // 50
    assert counts["to PARTElang, with results of three stages"] > number // 200


# --- Faults that the campaign finds -----------------------------------------------------------------------------------


def attack_some() -> None:
    """Until something breaks."""
    for number in range(1_500):
        CAMPAIGN.attack(CAMPAIGN.draw(random.Random(f"quick {number}")), Counter())


def test_ends_of_other_chains_that_count_for_nothing_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(into_parte._Making, "_ends", lambda *_: [])
    with pytest.raises(Broken, match=r"^matches of PARTElang"):
        attack_some()


def test_ends_of_longer_chains_that_are_events_of_the_stage_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def ends(_: object, stages: tuple[tree.Stage, ...]) -> list[tuple[int, tree.Stage]]:
        return [(place, stage) for place, (stage, after) in enumerate(pairwise(stages)) if stage != after]

    monkeypatch.setattr(into_parte._Making, "_ends", ends)
    with pytest.raises(Broken, match=r"^matches of PARTElang"):
        attack_some()


def test_windows_that_hold_their_ends_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def between(making: into_parte._Making, place: int) -> tuple[into_parte.Window, ...]:
        return (place, 1, making._span), (place + 1, -making._span, 0)

    monkeypatch.setattr(into_parte._Making, "_between", between)
    with pytest.raises(Broken, match=r"^matches of PARTElang"):
        attack_some()


def test_null_that_joins_nothing_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Conditions, "present", lambda *_, **__: TRUE)
    with pytest.raises(Broken, match=r"^matches of PARTElang"):
        attack_some()


def test_patterns_that_are_not_alike_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_Translating, "_alike", lambda *_: True)
    with pytest.raises(Broken, match=r"^results of EQL"):
        attack_some()


# --- Examples ---------------------------------------------------------------------------------------------------------


def events(text: str) -> list[Event]:
    """Events of templates, 1 ms apart, called by their templates and places."""
    return [Event(f"{name}{place}", name, place, {"k": 1, "v": 1}) for place, name in enumerate(text)]


@pytest.mark.parametrize(
    ("query", "trace", "chains"),
    [
        # a chain that overwrites: (A, B, C) of the first A is none, for the chain of the second ends later
        ("[A where true] [B where true] [C where true]", "ABABC", [("A2", "B3", "C4")]),
        # B3 is in S₂ and ends no chain of two stages, so it takes nothing away
        ("[A where true] [B where true] [C where true]", "ABDBC", [("A0", "B1", "C4")]),
        ("[A where true] with runs=2", "AAA", [("A0", "A1"), ("A1", "A2")]),
        ("[A where true] [B where true] [B where true] [C where true]", "ABBBC", [("A0", "B1", "B2", "C4")]),
        ("[A where true] ![D where true] [B where true] [C where true]", "ABADBC", []),
    ],
)
def test_chains_of_several_stages(query: str, trace: str, chains: list[tuple[str, ...]]) -> None:
    parsed = parse_eql(f"sequence with maxspan=9ms {query}")
    assert sorted(results(parsed, events(trace))) == sorted(in_parte(parsed, events(trace), TEMPLATES)) == chains


def test_a_program_of_a_query_is_a_query_again() -> None:
    text = (
        "sequence by k with maxspan=5s\n  ![A where w < 0.5]\n  [B where v == 1]\n  ![D where true]\n  [C where true]\n"
    )
    assert to_eql(Given(to_parte(Given(text, templates=TEMPLATES)))).endswith(text)


def test_keys_by_different_names_and_null_in_one() -> None:
    """The smallest case in which a key is null in both stages; where only one stage has `?`, null joins nothing."""
    trace = [Event("a", "A", 0, {"v": 1}), Event("b", "B", 1, {"v": 1})]
    for keys, chains in (("?k ?s", [("a", "b")]), ("?k s", []), ("k ?s", [])):
        first, last = keys.split()
        text = f"sequence with maxspan=5ms [A where true] by {first} [B where true] by {last}"
        templates = TEMPLATES.replace("k : Integer?", "k : String?")
        query = parse_eql(text)
        assert results(query, trace) == in_parte(query, trace, templates) == chains


TIED = [Event("a", "A", 0, {}), Event("b", "B", 0, {})]


def test_equal_timestamps_are_outside_the_promise() -> None:
    """The smallest trace on which both differ: EQL orders events of one timestamp by arrival."""
    query = parse_eql("sequence with maxspan=5ms [A where true] [B where true]")
    assert (results(query, TIED), in_parte(query, TIED, None)) == ([("a", "b")], [])


def test_last_backwards_chooses_other_events() -> None:
    """The smallest trace: `last` from the end has the keys of the sequence, and not its events."""
    rule = "rule R where c : C, last b : B, last a : A, when b in c [-9 ms, -1 ms], a in b [-9 ms, -1 ms],"
    with pytest.raises(ProgramError, match="is one event, or two"):
        to_eql(Given(TEMPLATES + rule))
    query = parse_eql("sequence with maxspan=9ms [A where true] [B where true] [C where true]")
    assert results(query, events("ABBC")) == [("A0", "B1", "C3")]


# --- Refusals ---------------------------------------------------------------------------------------------------------

SPAN = "sequence with maxspan=5ms [A where true] [B where true]"
REFUSED_TO_PARTE = {
    "sequence [A where true] [B where true]": "any time apart",
    "sequence with maxspan=0s [A where true] [B where true]": "maxspan of 0 ms",
    "sample by k [A where true] [B where true]": "a sample is one of several tuples",
    f"{SPAN} | head 1": "rules have all results",
    f"{SPAN} until [any where true]": "names the template",
    SPAN.replace("where true", 'where s like "a*"', 1): "no patterns, no functions",
    SPAN.replace("where true", "where v + 1 == 2", 1): "no patterns, no functions",
    SPAN.replace("where true", 'where s in~ ("a")', 1): "no patterns, no functions",
    SPAN.replace("A where true", 'A where process.name == "a"'): "`process.name` is no name in PARTElang",
    SPAN.replace("A where", "Unknown where"): "no template is called Unknown",
    "sequence with maxspan=5ms [A where true] by v [B where true] by w": "PARTElang rounds",
}


@pytest.mark.parametrize("query", REFUSED_TO_PARTE)
def test_queries_that_no_rule_says(query: str) -> None:
    with pytest.raises(ProgramError) as caught:
        to_parte(Given(query, templates=TEMPLATES))
    assert REFUSED_TO_PARTE[query] in caught.value.diagnostics[0].message


def test_types_that_are_not_known() -> None:
    with pytest.raises(ProgramError, match="unknown-type-of-attribute"):
        to_parte(Given("sequence by k with maxspan=5ms [A where true] [B where true]"))


BETWEEN = "no x in a [1 ms, 5 ms], no x in b [-5 ms, -1 ms],"
TWO = "rule R where a : A, first b : B, no x : A, when b in a [1 ms, 5 ms],"
REFUSED_TO_EQL = {
    "rule R where a : A, b : B, when b in a [1 ms, 5 ms],": "no other event that may be `a`",
    f"{TWO.replace('first ', '')} {BETWEEN}": "no other event that may be `b`",
    f"{TWO.replace('first', 'last')} {BETWEEN}": "no other event that may be `b`",
    f"{TWO} no x in a [0 ms, 5 ms],": "`x` is not absent before, between or after",
    f"{TWO.replace('[1 ms', '[2 ms')} {BETWEEN}": "the second comes 1 ms to W after",
    f"{TWO.replace('first b : B', 'first b : B { k > a.k }')} {BETWEEN}": "compared by a key only",
    f"{TWO.replace('first b : B', 'first b : B { k = a.k }')} {BETWEEN}": "`x` has another key",
    f"{TWO.replace('no x : A', 'no x : A { v = 1 }')} {BETWEEN}": "no other event that may be `a`",
    "rule R where a : A { k = v },": "no field with a field",
    "rule R where a : A { k + 1 = 2 },": "computes nothing",
    'rule R where a : A { like(s, "a*") },': "functions on Strings",
    "rule R where a : A, all b : B, when b in a [1 ms, 5 ms],": "sets",
    "rule R where a : A, no b : B { k = a.k }, when no b in a [1 ms, 5 ms],": "an event without `k` matches here",
    "rule R where a : A, then emit D at a.timestamp with { v = 1 }": "emits nothing",
}


@pytest.mark.parametrize("rule", REFUSED_TO_EQL)
def test_rules_that_no_query_says(rule: str) -> None:
    with pytest.raises(ProgramError) as caught:
        to_eql(Given(TEMPLATES + rule))
    assert any(REFUSED_TO_EQL[rule] in diagnostic.message for diagnostic in caught.value.diagnostics)


def test_a_rule_that_reads_emitted_events_is_refused() -> None:
    text = "rule S where a : A, then emit D at a.timestamp with { v = 1 } rule R where d : D,"
    with pytest.raises(ProgramError, match="rules emit events of D"):
        to_eql(Given(TEMPLATES + text, rule="R"))
    assert parse(TEMPLATES + text).rules
