"""Parsing a text part by part, a clause or a rule each: one mistake hides none in another, and is told in words."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import NamedTuple, Protocol, cast

from lark import Lark, Token, UnexpectedToken

from parte.semantics.source.reporting import Reporter
from parte.semantics.source.scanner import end_of, span_of
from parte.semantics.source.spans import Span


class _Table(Protocol):
    """What is used of lark's interactive parser."""

    def feed_token(self, token: Token) -> object: ...
    def feed_eof(self, last: Token | None = None) -> object: ...
    def accepts(self) -> set[str]: ...


class Slip(NamedTuple):
    """What is often meant by a kind of token, None for the end, after another (or any), where some kinds could stand.

    The hint may have the word that was found, in capitals ({0}) and as it is ({1}).
    """

    before: str
    here: str | None
    ahead: frozenset[str]
    hint: str


@dataclass(frozen=True)
class Wording:
    """How syntax errors are told.

    `part` is what is parsed, `names` what kinds of tokens are called, `groups` what several are together. A word that
    is no keyword is held against the `keywords` that could stand there, and those `anywhere`. The hint is that of the
    first of the `slips` that fits, else of the first of `hints` whose kind could stand there.
    """

    part: str
    names: Mapping[str, str]
    groups: Sequence[tuple[frozenset[str], str]]
    hints: Sequence[tuple[str, str]]
    slips: Sequence[Slip]
    keywords: AbstractSet[str]
    anywhere: Sequence[str] = ()


def parse_part(
    lark: Lark, start: str, part: Sequence[Token], damaged: AbstractSet[int], wording: Wording, reporter: Reporter
) -> object:
    """What the tokens of a part say; None after an error, which is reported unless its line is damaged.

    Once a report is full, None at once: to put an error into words takes longer than to find it.
    """
    if reporter.overflowed:
        return None
    parser = cast(_Table, lark.parse_interactive(start=start))
    index = 0
    try:
        while index < len(part):
            parser.feed_token(part[index])
            index += 1
        if "$END" in parser.accepts():
            return parser.feed_eof()
    except UnexpectedToken:
        pass
    found = part[index] if index < len(part) else None
    previous = part[max(index - 1, 0)]
    if (found or previous).line not in damaged:
        end = end_of(previous)
        message, hint = _wrong(previous, found, frozenset(parser.accepts()), wording)
        reporter.report("syntax-error", span_of(found) if found else Span(end, end), message, hint)
    return None


def expected_after(lark: Lark, start: str, part: Sequence[Token]) -> AbstractSet[str]:
    """The kinds of tokens that may follow these in a part; none if no part begins with them."""
    parser = cast(_Table, lark.parse_interactive(start=start))
    try:
        for token in part:
            parser.feed_token(token)
    except UnexpectedToken:
        return frozenset()
    return parser.accepts()


def cut(token: Token) -> str:
    """A token as messages show it."""
    return token.value if len(token.value) <= 40 else f"{token.value[:40]}…"


def _wrong(previous: Token, found: Token | None, expected: AbstractSet[str], wording: Wording) -> tuple[str, str]:
    """What was expected and found, and what to do."""
    left = set(expected)
    alternatives: list[str] = []
    for kinds, name in wording.groups:
        if left >= kinds:
            alternatives.append(name)
            left -= kinds
    names = {"$END": f"the end of the {wording.part}"} | dict(wording.names)
    alternatives += [names.get(kind, f"`{kind.lower()}`") for kind in sorted(left)]
    listed = alternatives[0] if len(alternatives) == 1 else f"{', '.join(alternatives[:-1])} or {alternatives[-1]}"
    shown = f"`{cut(found)}`" if found is not None else names["$END"]
    return f"expected {listed}, found {shown}", _hint(previous, found, expected, wording)


def _hint(previous: Token, found: Token | None, expected: AbstractSet[str], wording: Wording) -> str:
    for word in (found, previous):
        if word is not None and word.type not in wording.keywords and word.isidentifier():
            words = {*(kind for kind in expected if kind in wording.keywords), *wording.anywhere}
            close = difflib.get_close_matches(word[:20].upper(), sorted(words), n=1, cutoff=0.75)
            if close:
                return f"did you mean {close[0]}?"
    for slip in wording.slips:
        if slip.before in ("", previous.type) and slip.here == (found and found.type) and slip.ahead <= expected:
            return slip.hint if found is None else slip.hint.format(found.upper(), found)
    return next((hint for sign, hint in wording.hints if sign in expected), "correct the text here")
