"""The form of the words, numbers and symbols of PARTElang (specification: source-text, names)."""

from __future__ import annotations

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
    "&&": (",", "conditions hold together: separate them by commas"),
    "||": (",", "alternatives are joined by `or`, in a program that begins with `level 2`"),
}

_HINTS = {
    "'": 'strings stand in double quotes: `"…"`',
    "!": "a pattern is negated by `no`, a Boolean by `= false`",
}

LEXIS = lexis(
    SYMBOLS,
    ("//", "#"),
    _FOREIGN,
    _HINTS,
    quote='"',
    known="#\ufeff",
    STRING=r'"[^"\\\n]*(?:\\[^\n][^"\\\n]*)*"',
)
