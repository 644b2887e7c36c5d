"""The parser of programs (specification: etalis-text).

A rule ends with a full stop, so the parser splits the tokens into rules first, and parses each rule by itself: a
mistake in one rule hides none in another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import cast

from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.builder import BUILDER
from parte.languages.etalis.semantics.syntax.checking import check
from parte.languages.etalis.semantics.syntax.codes import CODES
from parte.languages.etalis.semantics.syntax.lexis import LEXIS, OPERATORS, WORDS
from parte.semantics.source.building import reporting_to
from parte.semantics.source.comments import Comment
from parte.semantics.source.diagnostics import Diagnostic
from parte.semantics.source.parts import Grammar, Words, reading
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.scanner import end_of
from parte.semantics.source.spans import Position, Span
from parte.semantics.source.tokens import Token


@dataclass(frozen=True, slots=True)
class Source:
    """A program, and the comments and warnings of its text."""

    program: tree.Program
    comments: tuple[Comment, ...] = field(compare=False)
    warnings: tuple[Diagnostic, ...] = field(compare=False)


def parse(text: str) -> tree.Program:
    """Return the program that a text contains. Raise ProgramError with every error found if it contains none."""
    return parse_source(text).program


def parse_source(text: str) -> Source:
    """Return the program as `parse` does, with its comments and warnings."""
    with reading(text, LEXIS, CODES) as (scanned, reporter):
        rules = [_GRAMMAR.parse("rule", part, scanned.damaged_lines, reporter) for part in split(scanned.tokens)]
    whole = tuple(cast(tree.Rule, rule) for rule in rules if rule is not None)
    end = end_of(scanned.tokens[-1]) if scanned.tokens else Position(1, 1)
    program = tree.Program(whole, span=Span(Position(1, 1), end))
    check(program, reporter)
    reporter.raise_if_failed()
    return Source(program, scanned.comments, reporter.diagnostics())


def expected(tokens: Sequence[Token]) -> AbstractSet[str]:
    """Return the kinds of tokens that may follow these; none if the last rule fits no grammar rule."""
    *_, last = [[], *split(tokens)]
    with reporting_to(Reporter("", CODES)):
        return _GRAMMAR.expected_after("rule", [] if last and last[-1].type == "STOP" else last)


def split(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Yield the tokens of each rule, with the full stop at its end; a full stop before a length or the ends of a
    negation ends no rule."""
    rule: list[Token] = []
    for index, token in enumerate(tokens):
        rule.append(_typed(token))
        before = tokens[index - 1].type if index else ""
        after = tokens[index + 1].type if index + 1 < len(tokens) else ""
        if token.type == "DOT" and not (before == "RPAR" and after in ("INTEGER", "FLOAT", "LSQB")):
            rule[-1] = token.of_kind("STOP")
            yield rule
            rule = []
    if rule:
        yield rule


def _typed(token: Token) -> Token:
    """Return a word as an operator, a name or a variable."""
    if token.type != "NAME":
        return token
    kind = WORDS.get(token.value, "LOWER" if token.value[0].islower() else "UPPER" if token.value[0] != "_" else "NAME")
    return token.of_kind("OPERATOR" if kind in OPERATORS else kind)


_WORDS = Words(frozenset({"OPERATOR", "WHERE", "NOT"}), (*OPERATORS, "WHERE"))
_GRAMMAR = Grammar("parte.languages.etalis.semantics.syntax", BUILDER, ["rule"], _WORDS)
