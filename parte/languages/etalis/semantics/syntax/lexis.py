"""What the words, numbers and symbols of the language look like (specification: etalis-text)."""

from __future__ import annotations

import re

from parte.semantics.source.scanner import Lexis

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

_TOKEN = re.compile(
    r"""
      (?P<SPACE>[ \t\r\f\ufeff]+)
    | (?P<NEWLINE>\n)
    | (?P<COMMENT>%[^\n]*)
    | (?P<NAME>[A-Za-z_][A-Za-z0-9_]*)
    | (?P<FLOAT>[0-9]+\.[0-9]+)
    | (?P<INTEGER>[0-9]+)
    | (?P<STRING>"(?:[^"\\\n]|\\["\\nr])*")
    | (?P<UNTERMINATED>"[^\n]*)
    | (?P<FOREIGN>:-|=:=|=<|=>|==|<>|\\=)
    | (?P<SYMBOL><-|!=|<=|>=|[()\[\],.+*/=<>-])
    | (?P<UNKNOWN>[^ \t\r\f\n"A-Za-z0-9_()\[\],.+*/=<>-]+?)
    """,
    re.VERBOSE,
)

_HINTS = {
    "'": 'strings stand in double quotes: `"…"`',
    ";": "alternatives are joined by OR, and a rule ends with `.`",
    ":": "a rule is written `head <- pattern.`",
    "!": "unequal is written `!=`; what is absent is written `NOT(c).[a, b]`",
    "{": "programs have no braces",
    "}": "programs have no braces",
}

LEXIS = Lexis(_TOKEN, SYMBOLS, ("%",), _FOREIGN, _HINTS)

OPERATORS = ("SEQ", "AND", "PAR", "OR", "EQUALS", "MEETS", "DURING", "STARTS", "FINISHES")
WORDS = {word: kind for kind in (*OPERATORS, "WHERE", "NOT") for word in (kind, kind.lower())} | {
    "true": "TRUE",
    "false": "FALSE",
}
"""The words that are neither names nor variables, with their kinds: operators in large or in small letters."""
