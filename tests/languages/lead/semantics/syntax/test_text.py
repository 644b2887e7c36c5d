"""The text of LEAD rules: what is printed is read again, and what is wrong is told with its place."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from parte.languages.lead.conformance.strategies import rules
from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.checking import bound
from parte.languages.lead.semantics.syntax.codes import CODES
from parte.languages.lead.semantics.syntax.json_form import rule_to_json, schema
from parte.languages.lead.semantics.syntax.lexis import KEYWORDS
from parte.languages.lead.semantics.syntax.parser import parse, parse_source
from parte.languages.lead.semantics.syntax.printer import print_rule, print_source
from parte.semantics.source.diagnostics import ProgramError

SCHEMA = Draft202012Validator(schema())

FIGURE_2 = """\
FROM Installations AS _in, Accesses AS _ac, ArtifactsBought AS _ab, Shares AS _sh
DEFINE TimeEvent tc(_in.event_time, _in.event_time + 3 days)
    EventType leaving(BOOLEAN leaving(FALSE))
MATCH _in -> (collect(_ac) terminate (!tc or count() == 6) AS acs and collect(_ab) terminate (!tc or count() == 2) \
AS abs and collect(_sh) terminate (!tc or count() == 2) AS shs) Subcontext(ac ==> acs.RANGE(3, 5) (MATCH not _ac \
within 2 days EMIT Event leaving(TRUE))) terminate (count(abs) > 0 or count(shs) > 0) AS ls
PARTITION BY _in.uid, _in.gid
CHECK FIRST
    WHERE (count(acs) >= 5 and count(abs) == 2 and count(shs) == 2)
        EMIT Event Success(gid)
    WHERE (count(acs) >= 3)
        CHECK FIRST
            WHERE (AT LEAST 1 (ls.event_time > _in.event_time + 3 days) and count(abs) == 0 and count(shs) == 0)
                EMIT Event Middle_Success_Leaving(gid)
            WHERE (TRUE)
                EMIT Event Middle_Success(gid)
        END
    WHERE (count(acs) <= 2 and count(abs) == 0 and count(shs) == 0)
        EMIT Event Failure(gid)
