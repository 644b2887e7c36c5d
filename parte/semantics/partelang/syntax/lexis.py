"""The form of the words, numbers and symbols of PARTElang (specification: source-text, names)."""

from __future__ import annotations

from functools import partial

from parte.semantics.partelang.syntax.expectations import ADDED
from parte.semantics.source.scanner import lexis

SYMBOLS = {
    ",": "_COMMA",
    "{": "LBRACE",
    "}": "RBRACE",
    "(": "LPAR",
    ")": "RPAR",
    "[": "LSQB",
    "]": "RSQB",
    ":": "COLON",
    ";": "SEMICOLON",
    "?": "QUESTION",
    ".": "DOT",
    "=": "EQUAL",
    "+": "PLUS",
    "-": "MINUS",
    "*": "STAR",
    "/": "SLASH",
} | dict.fromkeys(("!=", "≠", "<=", "≤", ">=", "≥", "<", ">"), "COMPARISON")

_FOREIGN = {
    "==": ("=", "equality is written `=`"),
    "<>": ("!=", "inequality is written `!=`"),
    "=<": ("<=", "at most is written `<=`"),
    "=>": (">=", "at least is written `>=`"),
    ":=": ("=", "assignments are written with `=`"),
    "&&": (",", "separate conditions by commas; a program that begins with `level 2` also has `and`"),
    "||": (",", "alternatives are joined by `or`, in a program that begins with `level 2`"),
}

_HINTS = {
    "'": 'strings stand in double quotes: `"…"`',
    "!": "a pattern is negated by `no`, a Boolean by `= false`",
}

_lexis = partial(
    lexis,
    comments=("//", "#"),
    foreign=_FOREIGN,
    hints=_HINTS,
    quote='"',
    known="#\ufeff",
    TIMESTAMP=r"@(?:[0-9]+-[0-9]+-[0-9]+(?:T[0-9:.]*)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?|-?[0-9]+)",
    STRING=r'"[^"\\\n]*(?:\\[^\n][^"\\\n]*)*"',
)
LEXIS = _lexis(SYMBOLS)
LEXIS_1 = _lexis({sign: kind for sign, kind in SYMBOLS.items() if kind not in ADDED})
"""The lexis of level 1, in which the symbols that level 2 adds have no meaning."""
