"""What the words, numbers and symbols of PARTElang look like (specification: source-text, names)."""

from __future__ import annotations

import re

from parte.semantics.source.scanner import Lexis

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
    "||": (",", "there is no `or`: write one rule for each alternative"),
}

_TOKEN = re.compile(
    r"""
      (?P<SPACE>[ \t\r\f\ufeff]+)
    | (?P<NEWLINE>\n)
    | (?P<COMMENT>(?://|\#)[^\n]*)
    | (?P<NAME>[A-Za-z_][A-Za-z0-9_]*)
    | (?P<FLOAT>[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+)
    | (?P<INTEGER>[0-9]+)
    | (?P<STRING>"[^"\\\n]*(?:\\[^\n][^"\\\n]*)*")
    | (?P<UNTERMINATED>"[^\n]*)
    | (?P<FOREIGN>==|<>|=<|=>|:=|&&|\|\|)
    | (?P<SYMBOL>!=|<=|>=|[{}()\[\],:;.=<>≤≥≠+\-*/])
    | (?P<UNKNOWN>[^ \t\r\f\n"A-Za-z0-9_{}()\[\],:;.=<>≤≥≠+\-*/\#\ufeff]+)
    """,
    re.VERBOSE,
)

_HINTS = {
    "'": 'strings stand in double quotes: `"…"`',
    "!": "a pattern is negated by `no`, a Boolean by `= false`",
}

LEXIS = Lexis(_TOKEN, SYMBOLS, ("//", "#"), _FOREIGN, _HINTS)
