"""From text to query (specification: cel-text).

The words that begin clauses are no names, so the tokens fall into clauses first, and each is parsed by itself: one
mistake hides none in another clause.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from importlib import resources
from typing import cast

from lark import Lark, Token

from parte.languages.cel.semantics.syntax import tree
from parte.languages.cel.semantics.syntax.builder import REPORTER, Builder
from parte.languages.cel.semantics.syntax.checking import check
from parte.languages.cel.semantics.syntax.codes import CODES
from parte.languages.cel.semantics.syntax.lexis import CLAUSES, EVENTS, KEYWORDS, LEXIS, UNITS
from parte.semantics.source.collection import paused_collection
from parte.semantics.source.comments import Comment
from parte.semantics.source.diagnostics import Diagnostic
from parte.semantics.source.parts import Slip, Wording, cut, expected_after, parse_part
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.scanner import end_of, scan, span_of, start_of
from parte.semantics.source.spans import Position, Span


@dataclass(frozen=True, slots=True)
class Source:
    """A query, the comments of its text, what else there is to say of it, and where its clauses begin."""

    query: tree.Query
    comments: tuple[Comment, ...] = field(compare=False)
    warnings: tuple[Diagnostic, ...] = field(compare=False)
    clauses: Mapping[str, Position] = field(compare=False)


def parse(text: str) -> tree.Query:
    """The query that a text writes. ProgramError with every error found if it writes none."""
    return parse_source(text).query


def parse_source(text: str) -> Source:
    """As `parse`, with what the text has beside the query."""
    reporter = Reporter(text, CODES)
    with paused_collection():
        found = scan(text, LEXIS, reporter)
    if not found.complete:
        reporter.raise_if_failed()
    token = REPORTER.set(reporter)
    try:
        with paused_collection():
            clauses = _split(found.tokens, reporter)
            values = {
                clause[0].type: _parsed(clause, found.damaged_lines, reporter)
                for clause in clauses
                if clause[0].type in CLAUSES
            }
    finally:
        REPORTER.reset(token)
    for needed in ("SELECT", "WHERE"):
        if needed not in values and not found.damaged_lines:
            end = end_of(found.tokens[-1]) if found.tokens else Position(1, 1)
            message, hint = f"there is no clause {needed}", "a query is written `SELECT * WHERE A; B`"
            reporter.report("missing-clause", Span(end, end), message, hint)
    reporter.raise_if_failed()
    strategy, selected = cast(tuple[tree.Strategy, tuple[str, ...] | None], values["SELECT"])
    query = tree.Query(
        strategy,
        selected,
        cast(tuple[str, ...], values.get("FROM", ())),
        cast(tree.Formula, values["WHERE"]),
        cast(tuple[str, ...], values.get("PARTITION", ())),
        cast(tree.Window | None, values.get("WITHIN")),
        cast(tree.Consumption, values.get("CONSUME", tree.Consumption.NONE)),
        span=span_of(found.tokens[0], found.tokens[-1]),
    )
    starts = {clause[0].type: start_of(clause[0]) for clause in clauses}
    spans = {clause[0].type: span_of(clause[0], clause[-1]) for clause in clauses}
    check(query, spans["SELECT"], reporter)
    reporter.raise_if_failed()
    return Source(query, found.comments, reporter.diagnostics(), starts)


def expected(tokens: Sequence[Token]) -> AbstractSet[str]:
    """The kinds of tokens that may follow these; none if the last clause fits no grammar rule."""
    reporter = Reporter("", CODES)
    token = REPORTER.set(reporter)
    try:
        clauses = _split(tokens, reporter)
        if not clauses:
            return {CLAUSES[0]}
        kind = clauses[-1][0].type
        if kind not in CLAUSES:
            return frozenset()
        found = expected_after(_lark(), f"{kind.lower()}_clause", clauses[-1])
        return found | set(CLAUSES[CLAUSES.index(kind) + 1 :]) if "$END" in found else found
    finally:
        REPORTER.reset(token)


@functools.cache
def _lark() -> Lark:
    grammar = (
        resources.files("parte.languages.cel.semantics.syntax").joinpath("grammar.lark").read_text(encoding="utf-8")
    )
    starts = [f"{clause.lower()}_clause" for clause in CLAUSES]
    return Lark(grammar, parser="lalr", start=starts, transformer=Builder(), maybe_placeholders=True)


def typed(tokens: Sequence[Token]) -> Iterator[Token]:
    """The words as keywords, units and names: a word that stands alone in square brackets is a name."""
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
        yield Token.new_borrow_pos(kind, token.value, token)


def _split(tokens: Sequence[Token], reporter: Reporter) -> list[list[Token]]:
    """The tokens of each clause; what is wrong with their order is reported."""
    clauses: list[list[Token]] = []
    before = ""
    for token in typed(tokens):
        if token.type in CLAUSES and not (token.type == "PARTITION" and before == "BY"):
            clauses.append([token])
        elif clauses:
            clauses[-1].append(token)
        else:
            clauses.append([token])
            message, hint = f"expected `select`, found `{cut(token)}`", "a query is written `SELECT * WHERE A; B`"
            reporter.report("syntax-error", span_of(token), message, hint)
        before = token.type
    latest = ""
    seen = set[str]()
    for clause in clauses:
        kind = clause[0].type
        if kind not in CLAUSES:
            continue
        if kind in seen:
            message = f"there is a clause {kind} already"
            reporter.report("repeated-clause", span_of(clause[0]), message, "join the two, or remove one")
        elif latest and CLAUSES.index(kind) < CLAUSES.index(latest):
            message = f"{kind} stands after {latest}"
            hint = "the order is SELECT, FROM, WHERE, PARTITION BY, WITHIN, CONSUME BY"
            reporter.report("misplaced-clause", span_of(clause[0]), message, hint)
        else:
            latest = kind
        seen.add(kind)
    return clauses


def _parsed(clause: Sequence[Token], damaged: frozenset[int], reporter: Reporter) -> object:
    """What a clause says; None after an error, which is reported."""
    return parse_part(_lark(), f"{clause[0].type.lower()}_clause", clause, damaged, _WORDING, reporter)


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
"""What is often meant."""

_WORDING = Wording(
    part="clause",
    names={
        "NAME": "a name",
        "STRING": "a string",
        "INTEGER": "a whole number",
        "UNIT": "a unit of time",
        "EVENTS": "`events`",
        "_COMMA": "`,`",
        "LPAR": "`(`",
        "RPAR": "`)`",
        "LSQB": "`[`",
        "RSQB": "`]`",
        "SEMICOLON": "`;`",
        "COLON": "`:`",
        "CONTIGUOUS_PLUS": "`:+`",
        "PLUS": "`+`",
        "STAR": "`*`",
        "OPERATOR": "a comparison",
    },
    groups=(
        (frozenset({"NAME", "INTEGER", "FLOAT", "STRING", "TRUE", "FALSE", "MINUS"}), "an attribute or a value"),
        (frozenset({"PLUS", "CONTIGUOUS_PLUS", "SEMICOLON", "COLON", "OR", "AS", "FILTER"}), "an operator"),
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
)
