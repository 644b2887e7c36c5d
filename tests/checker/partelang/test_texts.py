"""Functions on Strings in the checker: each claim about them, the solver against the definition, and drawn rules."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parte.algebra.partelang.programs import run
from parte.checker.partelang import texts
from parte.checker.partelang.check import check
from parte.checker.partelang.prover import Prover
from parte.checker.partelang.relations import subsumed
from parte.checker.partelang.rule_claims import claims_of
from parte.checker.report.contents import Report
from parte.checker.solver import sequences
from parte.checker.solver.queries import Journal, Session, Status
from parte.checker.solver.regular import alike, language
from parte.checker.solver.verdict import Verdict
from parte.semantics.events.event import Event
from parte.semantics.partelang.syntax.elaborate import parse
from parte.semantics.source.regular import Regular, regular
from parte.semantics.source.wildcards import segments
from tests.checker.partelang.test_sets import attack_report

TEMPLATES = "level 2\ntemplate T { k : Integer, s : String, t : String? }\ntemplate U { s : String }\nrule R where "


def report_of(rule: str, timeout: float = 60.0) -> Report:
    return check(TEMPLATES + rule, timeout=timeout)


def pattern_of(conditions: str) -> str:
    return f"a : T {{ {conditions} }}"


# --- Claims ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "conditions",
    [
        'starts_with(s, "ab"), starts_with(s, "b")',
        'starts_with(s, "ab"), ends_with(s, "ba"), length(s) < 3',
        'contains(s, "cmd"), like(s, "ps*"), not contains(s, "md")',
        'matches(s, "[0-9]{3}"), s < "000"',
        'matches(s, "[0-9]+"), length(s) = 2, s > "99"',
        'like(s, "a?c"), s in ("ac", "abbc", "ab")',
        'lower(s) = "CMD"',
        'starts_with(lower(s), "cm"), matches(s, "[a-z]*"), not like(s, "cm*")',
        'concat(s, "x") = "ay"',
        "t is present, starts_with(t, s), length(s) > length(t)",
        "contains(s, t), length(t) > k, length(s) < k",
        'length(s) = 0, s != ""',
        'length(s) > 0, not like(s, "?*")',
        'length(concat(s, "a")) > 65536',
        's > "\U0001f600", matches(s, "[^\U0001f600-\U0010ffff].*")',
        'like("abc", "a?"), k > 3',
    ],
)
def test_conditions_on_strings_that_exclude_each_other(conditions: str) -> None:
    report = report_of(pattern_of(conditions))
    assert report.verdict("can-match", "R") is Verdict.REFUTED
    assert {finding.code for finding in report.findings} <= {"unsatisfiable-pattern", "never-matches"}


@pytest.mark.parametrize(
    "conditions",
    [
        'starts_with(s, "ab"), ends_with(s, "ba"), length(s) = 3',
        'contains(s, "cmd"), like(s, "ps*"), not contains(s, "mdc")',
        'matches(s, "[0-9]{3}"), s > "998"',
        'like(s, "a?c"), s != "abc"',
        'lower(s) = "cmd", s < "a"',
        'starts_with(upper(s), "CM"), matches(s, "[a-z]{4}")',
        'concat(s, "x", s) = "axa"',
        "starts_with(t, s), length(s) + 2 = length(t)",
        "contains(s, t), length(t) > k, k > 2",
        'matches(s, "(ab|ba)*"), contains(s, "aa"), not contains(s, "bb")',
        'matches(s, "[^\\u0000-\uffff]"), s > "\U0001f600"',
        'matches(s, "[\ud7ff-\ue000]")',
        'starts_with(s, "\\\\u{41}"), length(s) < 8',
        'length(s) = k, k > 20, ends_with(s, "z")',
    ],
)
def test_conditions_on_strings_that_some_event_meets(conditions: str) -> None:
    text = pattern_of(conditions)
    report = report_of(text)
    assert report.verdict("can-match", "R") is Verdict.PROVED
    assert not report.findings
    attack_report(parse(TEMPLATES + text), report, ())


@pytest.mark.parametrize(
    ("conditions", "implied"),
    [
        ('like(s, "a*"), like(s, "ab*")', 'like(a.s, "a*")'),
        ('s in ("a", "b"), like(s, "?")', 'like(a.s, "?")'),
        ('matches(s, "[0-9]{3}"), length(s) = 3', "length(a.s) = 3"),
        ('ends_with(s, "ab"), contains(s, "b")', 'contains(a.s, "b")'),
        ('s = "CMD", lower(s) = "cmd"', 'lower(a.s) = "cmd"'),
        ('starts_with(s, "b"), s >= "b"', 'a.s >= "b"'),
        ("length(s) >= 0", "length(a.s) >= 0"),
    ],
)
def test_a_condition_on_strings_that_follows(conditions: str, implied: str) -> None:
    report = report_of(pattern_of(conditions))
    assert [finding.evidence["condition"] for finding in report.of("implied-condition")] == [implied]
    assert report.verdict("every-condition-counts", "R") is Verdict.REFUTED


@pytest.mark.parametrize(
    ("rule", "code"),
    [
        (
            'a : T { like(s, "x*") } no b : T { s = a.s, not starts_with(s, "x") } when no b in a [1 ms, 2 ms]',
            "useless-negation",
        ),
        ('a : T { like(s, "x*") } no b : T { s = a.s, ends_with(s, "y") } when no b in a [1 ms, 2 ms]', ""),
        ('a : T { s = "xy" } no b : T { contains(s, "y") } when no b in a [0 ms, 2 ms]', "self-blocked"),
        ('a : T { s = "xy" } no b : T { contains(s, "yx") } when no b in a [0 ms, 2 ms]', ""),
        ('a : T { like(s, "x*") } all b : T { s = a.s, like(s, "y*") } when b in a [1 ms, 2 ms]', "empty-set"),
        ('a : T { like(s, "x*") } all b : T { s = a.s, like(s, "*y") } when b in a [1 ms, 2 ms]', ""),
    ],
)
def test_negations_and_sets_with_strings(rule: str, code: str) -> None:
    report = report_of(rule)
    assert [finding.code for finding in report.findings] == [code] * bool(code)
    attack_report(parse(TEMPLATES + rule), report, ())


@pytest.mark.parametrize(
    ("having", "verdict", "useless"),
    [
        ('count(v) >= 2, starts_with(min(v.s), "x")', Verdict.PROVED, ['starts_with(min(v.s), "x")']),
        ('exists(v), starts_with(max(v.s), "y")', Verdict.REFUTED, []),
    ],
)
def test_having_with_strings(having: str, verdict: Verdict, useless: Sequence[str]) -> None:
    rule = f'a : T {{ starts_with(s, "x") }} all v : U {{ s = a.s }} when v in a [0 ms, 1 ms] having {having}'
    # In a process of its own: after thousands of other questions z3 takes minutes for one that takes seconds at first.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        answers = pool.submit(_answers, rule).result()
    assert answers == (verdict, useless)


def _answers(rule: str) -> tuple[Verdict, Sequence[str]]:
    """Return the verdict on `can-match` and the conditions of `useless-having`, after an attack on the report."""
    report = report_of(rule)
    attack_report(parse(TEMPLATES + rule), report, ())
    conditions = [str(finding.evidence["condition"]) for finding in report.of("useless-having")]
    return report.verdict("can-match", "R"), conditions


def test_relations_of_rules_with_strings() -> None:
    program = parse(
        "level 2\ntemplate T { s : String }\n"
        'rule Narrow where a : T { matches(s, "[a-f]{2}x") }\nrule Wide where a : T { like(s, "??x") }'
    )
    assert subsumed(program, "Narrow", "Wide").verdict is Verdict.PROVED
    assert subsumed(program, "Wide", "Narrow").verdict is Verdict.REFUTED


# --- What is not decided, by name ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("conditions", "hint"),
    [
        ("lower(s) = upper(t), length(s) > 2", "run it to see: this depends on the function `lower` and the function"),
        ('in_network(s, "10.0.0.0/8")', "run it to see: this depends on the function `in_network`, which the solver"),
        (
            'contains(s, "\U00030000")',
            "run it to see: this depends on the function `contains`, which the solver cannot",
        ),
        (
            'matches(s, "[^\U00030000]")',
            "run it to see: this depends on the function `matches`, which the solver cannot",
        ),
        ("length(s) > 4000000000", "allow more time by `--timeout`, or run it to see: this depends on the function"),
    ],
)
def test_what_the_solver_cannot_decide_is_named(conditions: str, hint: str) -> None:
    report = report_of(pattern_of(conditions), timeout=1.0)
    assert report.verdict("can-match", "R") is Verdict.NOT_PROVED
    assert all(finding.hint.startswith(hint) for finding in report.findings)
    assert report.findings


def test_a_contradiction_beside_what_is_not_decided_is_found() -> None:
    report = report_of(pattern_of("length(s) > 4000000000, k > 3, k < 3"), timeout=1.0)
    assert report.verdict("can-match", "R") is Verdict.REFUTED


# --- The solver against the definition -------------------------------------------------------------------------------

SIGNS = "ab\0Zz\ud7ff\ue000\U0001f600"
strings = st.text(st.sampled_from(SIGNS), max_size=4)
classes = st.sampled_from(["a", "b", "[a-z]", "[^a]", ".", "\\w", "\\W", "[\0-b]", "[\ue000-\U0010ffff]", "[A-Z]"])
expressions = st.recursive(
    classes,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"({'|'.join(parts)})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{2,}"])).map(
            lambda both: f"({both[0]}){both[1]}"
        ),
    ),
    max_leaves=4,
)
wildcards = st.text(st.sampled_from("ab*?Z"), max_size=4)


@st.composite
def conditions(draw: st.DrawFn, of: str) -> str:
    """A condition on one attribute."""
    subject = draw(st.sampled_from([of, of, f"lower({of})", f"upper({of})"]))
    text = json.dumps(draw(strings))
    condition = draw(
        st.one_of(
            st.sampled_from(["starts_with", "ends_with", "contains"]).map(lambda name: f"{name}({subject}, {text})"),
            wildcards.map(lambda pattern: f"like({subject}, {json.dumps(pattern)})"),
            expressions.map(lambda pattern: f"matches({subject}, {json.dumps(pattern)})"),
            st.sampled_from(["=", "!=", "<", ">", "<=", ">="]).map(lambda sign: f"{of} {sign} {text}"),
            st.sampled_from(["=", "!="]).map(lambda sign: f"{subject} {sign} {text}"),
            st.tuples(st.sampled_from("=<>"), st.integers(0, 3)).map(lambda both: f"length({of}) {both[0]} {both[1]}"),
            st.sampled_from(["=", "<"]).map(lambda sign: f"concat({of}, {text}) {sign} {text}"),
        )
    )
    return f"not ({condition})" if draw(st.booleans()) else condition


def true_of(condition: str, text: str) -> bool:
    """Whether a condition is true of a String, by the definition."""
    program = parse(f"level 2\ntemplate T {{ s : String }}\nrule R where a : T {{ {condition} }}")
    return bool(run(program, (Event("e", "T", 0, {"s": text}),), {}).matches)


@given(conditions("s"), strings)
@settings(max_examples=30, deadline=None)
def test_of_one_string_the_solver_says_what_the_definition_says(condition: str, text: str) -> None:
    """It is asked about a constant, so that it always decides: can the condition hold beside `s = text`?"""
    program = parse(TEMPLATES + pattern_of(f"{condition}, s = {json.dumps(text)}"))
    claims = claims_of(program.rules[0])
    decision = Prover(program, {}, 60.0, Journal()).decide("one text", claims.variables, claims.match)
    assert decision.possible is true_of(condition, text)
    assert decision.impossible is not decision.possible


described_sets = st.one_of(expressions.map(regular), wildcards.map(segments).map(alike))


@given(described_sets, strings, st.sampled_from(["lower", "upper"]))
@settings(max_examples=50, deadline=None)
def test_a_text_is_before_a_change_of_letters_where_it_is_described_after_it(
    expression: Regular, text: str, function: str
) -> None:
    changed = "".join(
        sign.lower()
        if function == "lower" and sign in "Z"
        else sign.upper()
        if function == "upper" and sign in "abz"
        else sign
        for sign in text
    )
    assert described(texts.before(function, expression), text) == described(expression, changed)


def described(expression: Regular, text: str) -> bool:
    formula = sequences.belongs(sequences.constant(text), language(expression))
    status = Session(10.0).ask("one text", formula).status
    assert status is not Status.UNKNOWN
    return status is Status.SATISFIABLE


@given(
    st.lists(conditions("s"), min_size=2, max_size=3),
    st.lists(conditions("s"), max_size=2),
    st.sampled_from(["s = a.s", "s < a.s", "contains(s, a.s)", "length(s) = length(a.s)"]),
    st.lists(strings, max_size=8),
)
@settings(max_examples=15, deadline=None)
def test_the_algebra_confirms_claims_about_rules_with_strings(
    positive: list[str], negated: list[str], link: str, values: list[str]
) -> None:
    window = "no b in a [-1 ms, 1 ms]"
    rule = f"a : T {{ {', '.join(positive)} }} no b : T {{ {', '.join([link, *negated])} }} when {window}"
    program = parse(TEMPLATES + rule)
    trace = tuple(Event(f"e{number}", "T", number, {"k": 0, "s": text}, "s") for number, text in enumerate(values))
    attack_report(program, report_of(rule, timeout=0.5), [trace])
