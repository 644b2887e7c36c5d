"""The text of CEL queries: what is printed is read again, and what is wrong is told with its place."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from parte.languages.cel.conformance.drawing import Shape
from parte.languages.cel.conformance.strategies import queries
from parte.languages.cel.semantics.syntax import tree
from parte.languages.cel.semantics.syntax.codes import CODES
from parte.languages.cel.semantics.syntax.json_form import query_to_json, schema
from parte.languages.cel.semantics.syntax.lexis import KEYWORDS
from parte.languages.cel.semantics.syntax.parser import parse, parse_source
from parte.languages.cel.semantics.syntax.printer import print_query, print_source
from parte.semantics.source.diagnostics import ProgramError

SCHEMA = Draft202012Validator(schema())


@given(queries() | queries(Shape(links=True)))
def test_what_is_printed_is_read_again(query: tree.Query) -> None:
    text = print_query(query)
    assert parse(text) == query
    source = parse_source(text)
    assert print_source(source) == text
    SCHEMA.validate(json.loads(json.dumps(query_to_json(query))))


@pytest.mark.parametrize("word", sorted(KEYWORDS))
def test_a_keyword_is_an_attribute_in_brackets_and_no_name(word: str) -> None:
    text = f"SELECT *\nWHERE A FILTER A[[{word}] = 1]\nPARTITION BY [{word.lower()}]\n"
    query = parse(text)
    assert query.attributes == (word.lower(),)
    assert print_query(query) == text
    with pytest.raises(ProgramError):
        parse(f"SELECT * WHERE A; {word}")


def test_comments_stay_where_they_were() -> None:
    text = "-- first\nSELECT *  -- all\nWHERE A\n\n-- last\n"
    assert print_source(parse_source(text)) == text


def test_literals_of_different_kinds_are_different() -> None:
    query, same, true = (parse(f"SELECT * WHERE A FILTER A[v = {value}]") for value in ("1", "1.0", "TRUE"))
    assert len({query.formula, same.formula, true.formula}) == 3
    assert tree.Literal(1) == tree.Literal(1)


WRONG = [
    ("SELECT * WHERE A;", ["syntax-error 1:18"], "does not end with `;`"),
    ("SELECT * WHERE A WITHIN 5 EVENTS;", ["syntax-error 1:33"], "does not end with `;`"),
    ("SELECT * WHERE A FILTER A[v > 3; B", ["syntax-error 1:32"], "is a `]` missing"),
    ("SELECT * WHERE A FILTER A[v > 3]; B", ["syntax-error 1:33"], "`(A FILTER A[v > 1]); B`"),
    ("SELECT * WHERE A B", ["syntax-error 1:18"], "joined by `;` (later)"),
    ("SELECT * WHERE A AND B", ["syntax-error 1:18"], "AND joins conditions"),
    ("SELECT * WHERE A -> B", ["syntax-error 1:18"], "joined by `;` (later)"),
    ("SELECT * WHERE A*", ["syntax-error 1:17"], "once or more is written `+`"),
    ("SELECT * WHERE A; B)", ["syntax-error 1:20"], "no `(` is open"),
    ("SELECT * WHERE NOT A", ["syntax-error 1:16"], "no event is negated"),
    ("SELECT * WHERE A FILTER A[v + 1 > 2]", ["syntax-error 1:29"], "computes nothing"),
    ("SELECT * WHERE A FILTER A[v in 1]", ["syntax-error 1:29"], "a comparison is written"),
    ("SELECT * WHERE A FILTER A[v] = 3", ["syntax-error 1:32"], "a condition on one variable is written `A[v = 3]`"),
    ("", ["missing-clause 1:1", "missing-clause 1:1"], ""),
    ("SELECT * WHERE A; ; B WITHIN -3 EVENTS", ["syntax-error 1:19", "syntax-error 1:30"], "not negative"),
    ("SELECT * WHER A; B", ["syntax-error 1:10", "missing-clause 1:19"], "did you mean WHERE?"),
    ("SELECT * WHERE A; last", ["syntax-error 1:19"], "LAST is a keyword"),
    ("SELECT * WHERE A FILTER A[v > 1", ["syntax-error 1:32"], "is a `]` missing"),
    ("SELECT * WHERE (A; B", ["syntax-error 1:21"], "is a `)` missing"),
    ("SELECT * WHERE A FILTER A.v > 1", ["invalid-character 1:26"], "variable[attribute]"),
    ("SELECT t2.id WHERE A AS t2", ["invalid-character 1:10"], "SELECT names variables"),
    ("SELECT t2[id] WHERE A AS t2", ["syntax-error 1:10"], "not of their values"),
    ("SELECT * WHERE A; B FILTER A[v] + 1 < B[v]", ["syntax-error 1:33"], "a link compares two attributes"),
    ("SELECT * WHERE A; B FILTER A[v] < B[v] * 2", ["syntax-error 1:40"], "a link compares two attributes"),
    ("SELECT * WHERE A; B FILTER A[v] < -B[v]", ["syntax-error 1:35"], "a link compares two attributes"),
    ("SELECT * WHERE A; B FILTER A[v] / 2 < B[v]", ["invalid-character 1:33"], "compute nothing"),
    ('SELECT * WHERE A FILTER A[v = "x"]', ["invalid-character 1:31", "invalid-character 1:33"], "single quotes"),
    ("SELECT * WHERE A FILTER A[v = 'x]", ["unterminated-string 1:31"], "end it with `'`"),
    ("SELECT * WHERE A WITHIN 5", ["syntax-error 1:26"], "10 EVENTS"),
    ("WHERE A SELECT * WHERE B", ["misplaced-clause 1:9", "repeated-clause 1:18"], "the order is"),
    ("SELECT * WHERE A CONSUME BY ALL", ["syntax-error 1:29"], "CONSUME BY ANY"),
    ("\ud800SELECT * WHERE A", ["lone-surrogate 1:1"], "saved as UTF-8"),
    ("SELECT * WHERE A" + "+" * 5000, ["formula-too-deep 1:16"], ""),
    ("SELECT * WHERE " + "(" * 100 + "A", ["nesting-too-deep 1:80"], ""),
]


@pytest.mark.parametrize(("text", "expected", "hint"), WRONG, ids=range(len(WRONG)))
def test_every_mistake_is_told_with_its_place_and_what_to_do(text: str, expected: list[str], hint: str) -> None:
    with pytest.raises(ProgramError) as error:
        parse(text)
    diagnostics = error.value.diagnostics
    assert [
        f"{diagnostic.code} {diagnostic.span.start.line}:{diagnostic.span.start.column}" for diagnostic in diagnostics
    ] == expected
    assert any(hint in diagnostic.hint for diagnostic in diagnostics)
    assert all(diagnostic.code in CODES and diagnostic.message and diagnostic.hint for diagnostic in diagnostics)


@given(st.text(max_size=60))
def test_any_text_is_a_query_or_an_error(text: str) -> None:
    with suppress(ProgramError):
        parse(text)


WORDS = st.sampled_from(
    [*sorted(KEYWORDS), "A", "x", "1", "1.5", "'s'", *"()[],;:+*=<>-", ":+", "!=", "EVENTS", "MS", "--", "\n"]
)


@given(st.lists(WORDS, max_size=30))
def test_any_words_are_a_query_or_an_error(words: list[str]) -> None:
    text = " ".join(words)
    with suppress(ProgramError):
        query = parse(text)
        assert parse(print_query(query)) == query


WARNED = [
    ("SELECT z WHERE A", "unknown-variable 1:1"),
    ("SELECT * WHERE A FILTER b[v > 1]", "unknown-variable 1:25"),
    ("SELECT * WHERE PROJ (B) (A)", "unknown-variable 1:16"),
    ("SELECT * WHERE (A; B FILTER A[v] = B[v]); C", "link-below-operator 1:29"),
    ("SELECT NXT * WHERE A; B FILTER A[v] = B[v]", "link-with-strategy 1:32"),
]


@pytest.mark.parametrize(("text", "expected"), WARNED)
def test_a_warning_stops_nothing(text: str, expected: str) -> None:
    (diagnostic,) = parse_source(text).warnings
    assert f"{diagnostic.code} {diagnostic.span.start.line}:{diagnostic.span.start.column}" == expected
