"""The words, numbers and symbols of the language (specification: etalis-text)."""

from __future__ import annotations

from parte.semantics.source.scanner import lexis

SYMBOLS = {
    "<-": "ARROW",
    ",": "_COMMA",
    "(": "LPAR",
    ")": "RPAR",
    "[": "LSQB",
    "]": "RSQB",
    ".": "DOT",
    "+": "PLUS",
    "-": "MINUS",
    "*": "TIMES",
    "/": "OVER",
} | dict.fromkeys(("=", "!=", "<", "<=", ">", ">="), "RELATION")

_FOREIGN = {
    ":-": ("<-", "a rule is written `head <- pattern.`"),
    "=<": ("<=", "at most is written `<=`"),
    "=>": (">=", "at least is written `>=`"),
    "==": ("=", "equal is written `=`"),
    "=:=": ("=", "equal is written `=`"),
    "<>": ("!=", "unequal is written `!=`"),
    "\\=": ("!=", "unequal is written `!=`"),
}

_HINTS = {
    "'": 'strings stand in double quotes: `"…"`',
    ";": "alternatives are joined by OR, and a rule ends with `.`",
    ":": "a rule is written `head <- pattern.`",
    "!": "unequal is written `!=`; what is absent is written `NOT(c).[a, b]`",
    "{": "programs have no braces",
    "}": "programs have no braces",
}

LEXIS = lexis(
    SYMBOLS,
    ("%",),
    _FOREIGN,
    _HINTS,
    quote='"',
    FLOAT=r"[0-9]+\.[0-9]+",
    STRING=r'"(?:[^"\\\n]|\\["\\nr])*"',
    UNKNOWN=r"[^ \t\r\f\ufeff\n]",
)

OPERATORS = ("SEQ", "AND", "PAR", "OR", "EQUALS", "MEETS", "DURING", "STARTS", "FINISHES")
WORDS = {word: kind for kind in (*OPERATORS, "WHERE", "NOT") for word in (kind, kind.lower())} | {
    "true": "TRUE",
    "false": "FALSE",
}
"""The words that are neither names nor variables, with their kinds: operators in upper or in lower case."""
