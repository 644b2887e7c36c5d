"""ETALIS and PARTElang, each as the other: the same events and matches, or refused with the place and the reason."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from parte.algebra.partelang.programs import run
from parte.languages.etalis.algebra.evaluation import evaluate
from parte.languages.etalis.semantics.syntax.parser import parse as parsed
from parte.languages.etalis.semantics.syntax.streams import Instant
from parte.languages.translations.etalis import to_etalis as writing
from parte.languages.translations.etalis import to_parte as reading
from parte.languages.translations.etalis.texts import to_etalis
from parte.languages.translations.etalis.texts import to_parte as from_etalis
from parte.languages.translations.table import Given, NoSuchRule, translations
from parte.semantics.events.event import Event
from parte.semantics.partelang.syntax.elaborate import parse
from parte.semantics.source.diagnostics import ProgramError
from tests.campaigns.running import Broken
from tests.languages.translations.etalis.campaign import EtalisTranslations


def test_drawn_programs_mean_the_same() -> None:
    counts: Counter[str] = Counter()
    campaign = EtalisTranslations()
    for number in range(25):
        campaign.attack(campaign.draw(random.Random(f"quick {number}")), counts)
    assert counts["to ETALIS, with matches"] > 1
    assert counts["to PARTElang, with events"] > 1


def attack_some() -> None:
    """Until something breaks."""
    campaign = EtalisTranslations()
    for number in range(1_000):
        campaign.attack(campaign.draw(random.Random(f"quick {number}")), Counter())


@pytest.mark.exhaustive
@pytest.mark.parametrize(("operator", "row"), [("MEETS", ("l.t <= s",)), ("STARTS", ("l.s = s",))])
def test_rows_that_say_something_else_are_found(
    operator: str, row: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(reading._ROWS, operator, row)
    with pytest.raises(Broken, match=r"^events of PARTElang"):
        attack_some()


@pytest.mark.exhaustive
def test_windows_that_are_too_short_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def either(self: writing._Writing, pattern: object, _: object) -> tuple[str, str] | None:
        mine = [
            constraint
            for constraint in self.core_rule.constraints
            if constraint.subject == getattr(pattern, "variable", "")
        ]
        return (mine[0].reference, mine[1].reference) if len(mine) == 2 else None

    monkeypatch.setattr(writing._Writing, "ends", either)
    with pytest.raises(Broken, match=r"^matches of ETALIS"):
        attack_some()


OVEN = """\
baking(B) <- start(B) SEQ done(B).
late <- NOT(done("rye")).[start("rye"), 60].
short(B) <- (baking(B)).5/2 WHERE B != "rye".
"""


def test_a_program_of_etalis_has_a_rule_for_each_operator() -> None:
    translated = reading.to_parte(parsed(OVEN), OVEN)
    assert len(translated.program.rules) == 4
    assert translated.moments == {"at_60": 60}
    events = ((0, "start", "rye"), (1, "start", "wheat"), (3, "done", "wheat"), (61, "done", "rye"))
    instants = [Instant(time, frozenset({(name, (bread,))})) for time, name, bread in events]
    matches = run(translated.program, translated.events(instants)).matches
    assert translated.results(matches, instants) == set(evaluate(parsed(OVEN), instants))
    assert len(translated.results(matches, instants)) == 4


def test_its_text_says_what_a_trace_must_have() -> None:
    text = from_etalis(Given(OVEN))
    assert "// A trace has an event at_60 at 60.\n" in text
    assert parse(text).rules


DOORS = """\
template Door { name : String, floor : Integer }
template Badge { name : String, floor : Integer, weight : Float }
rule Forced where
    closed : Door { floor > 0 },
    opened : Door { name = closed.name },
    no badge : Badge { name = opened.name, floor != 2 },
when
    opened in closed [1 ms, 10 seconds],
    no badge in closed [1 ms, 10 seconds],
    no badge in opened [-10 seconds, -1 ms],
