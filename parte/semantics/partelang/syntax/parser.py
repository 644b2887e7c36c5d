"""From text to the source tree (specification: syntax, linear-parsing; D fig. 4.1).

The grammar is LALR(1) and the parser is driven by a table, without backtracking and recursion. After a syntax error the
parser starts again at the next declaration.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import cast

from parte.semantics.events.duration import UNITS
from parte.semantics.partelang.syntax.ast import Declaration, Import, SourceProgram
from parte.semantics.partelang.syntax.builder import BUILDER
from parte.semantics.partelang.syntax.codes import CODES
from parte.semantics.partelang.syntax.expectations import (
    ADDED,
    BRACKETS,
    CLAUSE_WORDS,
    CLAUSES,
    CONNECTIVES,
    EXPECTED,
    KEYWORDS,
    LEVEL_2,
    SELECTIONS,
    Situation,
)
from parte.semantics.partelang.syntax.lexis import LEXIS, LEXIS_1
from parte.semantics.source.automaton import Parser, UnexpectedToken
from parte.semantics.source.building import reporting_to
from parte.semantics.source.parts import Grammar, reading
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.scanner import Scan, end_of, span_of
from parte.semantics.source.spans import NOWHERE, Position, Span
from parte.semantics.source.tokens import Token

_GRAMMAR = Grammar("parte.semantics.partelang.syntax", BUILDER, ["start"])
_ENTRY = {"TYPE": "EQUAL", "TEMPLATE": "LBRACE", "PREDICATE": "LPAR", "RULE": "WHERE", "PATTERN": "LPAR"}
"""The token after the name of a declaration, by its keyword."""

# A keyword is the name of an attribute always after these kinds of tokens, ...
_BEFORE_ATTRIBUTE = frozenset({"DOT", "EQUAL", "COMPARISON", "PLUS", "MINUS", "STAR", "SLASH"})
# ... and elsewhere in lists and expressions if a token of these kinds follows.
_AFTER_ATTRIBUTE = _BEFORE_ATTRIBUTE | {"COLON", "_COMMA", "RPAR"}


_HEADER = {1: 0, 2: 2}
"""The number of tokens before the first declaration, by level."""


def parse_source(text: str) -> SourceProgram:
    """Return the source tree of a program; raise ProgramError with all syntax errors if there are any."""
    with reading(text, LEXIS, CODES) as (scanned, reporter):
        level = level_of(scanned.tokens)
        sign = next((token for token in scanned.tokens if token.type in ADDED), None) if level == 1 else None
        if sign is None:
            parsed = _parse(scanned, reporter, level)
        elif not scanned.damaged_lines and "$END" in expected(scanned.tokens, 2):
            _report_level(sign, reporter)
            sign, parsed = None, ()
    if sign is not None:  # It has no meaning at level 1.
        with reading(text, LEXIS_1, CODES) as (scanned, reporter):
            parsed = _parse(scanned, reporter, level)
    reporter.raise_if_failed()
    span = span_of(*scanned.tokens[:2]) if level > 1 else NOWHERE
    imports = tuple(item for item in parsed if isinstance(item, Import))
    declarations = tuple(item for item in parsed if not isinstance(item, Import))
    return SourceProgram(declarations, level, imports, level_span=span, comments=scanned.comments, text=text)


def level_of(tokens: Sequence[Token]) -> int:
    """Return the level of the language in which a text is written: 2 if it begins with `level 2`."""
    return 2 if [str(token) for token in tokens[:2]] == ["level", "2"] else 1


def expected(tokens: Sequence[Token], level: int | None = None) -> AbstractSet[str]:
    """Return the kinds of tokens that may follow these, which begin with a declaration; none if they fit no rule.

    The level is that which the tokens name, if none is given.
    """
    named = level_of(tokens)
    with reporting_to(Reporter("", CODES)):
        parser = _GRAMMAR.parser("start")
        stuck = _feed(parser, tokens, _HEADER[named], level or named)
        kinds = parser.accepts() if stuck in (None, len(tokens)) else frozenset[str]()
        return kinds if (level or named) > 1 else kinds - {*ADDED, "TIMESTAMP"}


def _parse(scanned: Scan, reporter: Reporter, level: int) -> tuple[Import | Declaration, ...]:
    """Parse the tokens. Text after a syntax error is checked too, but then the result is useless."""
    tokens, position = scanned.tokens, _HEADER[level]
    while True:
        parser = _GRAMMAR.parser("start")
        failed_at = _feed(parser, tokens, position, level)
        if failed_at is None:
            return tuple(cast(Iterable[Import | Declaration], parser.feed_eof()))
        if level == 1 and failed_at < len(tokens) and "$END" in expected(tokens, 2):
            _report_level(tokens[failed_at], reporter)
            return ()
        _report(parser, tokens, failed_at, level, scanned.damaged_lines, reporter)
        following = _next_declaration(tokens, max(failed_at, position + 1), level)
        if following is None:
            return ()
        position = following


def _report_level(token: Token, reporter: Reporter) -> None:
    """Report the first token that has its meaning at level 2 only."""
    message = f"`{token}` has a meaning here in programs of level 2 only"
    reporter.report("needs-level-2", span_of(token), message, "begin the program with `level 2`")


def _feed(parser: Parser, tokens: Sequence[Token], position: int, level: int) -> int | None:
    """Feed the tokens from `position` on; return the index of the first that does not fit, or None."""
    feed = parser.feed_token
    previous = ""
    index = position
    braces, keys = 0, False
    try:
        for index in range(position, len(tokens)):
            token = tokens[index]
            if level == 1 and token.type == "TIMESTAMP":
                return index
            if token.type == "NAME":
                outside = level > 1 and braces == 0
                if outside and CLAUSE_WORDS.get(token.value) in parser.choices():
                    kind = CLAUSE_WORDS[token.value]
                elif keys:
                    kind = "NAME"
                else:
                    kind = _kind_of_word(parser, token.value, previous, tokens, index, level, outside)
                if kind != "NAME":
                    token = token.of_kind(kind)
            elif level > 1 and BRACKETS.get(token.type) in parser.choices():
                token = token.of_kind(BRACKETS[token.type])
            feed(token)
            keys = token.type == "PER" or (keys and token.type != "RPAR")
            previous = "DOT" if token.type == "STEP" else token.type
            braces += (previous == "LBRACE") - (previous == "RBRACE")
        index = len(tokens)
        if "$END" not in parser.accepts():
            return index
    except UnexpectedToken:
        return index
    return None


def _kind_of_word(
    parser: Parser, word: str, previous: str, tokens: Sequence[Token], index: int, level: int, outside: bool
) -> str:
    """Return the kind of a word by its place: a keyword, a unit or a name.

    `outside`: at level 2, outside of all braces, where conditions of `having` stand beside the words of clauses.
    """
    if previous == "INTEGER" and word in UNITS:
        return "UNIT"
    connective = CONNECTIVES.get(word) if level > 1 else None
    following = tokens[index + 1].type if index + 1 < len(tokens) else "$END"
    if level > 1 and word == "distinct":
        return "DISTINCT" if previous == "LPAR" and following == "NAME" else "NAME"
    keyword = KEYWORDS.get(word, (CLAUSES | SELECTIONS).get(word, connective) if level > 1 else None)
    if keyword is None:
        place = EXPECTED.get(word, "")
        return place if level > 1 and place in parser.choices() else "NAME"
    choices = parser.choices()
    if connective is not None and connective in choices:
        return connective
    if keyword in ("TRUE", "FALSE"):
        return keyword if keyword in choices or "NAME" not in choices else "NAME"
    if outside and previous != "DOT" and connective is None and (keyword in choices or "NAME" not in choices):
        return keyword
    if "NAME" not in choices or not (previous == "DOT" or "RBRACE" in choices or "STRING" in choices):
        return keyword
    if keyword in SELECTIONS.values():
        return "NAME"
    if connective is not None and word not in KEYWORDS:
        return "NAME" if following != "LPAR" else keyword
    return "NAME" if is_attribute(previous, following) else keyword


def is_attribute(previous: str, following: str) -> bool:
    """Return whether a keyword between tokens of these kinds is an attribute, in a list or an expression."""
    return previous in _BEFORE_ATTRIBUTE or following in _AFTER_ATTRIBUTE


def _next_declaration(tokens: Sequence[Token], position: int, level: int) -> int | None:
    """Return the index of the next token that begins a declaration."""
    words = KEYWORDS | {"pattern": "PATTERN"} if level > 1 else KEYWORDS
    for index in range(position, len(tokens) - 2):
        token = tokens[index]
        if token.type == "NAME" and (kind := words.get(token.value)) in _ENTRY:
            name, entry = tokens[index + 1], tokens[index + 2]
            entry_kind = KEYWORDS.get(entry.value, "") if entry.type == "NAME" else entry.type
            begins_line = index == 0 or tokens[index - 1].line != token.line
            if name.type == "NAME" and (begins_line or entry_kind == _ENTRY[kind or ""]):
                return index
    return None


def _report(
    parser: Parser, tokens: Sequence[Token], index: int, level: int, damaged: frozenset[int], reporter: Reporter
) -> None:
    """Report the syntax error at a token, or at the end."""
    previous = tokens[index - 1] if index else None
    token = tokens[index] if index < len(tokens) else None
    line = (token or previous or Token("", "")).line
    if line in damaged:
        return
    words = KEYWORDS if level == 1 else LEVEL_2 | KEYWORDS
    if token is not None and token.type == "NAME" and token.value in words:
        token = token.of_kind(words[token.value])
    if level == 1 and token is not None and token.type == "TIMESTAMP":
        reporter.report("invalid-character", span_of(token), "`@` is no character of PARTElang", "remove it")
        return
    accepted = frozenset(parser.accepts())
    situation = Situation(previous, token, accepted if level > 1 else accepted - {*ADDED, "TIMESTAMP"})
    if token is not None:
        span = span_of(token)
    else:
        end = end_of(previous) if previous else Position(1, 1)
        span = Span(end, end)
    reporter.report("syntax-error", span, situation.message(), situation.hint())
