"""The evaluator of row patterns that imported queries are compared with, on examples worked out by hand."""

from __future__ import annotations

import pytest

from tests.importers.row_patterns import (
    Column,
    Constant,
    Either,
    Node,
    Operation,
    Query,
    Repeated,
    Sequential,
    SqlError,
    Variable,
    matches,
)

A, B, X = Variable("A"), Variable("B"), Variable("X")


def rows(kinds: str) -> list[dict[str, object]]:
    """Rows a millisecond apart whose `k` are the letters; the ids are their places from 0."""
    return [{"id": str(place), "ts": place, "k": kind} for place, kind in enumerate(kinds)]


def is_(name: str, kinds: str) -> tuple[str, Operation]:
    return name, Operation("IN", (Column(name, "k"), *map(Constant, kinds)))


def rows_matched(pattern: Node, kinds: str, skip: str = "next", within: int | None = None) -> list[str]:
    query = Query(pattern, (is_("A", "a"), is_("B", "bc")), (), skip, within)
    return ["".join(f"{row}{name}" for row, name in match.rows) for match in matches(query, rows(kinds))]


@pytest.mark.parametrize(
    ("pattern", "kinds", "expected"),
    [
        (Sequential((A, B)), "abxab", ["0A1B", "3A4B"]),
        (Sequential((A, Repeated(X, 0, None, False), B)), "axbc", ["0A1X2B"]),
        (Sequential((A, Repeated(X, 0, None, True), B)), "axbcx", ["0A1X2X3B"]),
        (Sequential((A, Repeated(X, 1, 1, True), B)), "abb", ["0A1X2B"]),
        (Sequential((Repeated(A, 2, None, True), B)), "aaab", ["0A1A2A3B", "1A2A3B"]),
        (Sequential((Repeated(A, 1, 2, False), X)), "aab", ["0A1X", "1A2X"]),
        (Sequential((Either((X, A)), B)), "ab", ["0X1B"]),
        (Sequential((Either((A, X)), B)), "ab", ["0A1B"]),
        (Repeated(Sequential((A, B)), 1, None, True), "abab", ["0A1B2A3B", "2A3B"]),
        (Repeated(A, 0, None, True), "ba", ["1A"]),  # an empty match is no row
    ],
)
def test_the_preferred_match_of_each_first_row(pattern: Node, kinds: str, expected: list[str]) -> None:
    assert rows_matched(pattern, kinds) == expected


@pytest.mark.parametrize(
    ("skip", "expected"),
    [
        ("next", ["0A1A2B", "1A2B", "3A4B"]),
        ("past", ["0A1A2B", "3A4B"]),
        ("first B", ["0A1A2B", "3A4B"]),
        ("last B", ["0A1A2B", "3A4B"]),
    ],
)
def test_skip_clauses(skip: str, expected: list[str]) -> None:
    assert rows_matched(Sequential((Repeated(A, 1, None, True), B)), "aabab", skip) == expected


def test_a_skip_to_the_first_row_fails() -> None:
    with pytest.raises(SqlError, match="first row"):
        rows_matched(Sequential((A, B)), "ab", "first A")


@pytest.mark.parametrize(("within", "expected"), [(2, []), (3, ["0A1X2B"]), (None, ["0A1X2B"])])
def test_a_match_is_shorter_than_within(within: int | None, expected: list[str]) -> None:
    assert rows_matched(Sequential((A, X, B)), "aab", within=within) == expected


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (Column("A", "k"), "c"),
        (Column("A", "k", "FIRST"), "a"),
        (Column("A", "k", "FIRST", 1), "b"),
        (Column("A", "k", "LAST", 1), "b"),
        (Column("A", "k", "LAST", 3), None),
        (Column("A", "k", "PREV"), "b"),
        (Column("A", "k", "PREV", 9), None),
        (Column("A", "k", "NEXT"), "d"),
        (Column(None, "k"), "d"),
    ],
)
def test_navigation(column: Column, expected: str | None) -> None:
    query = Query(Sequential((A, A, A, X)), (), (), "past", None, (("m", column),))
    assert [match.measures["m"] for match in matches(query, rows("abcd"))] == [expected]


def test_null_is_neither_true_nor_false() -> None:
    null, yes, no = Constant(None), Constant(True), Constant(False)
    for condition, expected in (
        (Operation("OR", (null, yes)), True),
        (Operation("OR", (null, no)), None),
        (Operation("AND", (null, no)), False),
        (Operation("NOT", (null,)), None),
        (Operation("IN", (Constant("a"), Constant("b"), null)), None),
        (Operation("BETWEEN", (Constant(3), Constant(4), null)), False),
        (Operation("IS NULL", (null,)), True),
    ):
        query = Query(X, (("X", condition),), (), "next", None)
        assert len(matches(query, rows("a"))) == (expected is True)
        negated = Query(X, (("X", Operation("NOT", (condition,))),), (), "next", None)
        assert len(matches(negated, rows("a"))) == (expected is False)
