"""The parser: from text to rule (specification: lead-text).

It first splits the tokens into clauses and then parses each clause by itself, so that a mistake in one clause hides
none in another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.builder import BUILDER
from parte.languages.lead.semantics.syntax.checking import check, resolve
from parte.languages.lead.semantics.syntax.codes import CODES
from parte.languages.lead.semantics.syntax.lexis import CLAUSES, KEYWORDS, LEXIS, SYNONYMS, UNITS
from parte.semantics.source.building import reporting_to
from parte.semantics.source.comments import Comment
from parte.semantics.source.diagnostics import Diagnostic
from parte.semantics.source.parts import Clauses, Grammar, Words, reading
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.scanner import span_of, start_of
from parte.semantics.source.spans import Position
from parte.semantics.source.tokens import Token

OUTCOME = "OUTCOME"
"""The clause that EMIT or CHECK begins."""
_STARTS = ("FROM", "DEFINE", "ENRICH", "MATCH", "PARTITION", OUTCOME)


@dataclass(frozen=True, slots=True)
class Source:
    """A rule, the comments of its text, its warnings, and the beginnings of its clauses."""

    rule: tree.Rule
    comments: tuple[Comment, ...] = field(compare=False)
    warnings: tuple[Diagnostic, ...] = field(compare=False)
    clauses: Mapping[str, Position] = field(compare=False)


def parse(text: str) -> tree.Rule:
    """Return the rule that a text writes. Raise ProgramError, with every error, if it writes none."""
    return parse_source(text).rule


def parse_source(text: str) -> Source:
    """Return the rule as `parse` does, with its comments, warnings and beginnings of clauses."""
    with reading(text, LEXIS, CODES) as (scanned, reporter):
        clauses = _CLAUSES.split(_begun(scanned.tokens), reporter)
        values = _CLAUSES.parse(clauses, scanned, reporter)
    defined = (*values.get("DEFINE", ()), *values.get("ENRICH", ()))
    rule = tree.Rule(
        tuple(values["FROM"]),
        tuple(definition for definition in defined if isinstance(definition, tree.TimeEvent)),
        tuple(definition for definition in defined if isinstance(definition, tree.EventType)),
        values["MATCH"],
        tuple(values.get("PARTITION", ())),
        tuple(values.get(OUTCOME, ())),
        span=span_of(scanned.tokens[0], scanned.tokens[-1]),
    )
    rule = resolve(rule, reporter)
    reporter.raise_if_failed()
    check(rule, reporter)
    reporter.raise_if_failed()
    starts = {name: start_of(clause[0]) for name, clause in clauses}
    return Source(rule, scanned.comments, reporter.diagnostics(), starts)


def expected(tokens: Sequence[Token]) -> AbstractSet[str]:
    """Return the kinds of tokens that may follow these; none if the last clause fits no grammar rule."""
    reporter = Reporter("", CODES)
    with reporting_to(reporter):
        return _CLAUSES.expected(_CLAUSES.split(_begun(tokens), reporter))


def typed(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens with words typed as keywords, units and names."""
    for index, token in enumerate(tokens):
        before = tokens[index - 1].type if index else ""
        after = tokens[index + 1].type if index + 1 < len(tokens) else ""
        word, kind = token.upper(), token.type
        word = SYNONYMS.get(word, word)
        if kind == "NAME":
            if before == "INTEGER" and word in UNITS:
                kind = "UNIT"
            elif word in KEYWORDS and (before != "DOT" or after == "LPAR"):
                kind = word
        if kind == "EVERY" and after != "LPAR" and index > 1 and tokens[index - 2].upper() == "COLLECT":
            kind = "EVERY_ITEM"
        yield token.of_kind(kind)


def _begun(tokens: Sequence[Token]) -> Iterator[tuple[Token, bool, str]]:
    """Yield the tokens with their kinds, whether they begin a clause, and the name of that clause."""
    before, depth, ended = "", 0, False
    for token in typed(tokens):
        name = OUTCOME if token.type in CLAUSES[-2:] else token.type
        begins = depth == 0 and name in _STARTS and not (name == OUTCOME and ended)
        begins = begins and not (name == "FROM" and before == "UNIT")
        ended = ended or (begins and name == OUTCOME)
        yield token, begins, name
        depth = max(0, depth + (token.type == "LPAR") - (token.type == "RPAR"))
        before = token.type


_CLAUSES = Clauses(
    Grammar(
        "parte.languages.lead.semantics.syntax",
        BUILDER,
        [f"{clause.lower()}_clause" for clause in _STARTS],
        Words(KEYWORDS, CLAUSES),
    ),
    _STARTS,
    ("FROM", "MATCH"),
    "a rule is written `FROM A, B MATCH A -> B EMIT Event Alarm(A.v)`",
    "the order is FROM, DEFINE, ENRICH, MATCH, PARTITION BY, EMIT or CHECK",
    {OUTCOME: CLAUSES[-2:]},
)
