"""Translations mean the same by the definition of both languages, or are refused with the place and the reason."""

from __future__ import annotations

import random
from collections import Counter
from itertools import product

import pytest

from parte.algebra.partelang.programs import run
from parte.languages.cel.algebra.predicates import compared
from parte.languages.cel.algebra.queries import evaluate
from parte.languages.cel.semantics.syntax import parser as cel
from parte.languages.cel.semantics.syntax import tree
from parte.languages.translations import codes, comparing
from parte.languages.translations.cel.texts import to_cel, to_parte
from parte.languages.translations.cel.to_parte import results
from parte.languages.translations.cel.to_parte import to_parte as translated_to_parte
from parte.languages.translations.table import Given, NoSuchRule
from parte.languages.translations.untyped import Operator
from parte.semantics.events.event import Event
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.elaborate import parse
from parte.semantics.source.diagnostics import ProgramError
from tests.campaigns.running import Broken
from tests.languages.translations.cel.campaign import Translations

TEMPLATES = """
template A { k : Integer, x : Float, s : String, b : Boolean }
template B { k : Integer, x : Float, s : String, b : Boolean }
"""


def test_drawn_programs_mean_the_same() -> None:
    counts: Counter[str] = Counter()
    campaign = Translations()
    for number in range(220):
        campaign.attack(campaign.draw(random.Random(f"quick {number}")), counts)
    assert counts["to CEL, with matches"] > 20
    assert counts["to CEL, level 2, with matches"] > 8
    assert counts["to PARTElang, with matches"] > 20


def attack_some() -> None:
    """Until something breaks."""
    campaign = Translations()
    for number in range(1_000):
        campaign.attack(campaign.draw(random.Random(f"quick {number}")), Counter())


def test_orders_that_are_missing_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    module = "parte.languages.translations.cel.to_cel._orders"
    monkeypatch.setattr(module, lambda patterns: iter([[[pattern] for pattern in patterns]]))
    with pytest.raises(Broken, match=r"^valuations"):
        attack_some()


def test_comparisons_the_wrong_way_round_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparing, "MIRRORED", {operator: operator for operator in Operator})
    with pytest.raises(Broken, match=r"^results of PARTElang"):
        attack_some()


@pytest.mark.parametrize("operator", Operator)
def test_opposites_and_mirrored_operators(operator: Operator) -> None:
    for left, right in product((0, 1), repeat=2):
        holds = compared(left, tree.Operator(operator.value), right)
        assert compared(left, tree.Operator(comparing.OPPOSITE[operator].value), right) is not holds
        assert compared(right, tree.Operator(comparing.MIRRORED[operator].value), left) is holds


@pytest.mark.parametrize("type_", [core.Scalar.INTEGER, core.Scalar.FLOAT, core.Scalar.BOOLEAN])
@pytest.mark.parametrize("negated", ["", "NOT "])
def test_an_attribute_beside_any_constant(type_: core.Scalar, negated: str) -> None:
    """All values and constants around the ends of 64 bit and of what a Float holds exactly, on both sides."""
    kinds: dict[core.Scalar, list[int | float]] = {
        core.Scalar.INTEGER: [0, 1, -1, 2**53, 2**53 + 1, 2**63 - 1, -(2**63)],
        core.Scalar.FLOAT: [0.0, -0.0, 0.5, 1.0, -1.5, 2.0**53, 2.0**63, 1.7976931348623157e308],
        core.Scalar.BOOLEAN: [False, True],
    }
    constants = (
        "0",
        "1",
        "0.5",
        "1.0",
        "9007199254740993",
        "9007199254740992.0",
        "9223372036854775807",
        "1e300",
        "TRUE",
    )
    events = [Event(f"e{n}", "A", n, {"v": value}) for n, value in enumerate(kinds[type_])]
    for operator, constant in product(tree.Operator, constants):
        for sides in (f"v {operator.value} {constant}", f"{constant} {operator.value} v"):
            text = f"SELECT * WHERE A FILTER A[{negated}{sides}]"
            source = cel.parse_source(text)
            program = translated_to_parte(source, text, {"A": {"v": type_}})
            assert results(run(program, events).matches, events) == evaluate(source.query, events), text


ORDERED = """\
rule R where
    one : A { k > 1 },
    two : A { k = one.k, s != "it's" },
    three : B { k = two.k, x < one.x },
when
    two in one [1 ms, 1 minute],
    two in three [-1 minute, -1 ms],
    three in one [1 ms, 1 minute],
"""
OPEN = """\
rule R where
    one : A,
    two : A { b != one.b },
    three : B,
when
    two in one [-2 seconds, 2 seconds],
    three in one [-2 seconds, 2 seconds],
    three in two [-2 seconds, 2 seconds],
"""


def test_ordered_windows_are_a_sequence() -> None:
    assert to_cel(Given(TEMPLATES + ORDERED)) == (
        "-- Rule R, on traces in which no two events have one timestamp.\n"
        "SELECT *\n"
        "WHERE A AS one; A AS two; B AS three FILTER one[k > 1] AND two[s != 'it''s'] AND three[x] < one[x]\n"
        "PARTITION BY k\n"
        "WITHIN 1 MINUTES\n"
    )


