"""The parser of queries (specification: cel-text).

The words that begin clauses are no names, so the parser splits the tokens into clauses first, and parses each clause by
itself: a mistake in one clause hides none in another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from parte.languages.cel.semantics.syntax import tree
from parte.languages.cel.semantics.syntax.builder import BUILDER
from parte.languages.cel.semantics.syntax.checking import check
from parte.languages.cel.semantics.syntax.codes import CODES
from parte.languages.cel.semantics.syntax.lexis import CLAUSES, EVENTS, KEYWORDS, LEXIS, UNITS
from parte.semantics.source.building import reporting_to
from parte.semantics.source.comments import Comment
from parte.semantics.source.diagnostics import Diagnostic
from parte.semantics.source.parts import Clauses, Grammar, Slip, Wording, reading
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.scanner import span_of
from parte.semantics.source.spans import Position
from parte.semantics.source.tokens import Token


@dataclass(frozen=True, slots=True)
class Source:
    """A query, the comments and warnings of its text, and the places where its clauses begin."""

    query: tree.Query
    comments: tuple[Comment, ...] = field(compare=False)
    warnings: tuple[Diagnostic, ...] = field(compare=False)
    clauses: Mapping[str, Position] = field(compare=False)


def parse(text: str) -> tree.Query:
    """Return the query that a text contains. Raise ProgramError with every error found if it contains none."""
    return parse_source(text).query


def parse_source(text: str) -> Source:
    """Return the query as `parse` does, with its comments, warnings and places of clauses."""
    with reading(text, LEXIS, CODES) as (scanned, reporter):
        clauses = _CLAUSES.split(_begun(scanned.tokens), reporter)
        values = _CLAUSES.parse(clauses, scanned, reporter)
    strategy, selected = values["SELECT"]
    query = tree.Query(
        strategy,
        selected,
        tuple(map(str, values.get("FROM", ()))),
        values["WHERE"],
        tuple(attribute.name for attribute in values.get("PARTITION", ())),
        values.get("WITHIN"),
        values.get("CONSUME", tree.Consumption.NONE),
        span=span_of(scanned.tokens[0], scanned.tokens[-1]),
    )
    spans = {name: span_of(clause[0], clause[-1]) for name, clause in clauses}
    check(query, spans["SELECT"], reporter)
    reporter.raise_if_failed()
    return Source(query, scanned.comments, reporter.diagnostics(), {name: spans[name].start for name in spans})


def expected(tokens: Sequence[Token]) -> AbstractSet[str]:
    """Return the kinds of tokens that may follow these; none if the last clause fits no grammar rule."""
    reporter = Reporter("", CODES)
    with reporting_to(reporter):
        return _CLAUSES.expected(_CLAUSES.split(_begun(tokens), reporter))


def typed(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield the words as keywords, units and names: a word that stands alone in square brackets is a name."""
    for index, token in enumerate(tokens):
        before = tokens[index - 1].type if index else ""
        after = tokens[index + 1].type if index + 1 < len(tokens) else ""
        word, kind = token.upper(), token.type
        if kind == "NAME" and not (before == "LSQB" and after == "RSQB"):
            if before == "INTEGER" and word in UNITS:
                kind = "UNIT"
            elif before == "INTEGER" and word in EVENTS:
                kind = "EVENTS"
            elif word in KEYWORDS:
                kind = word
        yield token.of_kind(kind)


def _begun(tokens: Sequence[Token]) -> Iterator[tuple[Token, bool, str]]:
    """Yield the tokens with a flag for those that begin a clause, and with their kinds."""
    before = ""
    for token in typed(tokens):
        yield token, token.type in CLAUSES and not (token.type == "PARTITION" and before == "BY"), token.type
        before = token.type