"""


LEVEL_2 = "level 2\ntemplate A { k : Integer }\ntemplate B { k : Integer, s : String? }\n"


def test_alternatives_are_rules_and_a_selection_is_an_absence_between_two_events() -> None:
    rule = "rule R where a : A { k in (1, 4) }, first b : B { k = a.k }, when b in a (0 ms, 5 ms]"
    lines = to_etalis(Given(LEVEL_2 + rule)).splitlines()[3:]
    assert [line.split(" WHERE ")[1] for line in lines] == ["X0_k = 1", "X0_k = 4"]
    assert all("NOT(b(I2, T2, X0_k)).[a(I0, T0, X0_k), b(I1, T1, X1_k)]" in line for line in lines)


def test_what_is_absent_under_alternatives_is_absent_under_each() -> None:
    rule = (
        "rule R where a : A, b : A, no c : B { k = a.k or k > 4 }, "
        "when b in a [1 ms, 5 ms], no c in a [1 ms, 4 ms], no c in b [-4 ms, -1 ms]"
    )
    (text,) = to_etalis(Given(LEVEL_2 + rule)).splitlines()[3:]
    assert "NOT(b(I2, T2, X0_k)).[" in text
    assert "NOT(b(I2_1, T2_1, X2_1_k) WHERE X2_1_k > 4).[" in text


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("a : A, all b : B, when b in a [1 ms, 5 ms] having exists(b)", "sets, `all`"),
        ("a : B { s is present },", "is present"),
        ("a : A, first b : B { k > a.k }, when b in a [1 ms, 5 ms],", "by equality only"),
        ("a : A, no b : B, when no b in a (-ever, 5 ms],", "windows without a beginning"),
        ("a : A, b : B { timestamp - 5 ms > a.timestamp }, when b in a [1 ms, 9 ms],", "64 bits"),
        (f"a : A {{ {', '.join(f'k in ({n}, {n + 1}, {n + 2})' for n in range(5))} }},", "more than 100 alternatives"),
    ],
)
def test_rules_of_level_2_that_etalis_cannot_say(rule: str, message: str) -> None:
    ((_, reason), *_) = refused(Given(f"{LEVEL_2}rule R where {rule}"), ("PARTElang", "ETALIS"))
    assert message in reason


def test_what_is_absent_between_two_events_is_not() -> None:
    assert to_etalis(Given(DOORS)) == (
        "% A head has the ids of the events that match.\n"
        "% Door: door(id, timestamp, floor, name)\n"
        "% Badge: badge(id, timestamp, name, floor)\n"
        "forced(I0, I1) <- door(I0, T0, X0_floor, X0_name) AND door(I1, T1, X1_floor, X1_name) AND "
        "NOT(badge(I2, T2, X1_name, X2_floor) WHERE X2_floor != 2)."
        "[door(I0, T0, X0_floor, X0_name), door(I1, T1, X1_floor, X1_name)] "
        "WHERE X0_floor > 0 WHERE X1_name = X0_name WHERE T1 >= T0 + 1 WHERE T1 <= T0 + 10000.\n"
    )


def test_a_badge_in_between_rules_a_match_out() -> None:
    program = parse(DOORS)
    translated = writing.to_etalis(program, program.rules)
    door: dict[str, str | int | float] = {"name": "n", "floor": 1}
    events = [
        Event("d1", "Door", 0, door),
        Event("b1", "Badge", 5, {**door, "weight": 0.5}),
        Event("d2", "Door", 6, door),
        Event("d3", "Door", 7, door),
    ]
    bindings = translated.bindings(evaluate(translated.program, translated.stream(events)))
    assert bindings == {("Forced", (("closed", "d2"), ("opened", "d3")))}
    assert bindings == {(match.rule, match.bindings) for match in run(program, events).matches}


def refused(source: Given, way: tuple[str, str]) -> list[tuple[str, str]]:
    with pytest.raises(ProgramError) as error:
        translations()[way](source)
    return [(diagnostic.code, diagnostic.message) for diagnostic in error.value.diagnostics]


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("e <- a SEQ e.", "no-counterpart", "`e` is made of itself"),
        ("e <- a SEQ f. f <- e OR b.", "no-counterpart", "`e` is made of itself"),
        ("e(X + 1) <- a(X).", "no-counterpart", "numbers of ETALIS are exact"),
        ("e(X) <- a(X) WHERE X > 1/2.", "no-counterpart", "a number that is not whole"),
        ("e <- a SEQ 3/2.", "no-counterpart", "a time that is not whole"),
        ("e(X) <- a(X) WHERE X.", "no-counterpart", "a condition that is no comparison"),
        ("e((X = 1)) <- a(X).", "no-counterpart", "a comparison as a value"),
        ("e(X) <- a(X).", "unknown-type-of-attribute", "no constant"),
        ('e(X) <- a(X) WHERE X = 1 WHERE X = "x".', "unknown-type-of-attribute", "constants of several types"),
        ("e(X) <- a(X) WHERE X < true.", "no-counterpart", "in PARTElang"),
    ],
)
def test_what_partelang_cannot_say(text: str, code: str, message: str) -> None:
    (refusal, *_) = refused(Given(text), ("ETALIS", "PARTElang"))
    assert refusal[0] == code
    assert message in refusal[1]


def test_types_may_be_given() -> None:
    templates = "template a { s : Integer, t : Integer, x0 : String }\n"
    assert "x0 : String" in from_etalis(Given("e(X) <- a(X).", templates=templates))


HEAD = "template A { k : Integer, x : Float }\ntemplate B { k : Integer, x : Float }\n"


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("a : A { x > 1.0 },", "neither Floats nor lists|rationals"),
        ("a : A { k + 1 > 2 },", "64 bits"),
        ("a : A { abs(k) > 2 },", "functions"),
        (
            "a : A, b : B, no c : A, when b in a [0 ms, 5 ms], no c in a [1 ms, 5 ms], no c in b [-5 ms, -1 ms],",
            "NOT is",
        ),
        (
            "a : A, b : B, no c : A, when b in a [1 ms, 5 ms], no c in a [1 ms, 3 ms], no c in b [-5 ms, -1 ms],",
            "NOT is",
        ),
        ("a : A, no c : A, when no c in a [0 ms, 3 ms],", "NOT is"),
        (
            "a : A, b : B, no c : A { k > a.k }, when b in a [1 ms, 5 ms], no c in a [1 ms, 5 ms], "
            "no c in b [-5 ms, -1 ms],",
            "by equality only",
        ),
        ("a : A, then emit B at a.timestamp with { k = 1, x = 1.0 }", "when its head happens"),
    ],
)
def test_what_etalis_cannot_say(rule: str, message: str) -> None:
    ((code, reason), *_) = refused(Given(f"{HEAD}rule R where {rule}"), ("PARTElang", "ETALIS"))
    assert code == "no-counterpart"
    assert any(part in reason for part in message.split("|"))


def test_a_rule_of_more_conditions_than_a_rule_can_have() -> None:
    conditions = ", ".join(f"k > {number}" for number in range(110))
    ((code, _),) = refused(Given(f"{HEAD}rule R where a : A {{ {conditions} }},"), ("PARTElang", "ETALIS"))
    assert code == "too-large-translation"


def test_a_rule_of_several_may_be_named() -> None:
    text = f"{HEAD}rule P where a : A, rule Q where b : B,"
    assert "p(I0) <- a(I0, T0)." in to_etalis(Given(text))
    assert "p(I0)" not in to_etalis(Given(text, rule="Q"))
    with pytest.raises(NoSuchRule, match="there are: P, Q"):
        to_etalis(Given(text, rule="R"))