def test_open_windows_are_all_orders() -> None:
    translated = to_cel(Given(TEMPLATES + OPEN))
    assert translated.count("OR") == 7
    assert "A AS one AS two; B AS three" in translated
    assert translated.startswith("-- Rule R, on traces in the order of their timestamps.\n")
    assert "FILTER two[b] != one[b]\nWITHIN 2 SECONDS\n" in translated


LEVEL_2 = "level 2\n" + TEMPLATES.replace("s : String", "s : String?")


def test_conditions_are_joined_and_a_missing_value_is_not_the_contrary_of_one() -> None:
    rule = (
        'rule R where a : A { k in (1, 2) and not (s = "x" or s is missing) }, b : B { k = a.k, k > 3 or x < a.x }, '
        "when b in a (0 ms, 5 ms],"
    )
    assert to_cel(Given(LEVEL_2 + rule)) == (
        "-- Rule R, on traces in which no two events have one timestamp.\n"
        "SELECT *\n"
        "WHERE A AS a; B AS b FILTER a[(k = 1 OR k = 2) AND s != 'x' AND s = s] AND (b[k > 3] OR b[x] < a[x])\n"
        "PARTITION BY k\n"
        "WITHIN 5 MS\n"
    )


def test_an_equality_that_is_an_alternative_is_no_partition() -> None:
    rule = "rule R where a : A, b : B { k = a.k or x = a.x }, when b in a (0 ms, 5 ms],"
    text = to_cel(Given(LEVEL_2 + rule))
    assert "FILTER (b[k] = a[k] OR b[x] = a[x])\n" in text or "FILTER b[k] = a[k] OR b[x] = a[x]\n" in text
    assert "PARTITION" not in text


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("a : A, all b : B, when b in a [1 ms, 5 ms] having exists(b)", "sets, `all`"),
        ("a : A, first b : B, when b in a [1 ms, 5 ms],", "selections, `first` and `last`"),
        ("a : A, b : B { timestamp > @5 }, when b in a [1 ms, 5 ms],", "timestamps and durations"),
        ('a : A { like(s, "x*") },', "functions on Strings"),
        ("a : A { (k > 1) is present },", "comparisons only"),
    ],
)
def test_rules_of_level_2_that_no_query_says(rule: str, message: str) -> None:
    with pytest.raises(ProgramError) as caught:
        to_cel(Given(f"{LEVEL_2}rule R where {rule}"))
    assert message in caught.value.diagnostics[0].message


def test_a_query_is_unfolded() -> None:
    text = "SELECT B WHERE A+; B FILTER A[k > 0.5] PARTITION BY k WITHIN 2 MS\n"
    program = parse(to_parte(Given(text)))
    assert [[pattern.variable for pattern in rule.patterns] for rule in program.rules] == [
        ["s0", "e1"],
        ["s0", "s1", "e2"],
    ]
    events = [Event(f"e{n}", name, n, {"k": 1.0}) for n, name in enumerate("AAB")]
    query = cel.parse(text)
    assert results(run(program, events).matches, events) == evaluate(query, events)


def test_alternatives_of_conditions_are_joined_in_one_rule() -> None:
    text = "SELECT * WHERE A; B FILTER A[k > 1 OR NOT (k < 0 OR x = 0.5)] AND (A[k] = B[k] OR B[k = 2]) WITHIN 2 MS\n"
    translated = to_parte(Given(text, templates=TEMPLATES))
    assert "        k > 1 or k >= 0 and x != 0.5,\n" in translated
    assert "        k = e0.k or k = 2,\n" in translated
    assert len(parse(translated).rules) == 1


def test_a_comparison_that_partelang_rounds_is_refused() -> None:
    """The least counterexample to comparing an Integer with a Float: 2^53 + 1 is 2^53 after rounding."""
    rule = "rule R where one : A { k = x },"
    program = parse(TEMPLATES + rule)
    event = Event("e", "A", 0, {"k": 2**53 + 1, "x": 2.0**53, "s": "", "b": True})
    assert len(run(program, [event]).matches) == 1
    assert evaluate(cel.parse("SELECT * WHERE A FILTER A[k = x]"), [event]) == []
    with pytest.raises(ProgramError, match="rounded-comparison"):
        to_cel(Given(TEMPLATES + rule))


