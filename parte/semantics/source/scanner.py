"""Words, numbers and symbols: the text of any language as tokens and comments.

Whether a word is a keyword depends on its place; so the scanner returns words as names, and the parser decides. The
scanner reports invalid text and replaces it, so that one mistake does not cause others.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from parte.semantics.source.comments import Comment
from parte.semantics.source.limits import (
    MAX_BRACKETS,
    MAX_NAME_CHARACTERS,
    MAX_NUMBER_CHARACTERS,
    MAX_SOURCE_CHARACTERS,
    MAX_TOKENS,
)
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.spans import Position, Span
from parte.semantics.source.tokens import Token

_FORBIDDEN = re.compile("[\x00\ud800-\udfff]")
_REPAIRED = frozenset({"FOREIGN", "UNTERMINATED", "UNKNOWN"})
_FORBIDDEN_REPORTED = 20
"""A file with more forbidden characters than this is not a text."""


@dataclass(frozen=True, slots=True)
class Lexis:
    """The form of the tokens of a language.

    `groups` has a regular expression for each of SPACE, NEWLINE, COMMENT, NAME, FLOAT, INTEGER, STRING, UNTERMINATED,
    FOREIGN, SYMBOL and UNKNOWN, and `pattern` is their alternation, which matches every character.
    `symbols` names the token of each symbol. `foreign` has operators of other languages, each with the symbol that
    replaces it and a hint. `hints` has, for characters without a meaning, what the writer may have meant. `quote`
    begins and ends strings.
    """

    groups: Mapping[str, str]
    pattern: re.Pattern[str]
    symbols: Mapping[str, str]
    comment_markers: tuple[str, ...]
    foreign: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    hints: Mapping[str, str] = field(default_factory=dict)
    quote: str = '"'


def lexis(
    symbols: Mapping[str, str],
    comments: Sequence[str],
    foreign: Mapping[str, tuple[str, str]],
    hints: Mapping[str, str],
    *,
    quote: str = "'",
    known: str = "",
    **patterns: str,
) -> Lexis:
    """Return a lexis with names, numbers, strings and symbols of the usual form.

    A string doubles the quotes in it. A character has no meaning if it is neither a symbol nor `known`. `patterns`
    replace the usual patterns, by the names of groups, or come before them.
    """
    single = "".join(sign for sign in (*symbols, *foreign) if len(sign) == 1)
    usual = {
        "SPACE": r"[ \t\r\f\ufeff]+",
        "NEWLINE": r"\n",
        "COMMENT": rf"(?:{_alternatives(comments)})[^\n]*",
        "NAME": "[A-Za-z_][A-Za-z0-9_]*",
        "FLOAT": r"[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+",
        "INTEGER": "[0-9]+",
        "STRING": rf"{quote}(?:[^{quote}\n]|{quote}{quote})*{quote}",
        "UNTERMINATED": rf"{quote}[^\n]*",
        "FOREIGN": _alternatives(foreign),
        "SYMBOL": _alternatives(symbols),
        "UNKNOWN": rf"[^ \t\r\f\nA-Za-z0-9_{re.escape(single + quote + known)}]+",
    }
    groups = {name: patterns[name] for name in patterns if name not in usual} | usual | patterns
    pattern = re.compile("|".join(f"(?P<{name}>{group})" for name, group in groups.items()))
    return Lexis(groups, pattern, symbols, tuple(comments), foreign, hints, quote)


def _alternatives(signs: Iterable[str]) -> str:
    """Return a regular expression for the signs, longer ones first; those of one character as one class."""
    ordered = sorted(signs, key=len, reverse=True)
    single = "".join(re.escape(sign) for sign in ordered if len(sign) == 1)
    return "|".join([re.escape(sign) for sign in ordered if len(sign) > 1] + [f"[{single}]"] * bool(single))


@dataclass(frozen=True, slots=True)
class Scan:
    """The tokens and comments of a text. Damaged lines had errors: what follows on them may be nonsense."""

    tokens: list[Token]
    comments: tuple[Comment, ...]
    damaged_lines: frozenset[int]
    complete: bool


def span_of(token: Token, last: Token | None = None) -> Span:
    """Return the span of a token, or of a sequence of tokens from `token` to `last`."""
    end = last or token
    return Span(Position(token.line, token.column), Position(end.line, end.end_column))


def start_of(token: Token) -> Position:
    """Return the position at which a token begins."""
    return Position(token.line, token.column)


def end_of(token: Token) -> Position:
    """Return the position at which a token ends."""
    return Position(token.line, token.end_column)


def scan(text: str, lexis: Lexis, reporter: Reporter) -> Scan:
    """Split a text into tokens."""
    if len(text) > MAX_SOURCE_CHARACTERS:
        _too_large(reporter, Position(1, 1), f"{len(text)} characters; at most {MAX_SOURCE_CHARACTERS} are read")
        return Scan([], (), frozenset(), complete=False)
    damaged = set[int]()
    text = _without_forbidden(text, reporter, damaged)
    tokens: list[Token] = []
    comments: list[Comment] = []
    line, line_start, last_line, brackets, named, complete = 1, 0, 0, 0, 0, True
    for match in lexis.pattern.finditer(text):
        kind = match.lastgroup or ""
        if kind == "SPACE":
            continue
        start, end = match.span()
        if kind == "NEWLINE":
            line, line_start = line + 1, end
            continue
        value, column, end_column = match.group(), start - line_start + 1, end - line_start + 1
        if kind == "SYMBOL":
            kind = lexis.symbols[value]
            if kind in ("LPAR", "LSQB"):
                brackets += 1
                if brackets == MAX_BRACKETS + 1:
                    message = f"more than {MAX_BRACKETS} brackets are open here"
                    _report(reporter, "nesting-too-deep", line, column, end_column, message, "split the expression")
                    complete = False
            elif kind in ("RPAR", "RSQB"):
                brackets = max(0, brackets - 1)
            elif kind in ("LBRACE", "RBRACE"):
                brackets = 0
        elif kind == "COMMENT":
            comments += _comments(value, lexis.comment_markers, Position(line, column), last_line != line)
            if "\n" in value:
                line, line_start = line + value.count("\n"), start + value.rindex("\n") + 1
            continue
        elif kind == "NAME":
            if len(value) > MAX_NAME_CHARACTERS:
                message = f"a name of {len(value)} characters; at most {MAX_NAME_CHARACTERS} are allowed"
                _report(reporter, "identifier-too-long", line, column, end_column, message, "choose a shorter name")
        elif kind in ("INTEGER", "FLOAT"):
            if len(value) > MAX_NUMBER_CHARACTERS:
                message = f"a number of {len(value)} characters; at most {MAX_NUMBER_CHARACTERS} are allowed"
                _report(reporter, "number-too-long", line, column, end_column, message, "round the number")
                value = "0" if kind == "INTEGER" else "0.0"
        elif kind in _REPAIRED:
            if kind == "UNKNOWN" and _continues_a_name(value[0]):
                damaged.add(line)
                if start >= named:  # report each name once
                    named = _report_name(text, start, reporter, line, column)
                continue
            replacement = _recover(lexis, kind, value, reporter, line, column, end_column)
            if kind != "FOREIGN":
                damaged.add(line)
            if replacement is None:
                continue
            kind, value = replacement
        if len(tokens) == MAX_TOKENS:
            _too_large(reporter, Position(line, column), f"more than {MAX_TOKENS} words, numbers and symbols")
            complete = False
            break
        tokens.append(Token(kind, value, start, line, column, line, end_column, end))
        last_line = line
    return Scan(tokens, tuple(comments), frozenset(damaged), complete)


def _comments(value: str, markers: Sequence[str], place: Position, own_line: bool) -> Iterator[Comment]:
    """Yield the lines of a comment, which is open if it begins with `/*` and has no end."""
    marker = next(marker for marker in markers if value.startswith(marker))
    body, block = value[len(marker) :], marker == "/*"
    if block:
        is_open = not body.endswith("*/")
        for number, row in enumerate(body.removesuffix("*/").split("\n")):
            start = Position(place.line + number, place.column if number == 0 else 1)
            span = Span(start, Position(start.line, start.column + len(row) + (len(marker) if number == 0 else 0)))
            yield Comment(row.strip(), own_line or number > 0, span, is_open)
    else:
        yield Comment(body.rstrip(), own_line, Span(place, Position(place.line, place.column + len(value))))


def _recover(
    lexis: Lexis, kind: str, value: str, reporter: Reporter, line: int, column: int, end_column: int
) -> tuple[str, str] | None:
    """Report text that is not a token, and return the kind and text of the token to take instead, or None."""
    if kind == "FOREIGN":
        instead, hint = lexis.foreign[value]
        _report(reporter, "invalid-operator", line, column, end_column, f"`{value}` is no operator", hint)
        return lexis.symbols[instead], instead
    if kind == "UNTERMINATED":
        message = "this string has no end on its line"
        hint = f"end it with `{lexis.quote}` on the line on which it begins"
        _report(reporter, "unterminated-string", line, column, end_column, message, hint)
        return "STRING", lexis.quote * 2
    hint = lexis.hints.get(value, "remove it, or put it into a string")
    code_point = f"U+{ord(value[0]):04X}"
    message = f"the character {code_point} has no meaning here"
    if value[0].isprintable():
        message = f"the character `{value[0]}` ({code_point}) has no meaning here"
    _report(reporter, "invalid-character", line, column, end_column, message, hint)
    return None


def _continues_a_name(character: str) -> bool:
    """Return whether a Unicode name may contain the character: a letter, a digit, a mark."""
    return f"_{character}".isidentifier()


def _report_name(text: str, place: int, reporter: Reporter, line: int, column: int) -> int:
    """Report a name with a character outside ASCII at a place, and return its end (specification: names)."""
    start, end = place, place + 1
    while start > max(0, place - MAX_NAME_CHARACTERS) and _continues_a_name(text[start - 1]):
        start -= 1
    while end < min(len(text), place + MAX_NAME_CHARACTERS) and _continues_a_name(text[end]):
        end += 1
    message = f"the name `{text[start:end]}` has the character `{text[place]}` (U+{ord(text[place]):04X})"
    hint = "write it with the letters A to Z and a to z, digits and underscores, in the trace too"
    _report(reporter, "invalid-character", line, column, column + end - place, message, hint)
    return end


def _without_forbidden(text: str, reporter: Reporter, damaged: set[int]) -> str:
    """Report NUL characters and lone surrogates, and replace them by spaces."""
    for match in itertools.islice(_FORBIDDEN.finditer(text), _FORBIDDEN_REPORTED):
        line = text.count("\n", 0, match.start()) + 1
        column = match.start() - text.rfind("\n", 0, match.start())
        damaged.add(line)
        if match.group() == "\x00":
            hint = r"remove it; in a string it is written `\u0000`"
            _report(reporter, "nul-character", line, column, column + 1, "a NUL character", hint)
        else:
            message = f"the surrogate U+{ord(match.group()):04X} is not a character"
            hint = "remove it; is the file saved as UTF-8?"
            _report(reporter, "lone-surrogate", line, column, column + 1, message, hint)
    return _FORBIDDEN.sub(" ", text)


def _report(reporter: Reporter, code: str, line: int, column: int, end_column: int, message: str, hint: str) -> None:
    reporter.report(code, Span(Position(line, column), Position(line, end_column)), message, hint)


def _too_large(reporter: Reporter, position: Position, message: str) -> None:
    reporter.report("source-too-large", Span(position, position), message, "split the program")
