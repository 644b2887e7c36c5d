"""The colours of the text of a language: the tables for Pygments lexers and TextMate grammars.

The scanners of the languages (`lexis.py`) define words, numbers and symbols; a colouring adds the kinds of words.
Whether a word is a keyword depends on its place. The adjacent tokens decide here, which agrees with the parsers as far
as is possible without parsing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from parte.semantics.source.scanner import Lexis


class Kind(Enum):
    """The kinds of pieces of text. The first six are kinds of words."""

    DECLARATION = "declaration"
    KEYWORD = "keyword"
    OPERATOR = "operator"
    CONSTANT = "constant"
    TYPE = "type"
    FUNCTION = "function"
    UNIT = "unit"
    DECLARED = "declared"
    NAME = "name"
    NUMBER = "number"
    STRING = "string"
    SYMBOL = "symbol"
    COMMENT = "comment"
    SPACE = "space"
    ERROR = "error"


_OF_TOKENS = {
    "SPACE": Kind.SPACE,
    "NEWLINE": Kind.SPACE,
    "COMMENT": Kind.COMMENT,
    "FLOAT": Kind.NUMBER,
    "INTEGER": Kind.NUMBER,
    "TIMESTAMP": Kind.NUMBER,
    "STRING": Kind.STRING,
    "SYMBOL": Kind.SYMBOL,
}
"""The kinds of the tokens of the scanners; any other token is an error, except words."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place at which some keywords are names: the tokens behind and ahead of it, as regular expressions for one
    token.

    An empty expression matches any token, or none.
    """

    behind: str
    ahead: str
    words: frozenset[str]

    def holds(self, before: str, word: str, after: str) -> bool:
        """Return whether this is the place of a word."""
        return word in self.words and _fits(self.behind, before) and _fits(self.ahead, after)


def _fits(pattern: str, token: str) -> bool:
    return not pattern or re.fullmatch(pattern, token) is not None


@dataclass(frozen=True, slots=True, eq=False)
class Colouring:
    """A language with its colours in editors and pages. If the language takes words in any case, they are in capitals.

    A unit counts only after a whole number, a function only before `(`.
    """

    language: str
    alias: str
    ending: str
    lexis: Lexis
    words: Mapping[str, Kind]
    units: frozenset[str]
    places: tuple[Place, ...] = ()
    any_case: bool = False

    def pieces(self, text: str) -> Iterator[tuple[int, Kind, str]]:
        """Yield the text in pieces: the offset of each, its kind, and its text."""
        tokens = [(match.start(), match.lastgroup or "", match.group()) for match in self.lexis.pattern.finditer(text)]
        near = [
            ("", ""),
            *((token, value) for _, token, value in tokens if _OF_TOKENS.get(token) not in _PASSED),
            ("", ""),
        ]
        place, declaring = 0, False
        for start, token, value in tokens:
            kind = _OF_TOKENS.get(token, Kind.ERROR)
            if kind not in _PASSED:
                place += 1
                if token == "NAME":
                    kind = self._word(near[place - 1], value, near[place + 1][1])
                    if kind is Kind.NAME and declaring:
                        kind = Kind.DECLARED
                declaring = kind is Kind.DECLARATION
            yield start, kind, value

    def _word(self, before: tuple[str, str], value: str, after: str) -> Kind:
        word = value.upper() if self.any_case else value
        if before[0] == "INTEGER" and word in self.units:
            return Kind.UNIT
        kind = self.words.get(word, Kind.NAME)
        if kind is Kind.FUNCTION:
            return kind if after == "(" else Kind.NAME
        return Kind.NAME if any(place.holds(before[1], word, after) for place in self.places) else kind


_PASSED = (Kind.SPACE, Kind.COMMENT)


def words_of(**kinds: Iterable[str]) -> dict[str, Kind]:
    """Return the words of each kind, by the names of the kinds in `Kind`."""
    return {word: Kind(kind) for kind, words in kinds.items() for word in words}
