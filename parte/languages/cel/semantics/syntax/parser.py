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
from parte.semantics.source.parts import Clauses, Grammar, Words, reading
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


_CLAUSES = Clauses(
    Grammar(
        "parte.languages.cel.semantics.syntax",
        BUILDER,
        [f"{clause.lower()}_clause" for clause in CLAUSES],
        Words(KEYWORDS, CLAUSES),
    ),
    CLAUSES,
    ("SELECT", "WHERE"),
    "a query is written `SELECT * WHERE A; B`",
    "the order is SELECT, FROM, WHERE, PARTITION BY, WITHIN, CONSUME BY",
)