WINDOW = "when two in one [1 ms, 5 ms],"
REFUSED_TO_CEL = {
    "rule R where one : A, no two : A, when no two in one [1 ms, 5 ms],": ("no-counterpart", "CEL has no negation"),
    "rule R where one : A, then emit A at one.timestamp with { k = 1, x = 1.0, s = one.s, b = true }": (
        "recursive-rules",
        "",
    ),
    "rule R where one : A, then emit B at one.timestamp with { k = 1, x = 1.0, s = one.s, b = true }": (
        "no-counterpart",
        "emits nothing",
    ),
    "rule R where one : A, two : B, when two in one [0 ms, 5 ms],": ("no-counterpart", "one window for the whole"),
    "rule R where one : A, two : B, when two in one [2 ms, 1 ms],": ("empty-interval", ""),
    f"rule R where one : A, two : B, {WINDOW} one in two [1 ms, 5 ms],": ("no-counterpart", "contradict"),
    f"rule R where one : A, two : B {{ k + 1 = one.k }}, {WINDOW}": ("no-counterpart", "computes nothing"),
    f"rule R where one : A, two : B {{ x = one.k }}, {WINDOW}": ("rounded-comparison", "rounds the Integer"),
    "rule R where one : A { k < 9007199254740992.0 },": ("rounded-comparison", "rounds the Integer"),
    'rule R where one : A { s = "\\n" },': ("no-counterpart", "no line feed"),
    "predicate p(Integer) rule R where one : A { p(k) },": ("no-counterpart", "comparisons only"),
    "template Select {} rule R where one : Select,": ("no-counterpart", "keyword of CEL"),
    "rule R where "
    + "".join(f"v{n} : A, " for n in range(7))
    + "when "
    + "".join(f"v{n} in v{m} [-1 ms, 1 ms], " for n in range(7) for m in range(n)): (
        "too-large-translation",
        "so many orders",
    ),
}


@pytest.mark.parametrize("rule", REFUSED_TO_CEL)
def test_rules_that_no_query_says(rule: str) -> None:
    code, message = REFUSED_TO_CEL[rule]
    with pytest.raises(ProgramError) as caught:
        to_cel(Given(TEMPLATES + rule))
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == code
    assert message in diagnostic.message
    assert diagnostic.span.start.line > 1


REFUSED_TO_PARTE = {
    "SELECT MAX * WHERE A WITHIN 1 MS": ("no-counterpart", 1, "MAX selects"),
    "SELECT * FROM s WHERE A WITHIN 1 MS": ("no-counterpart", 10, "which stream"),
    "SELECT * WHERE A; B WITHIN 1 EVENTS": ("no-counterpart", 21, "windows of PARTElang"),
    "SELECT * WHERE A; B WITHIN 1 MS CONSUME BY ANY": ("no-counterpart", 33, "used up"),
    "SELECT * WHERE A; B": ("no-counterpart", 16, "any time apart"),
    "SELECT * WHERE A+": ("no-counterpart", 16, "any number of events"),
    "SELECT * WHERE A : B WITHIN 1 MS": ("no-counterpart", 16, "nothing says"),
    "SELECT * WHERE A:+ WITHIN 1 MS": ("no-counterpart", 16, "nothing says"),
    "SELECT * WHERE A FILTER A[v = w] WITHIN 1 MS": ("unknown-type-of-attribute", 27, "no constant"),
    "SELECT * WHERE A FILTER A[v = 1 OR v = 'a'] WITHIN 1 MS": ("unknown-type-of-attribute", 27, "several types"),
    "SELECT * WHERE A+; (B OR A)+ WITHIN 30 MS": ("too-large-translation", 16, "different sequences"),
    "SELECT * WHERE A+ WITHIN 100 MS": ("too-large-translation", 16, "64 patterns"),
    "SELECT * WHERE min": ("no-counterpart", 16, "min"),
}


@pytest.mark.parametrize("text", REFUSED_TO_PARTE)
def test_queries_that_no_rules_say(text: str) -> None:
    code, column, message = REFUSED_TO_PARTE[text]
    with pytest.raises(ProgramError) as caught:
        to_parte(Given(text))
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.code, diagnostic.span.start.column) == (code, column)
    assert message in diagnostic.message


def test_templates_say_which_attributes_there_are() -> None:
    text = "SELECT * WHERE A FILTER A[k = s OR nothing = 1 OR b < TRUE] WITHIN 1 MS"
    (rule,) = parse(to_parte(Given(text, templates=TEMPLATES))).rules
    assert len(rule.patterns[0].conditions) == 1  # the other comparisons are false by their types
    with pytest.raises(ProgramError, match="rounded-comparison"):
        to_parte(Given("SELECT * WHERE A FILTER A[k = x]", templates=TEMPLATES))
    with pytest.raises(ProgramError, match="no template is called C"):
        to_parte(Given("SELECT * WHERE C", templates=TEMPLATES))


def test_a_program_of_several_rules_needs_a_name() -> None:
    two = TEMPLATES + "rule R where a : A, rule S where a : A,"
    with pytest.raises(NoSuchRule, match="has 2: R, S"):
        to_cel(Given(two))
    with pytest.raises(NoSuchRule, match="'T'; there are: R, S"):
        to_cel(Given(two, rule="T"))
    assert "WHERE A AS a" in to_cel(Given(two, rule="S"))


def test_every_code_has_a_case() -> None:
    tested = {code for code, *_ in [*REFUSED_TO_CEL.values(), *REFUSED_TO_PARTE.values()]}
    assert codes.CODES.keys() - tested == {"too-many-errors"}
