"""From text to the source tree (specification: syntax, linear-parsing; D fig. 4.1).

The grammar is LALR(1) and drives a table; there is no backtracking and no recursion, whatever the text. After a
syntax error the parser starts again at the next declaration.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from importlib import resources
from typing import Protocol, cast

from lark import Lark, Token, UnexpectedToken

from parte.semantics.partelang.syntax.ast import Declaration, SourceProgram
from parte.semantics.partelang.syntax.builder import REPORTER, UNITS, Builder
from parte.semantics.partelang.syntax.codes import CODES
from parte.semantics.partelang.syntax.expectations import DECLARATIONS, KEYWORDS, Situation
from parte.semantics.partelang.syntax.lexis import LEXIS
from parte.semantics.source.collection import paused_collection
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.scanner import Scan, end_of, scan, span_of
from parte.semantics.source.spans import Position, Span


class _Table(Protocol):
    """What is used of lark's interactive parser."""

    def feed_token(self, token: Token) -> object: ...
    def feed_eof(self) -> object: ...
    def choices(self) -> Mapping[str, object]: ...
    def accepts(self) -> set[str]: ...


_ENTRY = {"TYPE": "EQUAL", "TEMPLATE": "LBRACE", "PREDICATE": "LPAR", "RULE": "WHERE"}
"""What follows the name that follows the keyword of a declaration."""

# Where a keyword stands for an attribute: after these it always does, ...
_BEFORE_ATTRIBUTE = frozenset({"DOT", "EQUAL", "COMPARISON", "PLUS", "MINUS", "STAR", "SLASH"})
# ... and elsewhere in lists and expressions if one of these follows.
_AFTER_ATTRIBUTE = _BEFORE_ATTRIBUTE | {"COLON", "_COMMA", "RPAR"}


def parse_source(text: str) -> SourceProgram:
    """Read a program; ProgramError with every syntax error found if it is none."""
    reporter = Reporter(text, CODES)
    with paused_collection():
        found = scan(text, LEXIS, reporter)
    token = REPORTER.set(reporter)
    try:
        with paused_collection():
            declarations = _parse(found, reporter) if found.complete else ()
    finally:
        REPORTER.reset(token)
    reporter.raise_if_failed()
    return SourceProgram(declarations, comments=found.comments, text=text)


def expected(tokens: Sequence[Token]) -> AbstractSet[str]:
    """The kinds of tokens that may follow these, with which a declaration begins; none if they fit no grammar rule."""
    token = REPORTER.set(Reporter("", CODES))
    try:
        parser = cast(_Table, _lark().parse_interactive())
        stuck = _feed(parser, tokens, 0)
        return parser.accepts() if stuck in (None, len(tokens)) else frozenset()
    finally:
        REPORTER.reset(token)


@functools.cache
def _lark() -> Lark:
    grammar = resources.files("parte.semantics.partelang.syntax").joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", transformer=Builder(), maybe_placeholders=True)


def _parse(found: Scan, reporter: Reporter) -> tuple[Declaration, ...]:
    """Parse the tokens; what follows a syntax error is checked too, but then nothing of worth is returned."""
    tokens, position = found.tokens, 0
    while True:
        parser = cast(_Table, _lark().parse_interactive())
        failed_at = _feed(parser, tokens, position)
        if failed_at is None:
            return cast(tuple[Declaration, ...], parser.feed_eof())
        _report(parser, tokens, failed_at, found.damaged_lines, reporter)
        following = _next_declaration(tokens, max(failed_at, position + 1))
        if following is None:
            return ()
        position = following


def _feed(parser: _Table, tokens: Sequence[Token], position: int) -> int | None:
    """Feed the tokens from `position` on; the index of the first that does not fit, or None."""
    feed = parser.feed_token
    previous = ""
    index = position
    try:
        for index in range(position, len(tokens)):
            token = tokens[index]
            if token.type == "NAME":
                kind = _kind_of_word(parser, token.value, previous, tokens, index)
                if kind != "NAME":
                    token = Token.new_borrow_pos(kind, token.value, token)
            feed(token)
            previous = token.type
        index = len(tokens)
        if "$END" not in parser.accepts():
            return index
    except UnexpectedToken:
        return index
    return None


def _kind_of_word(parser: _Table, word: str, previous: str, tokens: Sequence[Token], index: int) -> str:
    """Whether a word is a keyword, a unit or a name: that depends on its place."""
    if previous == "INTEGER" and word in UNITS:
        return "UNIT"
    keyword = KEYWORDS.get(word)
    if keyword is None:
        return "NAME"
    choices = parser.choices()
    if keyword in ("TRUE", "FALSE"):
        return keyword if keyword in choices or "NAME" not in choices else "NAME"
    if "NAME" not in choices or not (previous == "DOT" or "RBRACE" in choices or "STRING" in choices):
        return keyword
    following = tokens[index + 1].type if index + 1 < len(tokens) else "$END"
    return "NAME" if is_attribute(previous, following) else keyword


def is_attribute(previous: str, following: str) -> bool:
    """Whether a keyword stands for an attribute, in a list or an expression, between tokens of these kinds."""
    return previous in _BEFORE_ATTRIBUTE or following in _AFTER_ATTRIBUTE


def _next_declaration(tokens: Sequence[Token], position: int) -> int | None:
    """The index of the next token that begins a declaration."""
    for index in range(position, len(tokens) - 2):
        token = tokens[index]
        if token.type == "NAME" and (kind := KEYWORDS.get(token.value)) in DECLARATIONS:
            name, entry = tokens[index + 1], tokens[index + 2]
            entry_kind = KEYWORDS.get(entry.value, "") if entry.type == "NAME" else entry.type
            begins_line = index == 0 or tokens[index - 1].line != token.line
            if name.type == "NAME" and (begins_line or entry_kind == _ENTRY[kind or ""]):
                return index
    return None


def _report(parser: _Table, tokens: Sequence[Token], index: int, damaged: frozenset[int], reporter: Reporter) -> None:
    """Report the syntax error at a token, or at the end."""
    previous = tokens[index - 1] if index else None
    found = tokens[index] if index < len(tokens) else None
    line = (found or previous or Token("", "", line=1)).line
    if line in damaged:
        return
    if found is not None and found.type == "NAME" and found.value in KEYWORDS:
        found = Token.new_borrow_pos(KEYWORDS[found.value], found.value, found)
    situation = Situation(previous, found, frozenset(parser.accepts()))
    if found is not None:
        span = span_of(found)
    else:
        end = end_of(previous) if previous else Position(1, 1)
        span = Span(end, end)
    reporter.report("syntax-error", span, situation.message(), situation.hint())