_KEYWORD = "{0} is a keyword: choose another name, or write an attribute as `[{1}]`"
_JOINED = "formulas are joined by `;` (later), `:` (next) or OR"
_COMPUTED = "a comparison has attributes and values, and computes nothing"
_LINKED = (
    "a link compares two attributes and computes nothing (T §3.2 has no arithmetic): store the value as an attribute"
)
_SELECTED = "SELECT names variables, as in `SELECT t2`: a result is a set of events, not of their values (T fig. 3.2)"
_SLIPS = tuple(
    Slip(before, here, frozenset(ahead.split()), hint)
    for before, here, ahead, hint in (
        ("SEMICOLON", None, "PROJ", "a query does not end with `;`"),
        ("", "SEMICOLON", "RSQB", "is a `]` missing before this?"),
        ("", "SEMICOLON", "AND FILTER", "FILTER binds least: `(A FILTER A[v > 1]); B`"),
        ("", "SEMICOLON", "$END", "a query does not end with `;`"),
        ("", "NAME", "SEMICOLON", _JOINED),
        ("", "LPAR", "SEMICOLON", _JOINED),
        ("", "AND", "SEMICOLON", f"AND joins conditions of FILTER; {_JOINED}"),
        ("", "MINUS", "SEMICOLON", _JOINED),
        ("", "STAR", "SEMICOLON", "once or more is written `+`"),
        ("", "RPAR", "$END", "no `(` is open here"),
        ("", "RSQB", "$END", "no `[` is open here"),
        ("", "NOT", "PROJ", "NOT stands in the brackets of a condition, `A[NOT v > 1]`; no event is negated"),
        ("", "PLUS", "OPERATOR RSQB", _COMPUTED),
        ("", "MINUS", "OPERATOR RSQB", _COMPUTED),
        ("", "STAR", "OPERATOR RSQB", _COMPUTED),
        ("", "NAME", "OPERATOR RSQB", "a comparison is written `attribute > 1`"),
        *(("RSQB", sign, "OPERATOR", _LINKED) for sign in ("PLUS", "MINUS", "STAR")),
        *(("RSQB", sign, "AND FILTER", _LINKED) for sign in ("PLUS", "MINUS", "STAR")),
        ("OPERATOR", "MINUS", "NAME", _LINKED),
        ("NAME", "LSQB", "_COMMA", _SELECTED),
        ("OPERATOR", "INTEGER", "NAME", "a condition on one variable is written `A[v = 3]`"),
        ("OPERATOR", "FLOAT", "NAME", "a condition on one variable is written `A[v = 3.5]`"),
        ("OPERATOR", "STRING", "NAME", "a condition on one variable is written `A[v = 'x']`"),
        *(("", word, "NAME", _KEYWORD) for word in sorted(KEYWORDS)),
        ("", "MINUS", "INTEGER", "the length of a window is not negative"),
    )
)
"""Frequent mistakes, with hints at what was probably meant."""

_WORDING = Wording(
    part="clause",
    names={
        "EVENTS": "`events`",
        "CONTIGUOUS_PLUS": "`:+`",
        "PLUS": "`+`",
        "STAR": "`*`",
        "OPERATOR": "a comparison",
    },
    groups=(
        ("NAME INTEGER FLOAT STRING TRUE FALSE MINUS", "an attribute or a value", ""),
        ("PLUS CONTIGUOUS_PLUS SEMICOLON COLON OR AS FILTER", "an operator", ""),
    ),
    hints=(
        ("RSQB", "is a `]` missing before this?"),
        ("RPAR", "is a `)` missing before this?"),
        ("STAR", "SELECT is followed by `*`, by NONE, or by the variables to keep"),
        ("LSQB", "a condition is written `variable[attribute > 1]`"),
        ("UNIT", "a window is written `10 EVENTS` or `5 MINUTES 30 SECONDS`"),
        ("INTEGER", "a window is written `10 EVENTS` or `5 MINUTES 30 SECONDS`"),
        ("BY", "write BY after PARTITION and CONSUME"),
        ("ANY", "write CONSUME BY ANY, PARTITION or NONE"),
        ("PROJ", "a formula is a type, or made of types by `;`, `:`, `+`, OR, AS, FILTER and PROJ"),
        ("OPERATOR", "a comparison is written `attribute > 1`"),
        ("NAME", "a name has letters, digits and underscores, begins with no digit, and is no keyword"),
    ),
    slips=_SLIPS,
    keywords=KEYWORDS,
    anywhere=CLAUSES,
    words=frozenset({"NAME", "UNIT", "EVENTS"}),
)

_CLAUSES = Clauses(
    Grammar(
        "parte.languages.cel.semantics.syntax", BUILDER, [f"{clause.lower()}_clause" for clause in CLAUSES], _WORDING
    ),
    CLAUSES,
    ("SELECT", "WHERE"),
    "a query is written `SELECT * WHERE A; B`",
    "the order is SELECT, FROM, WHERE, PARTITION BY, WITHIN, CONSUME BY",
)
