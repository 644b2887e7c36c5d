"""How the text of each language is coloured: the one table from which the Pygments lexers and TextMate grammars come.

What words, numbers and symbols look like is taken from the scanners of the languages (`lexis.py`); this adds what their
words are. Whether a word is a keyword depends on its place; here the tokens beside it decide, which is what the parsers
do as far as one can know without parsing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from parte.languages.cel.semantics.syntax import lexis as cel
from parte.languages.etalis.semantics.syntax import lexis as etalis
from parte.languages.lead.semantics.syntax import lexis as lead
from parte.semantics.partelang.syntax import functions
from parte.semantics.partelang.syntax import lexis as partelang
from parte.semantics.partelang.syntax.builder import UNITS
from parte.semantics.partelang.syntax.core import Scalar
from parte.semantics.partelang.syntax.declarations import LIST
from parte.semantics.partelang.syntax.expectations import KEYWORDS
from parte.semantics.source.scanner import Lexis


class Kind(Enum):
    """What a piece of text is. The first six are kinds of words."""

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
    "STRING": Kind.STRING,
    "SYMBOL": Kind.SYMBOL,
}
"""The kinds of what the scanners find; what is not here is an error, but for words."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where some of the keywords are names: behind and ahead of what, as regular expressions for one token.

    An empty one is for any token, or none.
    """

    behind: str
    ahead: str
    words: frozenset[str]

    def holds(self, before: str, word: str, after: str) -> bool:
        """Whether this is the place of a word."""
        return word in self.words and _fits(self.behind, before) and _fits(self.ahead, after)


def _fits(pattern: str, token: str) -> bool:
    return not pattern or re.fullmatch(pattern, token) is not None


@dataclass(frozen=True, slots=True, eq=False)
class Colouring:
    """A language as editors and pages colour it. Words of a language that takes them in any case are in capitals.

    A unit is one after a whole number, a function before `(`.
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
        """The text in pieces: where each begins, what it is, and itself."""
        found = [(match.start(), match.lastgroup or "", match.group()) for match in self.lexis.pattern.finditer(text)]
        near = [
            ("", ""),
            *((token, value) for _, token, value in found if _OF_TOKENS.get(token) not in _PASSED),
            ("", ""),
        ]
        place, declaring = 0, False
        for start, token, value in found:
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


def piece(lexis: Lexis, token: str) -> str:
    """The regular expression of a kind of token, "" if the language has none."""
    found = re.search(rf"\(\?P<{token}>(.*)\)$", lexis.pattern.pattern, re.MULTILINE)
    return found[1] if found else ""


def _words(**kinds: Iterable[str]) -> dict[str, Kind]:
    return {word: Kind(kind) for kind, words in kinds.items() for word in words}


# --- PARTElang --------------------------------------------------------------------------------------------------------

_CONSTANTS = ("true", "false")
_OPERATORS = "!=|<=|>=|[=≠<≤>≥+*-]|/(?!/)"
_NO_CONSTANTS = frozenset(KEYWORDS) - {*_CONSTANTS}

PARTELANG = Colouring(
    "PARTElang",
    "parte",
    ".parte",
    partelang.LEXIS,
    _words(
        declaration=("type", "template", "predicate", "rule"),
        keyword=("where", "when", "in", "then", "emit", "at", "with"),
        operator=("no",),
        constant=_CONSTANTS,
        type=[scalar.value for scalar in Scalar],
        function=[*(function.name for function in functions.BUILT_IN), LIST],
    ),
    frozenset(UNITS),
    (
        Place(r"\.", "", frozenset(KEYWORDS)),
        Place("", ":", frozenset(KEYWORDS)),
        Place(_OPERATORS, "", _NO_CONSTANTS),
        Place("", rf"{_OPERATORS}|[.,)]", _NO_CONSTANTS),
    ),
)

# --- CEL --------------------------------------------------------------------------------------------------------------

CEL = Colouring(
    "CEL",
    "ceql",
    ".ceql",
    cel.LEXIS,
    _words(
        keyword=(*cel.CLAUSES, "ALL", "STRICT", "NXT", "NEXT", "LAST", "MAX", "NONE", "ANY", "BY"),
        operator=("FILTER", "OR", "AND", "NOT", "AS", "PROJ"),
        constant=("TRUE", "FALSE"),
    ),
    frozenset((*cel.UNITS, *cel.EVENTS)),
    (Place(r"\[", r"\]", cel.KEYWORDS),),
    any_case=True,
)

# --- ETALIS -----------------------------------------------------------------------------------------------------------

ETALIS = Colouring(
    "ETALIS",
    "etalis",
    ".etalis",
    etalis.LEXIS,
    _words(
        keyword=("WHERE", "where"),
        operator=[word for each in (*etalis.OPERATORS, "NOT") for word in (each, each.lower())],
        constant=("true", "false"),
    ),
    frozenset(),
)

# --- LEAD -------------------------------------------------------------------------------------------------------------

_LEAD_DECLARATIONS = ("TIMEEVENT", "EVENTTYPE", "EVENT")
_LEAD_OPERATORS = ("FOLLOWED", "OR", "AND", "NOT", "WITHIN")
_LEAD_CONSTANTS = ("TRUE", "FALSE")
_LEAD_KEYWORDS = {*lead.KEYWORDS, *lead.SYNONYMS}

LEAD = Colouring(
    "LEAD",
    "lead",
    ".lead",
    lead.LEXIS,
    _words(
        keyword=sorted(_LEAD_KEYWORDS - {*_LEAD_DECLARATIONS, *_LEAD_OPERATORS, *_LEAD_CONSTANTS}),
        declaration=_LEAD_DECLARATIONS,
        operator=_LEAD_OPERATORS,
        constant=_LEAD_CONSTANTS,
    ),
    frozenset(lead.UNITS),
    (Place(r"\.", r"(?!\().*", frozenset(_LEAD_KEYWORDS)),),
    any_case=True,
)

COLOURINGS = (PARTELANG, CEL, ETALIS, LEAD)
"""Every language; another one joins here."""
