"""The parser of queries (specification: eql-text).

Brackets, `until` and `|` begin parts of a query, so the parser splits the tokens into parts first, and parses each part
by itself: a mistake in one part hides none in another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.builder import BUILDER
from parte.languages.eql.semantics.syntax.checking import check
from parte.languages.eql.semantics.syntax.codes import CODES
from parte.languages.eql.semantics.syntax.lexis import AFTER, KINDS, LEXIS
from parte.semantics.source.comments import Comment
from parte.semantics.source.diagnostics import Diagnostic
from parte.semantics.source.parts import Grammar, Words, reading
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.scanner import span_of
from parte.semantics.source.spans import NOWHERE, Position, Span
from parte.semantics.source.tokens import Token

_ORDER = {"sequence": 0, "sample": 0, "event": 0, "stage": 1, "until": 2, "pipe": 3}
_OTHER_PIPES = ("count", "unique", "unique_count", "filter", "sort")


@dataclass(frozen=True, slots=True)
class Source:
    """A query, the comments and warnings of its text, and the places where its parts begin."""

    query: tree.Query
    comments: tuple[Comment, ...] = field(compare=False)
    warnings: tuple[Diagnostic, ...] = field(compare=False)
    places: tuple[Position, ...] = field(compare=False)


def parse(text: str) -> tree.Query:
    """Return the query that a text contains. Raise ProgramError with every error found if it contains none."""
    return parse_source(text).query


def parse_source(text: str) -> Source:
    """Return the query as `parse` does, with its comments, warnings and places of parts."""
    with reading(text, LEXIS, CODES) as (scanned, reporter):
        if scanned.comments and (last := scanned.comments[-1]).open:
            reporter.report("unterminated-comment", last.span, "this comment has no end", "end it with `*/`")
        parts = split(scanned.tokens, reporter)
        values = [
            (name, _GRAMMAR.parse(f"{name}_part", tokens, scanned.damaged_lines, reporter)) for name, tokens in parts
        ]
        if not parts:
            hint = "write `process where true`, or `sequence [process where true] [file where true]`"
            reporter.report("syntax-error", NOWHERE, "expected a query, found none", hint)
        reporter.raise_if_failed()
        query = _query(values, span_of(scanned.tokens[0], scanned.tokens[-1]))
        check(query, reporter)
    reporter.raise_if_failed()
    places = tuple(span_of(tokens[0]).start for _, tokens in parts)
    return Source(query, scanned.comments, reporter.diagnostics(), places)


def _query(values: Sequence[tuple[str, Any]], span: Span) -> tree.Query:
    (name, first), *_ = values
    pipes = tuple(value for part, value in values if part == "pipe")
    stages = tuple(value for part, value in values if part == "stage")
    if name == "event":
        return tree.Single(first, pipes, span=span)
    by, maxspan = first.value
    if name == "sample":
        return tree.Sample(by, stages, span=span)
    until = next((value for part, value in values if part == "until"), None)
    return tree.Sequence(by, maxspan, stages, until, pipes, span=span)


def typed(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield the words as keywords, units and names."""
    before = ""
    for token in tokens:
        kind = token.type
        if kind == "NAME":
            kind = AFTER.get(before, {}).get(token.value) or KINDS.get(token.value, "NAME")
        before = kind
        yield token.of_kind(kind)


def split(tokens: Sequence[Token], reporter: Reporter) -> list[tuple[str, list[Token]]]:
    """Return the parts of a query with their kinds; report what EQL has elsewhere, and parts at a wrong place."""
    parts: list[tuple[str, list[Token]]] = []
    several, before, latest = False, "", 0
    for token in typed(tokens):
        kind, name = token.type, ""
        if not parts:
            if token == "join":  # read as a sequence, so that the errors behind it are found
                _unsupported(token, "`join`", reporter)
                token, kind = token.of_kind("SEQUENCE"), "SEQUENCE"
            name = kind.lower() if kind in ("SEQUENCE", "SAMPLE") else "event"
            several = name != "event"
        elif kind == "PIPE":
            name = "pipe"
        elif several and kind == "UNTIL":
            name = "until"
        elif several and (kind == "BANG" or (kind == "LSQB" and before != "BANG")):
            name = "stage" if before != "UNTIL" else ""
        if name:
            _ordered(name, latest, parts[0][0] if parts else "", token, reporter)
            parts.append((name, []))
            latest = max(latest, _ORDER[name])
        parts[-1][1].append(token)
        before = kind
    return [part for part in parts if not _elsewhere(part[1], reporter)]


def _ordered(name: str, latest: int, first: str, token: Token, reporter: Reporter) -> None:
    """Report a part behind one that comes later in the order, or that its query cannot have. `first` is the first part,
    empty before it."""
    hint = "the order is: stages in brackets, `until`, pipes"
    if _ORDER[name] < latest:
        reporter.report("misplaced-part", span_of(token), f"a part `{token}` stands too late", hint)
    elif first == "sample" and name != "stage":
        reporter.report("misplaced-part", span_of(token), f"a sample has no `{token}`", "leave it out")
    elif name == "until" and latest == _ORDER[name]:
        reporter.report("repeated-part", span_of(token), "there is an `until` already", "join the two by `or`")


def _elsewhere(tokens: Sequence[Token], reporter: Reporter) -> bool:
    """Report what EQL has in other implementations only. Return whether the part is to be skipped."""
    for token, after in zip(tokens, [*tokens[1:], None], strict=True):
        if token.type == "PIPE" and after in _OTHER_PIPES:
            _unsupported(after, f"the pipe `{after}`", reporter)
            return True
        if token.type == "NAME" and after == "of" and token.value in ("child", "descendant", "event"):
            _unsupported(token, f"`{token} of`", reporter)
            return True
        if token.type == "RSQB" and after == "fork":
            _unsupported(after, "`fork`", reporter)
            return True
    return False


def _unsupported(token: Token | None, what: str, reporter: Reporter) -> None:
    assert token is not None
    hint = "it is no part of Elastic's EQL (specification: eql-refused); say it with a sequence"
    reporter.report("unsupported", span_of(token), f"{what} is not supported", hint)


def expected(tokens: Sequence[Token]) -> AbstractSet[str]:
    """Return the kinds of tokens that may follow these; none if the last part fits no grammar rule."""
    parts = split(tokens, Reporter("", CODES))
    if not parts:
        return {"SEQUENCE", "SAMPLE", "ANY", "NAME"} if not tokens else frozenset()
    name, last = parts[-1]
    kinds = _GRAMMAR.expected_after(f"{name}_part", last)
    if "$END" not in kinds:
        return kinds
    later = {"PIPE"} if parts[0][0] != "sample" else set[str]()
    later |= {"LSQB", "BANG"} if _ORDER[name] < 2 and parts[0][0] != "event" else set()
    return {*kinds, *later, *({"UNTIL"} if name == "stage" and parts[0][0] == "sequence" else ())}


_WORDS = Words(frozenset(KINDS.values()), names={kind: f"`{word}`" for word, kind in KINDS.items()})
_GRAMMAR = Grammar("parte.languages.eql.semantics.syntax", BUILDER, [f"{name}_part" for name in _ORDER], _WORDS)