END
"""


@settings(max_examples=15)
@given(rules())
def test_what_is_printed_is_read_again(rule: tree.Rule) -> None:
    text = print_rule(rule)
    assert parse(text) == rule
    assert print_source(parse_source(text)) == text
    SCHEMA.validate(json.loads(json.dumps(rule_to_json(rule))))


def test_figure_2_is_a_rule() -> None:
    assert print_rule(parse(FIGURE_2)) == FIGURE_2
    assert parse(FIGURE_2.replace("->", "Followed By", 1).lower().replace("_in.uid", "_in.uid")) is not None


def test_comments_stay_where_they_were() -> None:
    text = "// first\nFROM A  // one\nMATCH A\n\n// last\n"
    assert print_source(parse_source(text)) == text


def test_policies_of_items_have_two_spellings() -> None:
    short, long = "collect(every A -> B) terminate (count() == 1)", "collect(every(A -> B)) terminate (count() == 1)"
    assert parse(f"FROM A, B MATCH {short}") == parse(f"FROM A, B MATCH {long}")
    short = "collect(A -> B) consume(A) terminate (count() == 1)"
    long = "collect(all(A -> B) consume(A)) terminate (count() == 1)"
    assert parse(f"FROM A, B MATCH {short}") == parse(f"FROM A, B MATCH {long}")


WRONG = [
    ("", ["missing-clause 1:1", "missing-clause 1:1"], "a rule is written"),
    ("FROM A MATCH A -> -> A EMIT X(1)", ["syntax-error 1:19", "syntax-error 1:29"], "expected"),
    ("FRM A MATCH A", ["syntax-error 1:1", "missing-clause 1:14"], "expected `from`"),
    ("FROM A MATCH A MATCH A", ["repeated-clause 1:16"], "already"),
    ("FROM A MATCH A DEFINE TimeEvent t(1, 2)", ["misplaced-clause 1:16"], "the order is"),
    ("FROM A MATCH A {", ["invalid-character 1:16"], "no braces"),
    ("FROM A MATCH A FILTER (A.v = 1)", ["invalid-operator 1:28"], "written `==`"),
    ("FROM A MATCH A FILTER (A.v == 'x)", ["unterminated-string 1:31"], "end it"),
    ("FROM A MATCH A \x00", ["nul-character 1:16"], "remove it"),
    ("FROM A MATCH A \ud800", ["lone-surrogate 1:16"], "UTF-8"),
    (f"FROM A MATCH {'A' * 129}", ["identifier-too-long 1:14"], "shorter"),
    (f"FROM A MATCH A FILTER (A.v == {'1' * 101})", ["number-too-long 1:31"], "round"),
    (f"FROM A MATCH {'(' * 65}A{')' * 65}", ["nesting-too-deep 1:78"], "split"),
    (f"FROM A MATCH A FILTER (A.v == 1{' + 1 - (1' * 60}{')' * 60})", ["too-deep 1:"], "fewer"),
    (f"FROM A MATCH A{' -> A' * 10_000}", ["too-large 1:"], "split the rule"),
    (f"FROM A MATCH A FILTER (A.v == {2**63})", ["integer-out-of-range 1:31"], "64 bit"),
    ("FROM A MATCH A FILTER (A.v == 1e999)", ["float-out-of-range 1:31"], "finite"),
    (f"FROM A MATCH A within {2**62} days", ["duration-out-of-range 1:23"], "shorter"),
    (f"FROM A MATCH {'! ' * 1100}", ["syntax-error 1:14"], "expected"),
    ("FROM A MATCH A -> B", ["unknown-stream 1:19"], "no stream is called `B`"),
    ("FROM A MATCH not (A AS x) -> A FILTER (x.v == 1)", ["unknown-name 1:40"], "no name"),
    ("FROM A MATCH A FILTER (count(l) > 1)", ["unknown-list 1:24"], "no list"),
    ("FROM A MATCH A FILTER (ANY (A.v > 1))", ["unknown-list 1:24"], "one list"),
    ("FROM A MATCH A -> A FILTER (A.v > 1)", ["unnamed-part 1:29"], "give it one, by AS"),
    ("FROM A MATCH A -> all(A AS x -> A) consume (x, A)", ["unnamed-part 1:19"], "another part"),
    ("FROM A MATCH A AS x -> A AS x", ["duplicate-name 1:24"], "already"),
    ("FROM A MATCH A -> not A", ["unterminated 1:19"], "nothing ends"),
    ("FROM A MATCH every(all(A) -> A)", ["nested-policy 1:20"], "different ways"),
    ("FROM A MATCH A within 0 ms", ["empty-interval 1:23"], "1 ms or more"),
    ("FROM A MATCH every(not A within 1 ms)", ["unproductive 1:14"], "no end"),
    (
        "FROM A MATCH collect(A) terminate (count() > 0) AS l Subcontext(i ==> l (MATCH A)) AS m",
        ["unbounded-branch 1:74"],
        "within",
    ),
    ("FROM A MATCH A Subcontext(i ==> l (MATCH A within 1 s)) AS m", ["sub-context 1:14"], "no list"),
    ("FROM A MATCH adj(A)", ["adjacent 1:14"], "adj(A -> B)"),
    ("FROM A MATCH first(A) consume(A)", ["consume 1:14"], "only `all`"),
    (
        "FROM A DEFINE TimeEvent t(A.event_time, A.event_time + 1 s) MATCH A FILTER (!t)",
        ["terminate 1:77"],
        "time event",
    ),
]


@pytest.mark.parametrize(("text", "expected", "words"), WRONG, ids=lambda value: str(value)[:40])
def test_what_is_wrong_is_told_with_its_place(text: str, expected: list[str], words: str) -> None:
    with pytest.raises(ProgramError) as error:
        parse(text)
    diagnostics = error.value.diagnostics
    places = [
        f"{diagnostic.code} {diagnostic.span.start.line}:{diagnostic.span.start.column}" for diagnostic in diagnostics
    ]
    assert len(places) == len(expected)
    assert all(place.startswith(start) for place, start in zip(places, expected, strict=True)), places
    assert any(words in f"{diagnostic.message} {diagnostic.hint}" for diagnostic in diagnostics)


def test_every_code_is_told_somewhere() -> None:
    codes = {place.split()[0] for _, expected, _ in WRONG for place in expected}
    assert codes >= CODES.keys() - {"source-too-large", "too-many-errors"}


def test_no_keyword_is_a_name() -> None:
    for word in sorted(KEYWORDS):
        with pytest.raises(ProgramError):
            parse(f"FROM {word} MATCH {word}")
        assert parse(f"FROM A MATCH A FILTER (A.{word} == 1)")


@given(st.text(alphabet="FROM MATCH A B -> not within 1 ms ( ) and or collect terminate AS x . ! 'é\n", max_size=60))
def test_any_text_is_a_rule_or_has_errors(text: str) -> None:
    with suppress(ProgramError):
        parse(f"FROM A, B MATCH {text}")


@pytest.mark.parametrize(
    ("pattern", "limit"),
    [
        ("A within 5 ms", 5),
        ("A within 5 ms -> B within 2 ms", 7),
        ("A within 5 ms and wait(B, 9 ms)", 9),
        ("every(A within 5 ms)", None),
        ("last(A) -> B within 5 ms", None),
        ("last(A within 3 ms) -> B within 5 ms", 8),
        ("adj(A within 3 ms and B within 5 ms)", 8),
        ("adj(A within 3 ms and B within 5 ms and A within 2 ms)", 7),
        ("B within 2 ms from (A within 5 ms)", 7),
    ],
)
def test_how_long_a_pattern_can_match(pattern: str, limit: int | None) -> None:
    assert bound(parse(f"FROM A, B MATCH {pattern}").pattern) == limit


@pytest.mark.parametrize(
    ("pattern", "same"),
    [
        ("(A -> not B) -> C", "A -> not B -> C"),
        ("((A -> (B -> not C))) -> A", "A -> B -> not C -> A"),
        ("not C -> (A -> not B) -> C", "not C -> (A -> not B -> C)"),
        ("not C -> (A -> not B) -> not C -> C -> A", "not C -> (A -> not B -> not C -> C) -> A"),
        ("(A -> collect(B)) -> (A -> last(B)) -> C", "A -> collect(B) -> (A -> last(B) -> C)"),
        ("not C -> (A -> B)", "not C -> (A -> B)"),
    ],
)
def test_a_sequence_that_ends_open_is_ended_by_what_follows(pattern: str, same: str) -> None:
    rule = parse(f"FROM A, B, C MATCH {pattern}")
    assert print_rule(rule) == f"FROM A, B, C\nMATCH {same}\n"
    assert parse(print_rule(rule)) == rule


@pytest.mark.parametrize(
    "pattern", ["(A -> not B) within 3 ms", "wait(A -> not B, 3 ms)", "(A -> not B) FILTER (A.v == 1) -> C"]
)
def test_a_sequence_that_ends_open_stands_below_no_time_and_no_filter(pattern: str) -> None:
    with pytest.raises(ProgramError) as error:
        parse(f"FROM A, B, C MATCH {pattern}")
    (diagnostic,) = error.value.diagnostics
    assert (diagnostic.code, "ends no sequence" in diagnostic.message) == ("unterminated", True)
    assert "L (9), remark 3" in str(diagnostic.hint)
