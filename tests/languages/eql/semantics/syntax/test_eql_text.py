"""The text of EQL: any text is a query, which is printed and read again, or has errors with places."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from parte.languages.eql.semantics.syntax.codes import CODES
from parte.languages.eql.semantics.syntax.parser import parse, parse_source
from parte.languages.eql.semantics.syntax.printer import print_source
from parte.semantics.source.diagnostics import ProgramError

WORDS = [
    *[
        "sequence",
        "sample",
        "by",
        "with",
        "maxspan=5m",
        "runs=2",
        "until",
        "where",
        "any",
        "and",
        "or",
        "not",
        "in",
        "in~",
        "like",
        "like~",
        "regex~",
        "null",
        "true",
    ],
    *[
        "|",
        "head",
        "tail",
        "[",
        "]",
        "!",
        "(",
        ")",
        ",",
        "==",
        "!=",
        "<",
        ":",
        "+",
        "-",
        "*",
        "/",
        "%",
        "?",
        "'",
        "`",
        "`a`",
        "a.b",
        "host.id",
        "0",
        "1",
        "1.5",
        "//",
        "/*",
        "*/",
        "join",
        "fork",
        "of",
    ],
    *("concat(", "between~(", "cidrMatch(", '"a*"', '"\\"', '"""a"""', "9" * 20, "é", "\x00", "\ud800", "\ufeff", "\n"),
]
pieces = st.lists(st.sampled_from(WORDS) | st.text(max_size=3), max_size=25).map(" ".join)


@pytest.mark.parametrize("before", ["", "A where ", "sequence ", "sequence [A where true] [", "sample by a [A where "])
@given(text=pieces)
@example(text="]")
@example(text="/*")
@example(text="true]" * 300)
@example(text="(" * 5000)
@example(text="not " * 5000 + "true")
def test_any_text_is_a_query_or_has_errors_with_places(before: str, text: str) -> None:
    whole = before + text
    try:
        source = parse_source(whole)
    except ProgramError as error:
        diagnostics = error.diagnostics
    else:
        assert parse(print_source(source)) == source.query
        return
    assert diagnostics
    for diagnostic in diagnostics:
        assert diagnostic.code in CODES
        assert 1 <= diagnostic.span.start.line <= whole.count("\n") + 1
        assert diagnostic.span.start.column >= 1
