"""The words, numbers and symbols of CEL (specification: cel-text). Keywords are case-insensitive."""

from __future__ import annotations

from parte.semantics.source.scanner import lexis

SYMBOLS = {
    ",": "_COMMA",
    "(": "LPAR",
    ")": "RPAR",
    "[": "LSQB",
    "]": "RSQB",
    ";": "SEMICOLON",
    ":": "COLON",
    ":+": "CONTIGUOUS_PLUS",
    "+": "PLUS",
    "*": "STAR",
    "-": "MINUS",
} | dict.fromkeys(("=", "==", "!=", "<>", "<", "<=", ">", ">="), "OPERATOR")

_FOREIGN = {
    "=<": ("<=", "at most is written `<=`"),
    "=>": (">=", "at least is written `>=`"),
    "&&": (",", "conditions are joined by AND"),
    "||": (",", "alternatives are joined by OR"),
}

_HINTS = {
    '"': "strings stand in single quotes: `'…'`",
    "!": "unequal is written `!=`; a predicate is negated by NOT",
    ".": "conditions write an attribute as `variable[attribute]`; SELECT names variables, since results have no values",
    "/": "conditions compute nothing (T §3.2 has no arithmetic): store the value as an attribute",
    "{": "queries have no braces",
    "}": "queries have no braces",
}

LEXIS = lexis(SYMBOLS, ("--",), _FOREIGN, _HINTS)

CLAUSES = ("SELECT", "FROM", "WHERE", "PARTITION", "WITHIN", "CONSUME")
"""The words that begin the clauses, in the order of the clauses."""

KEYWORDS = frozenset(
    (
        *CLAUSES,
        *("ALL", "STRICT", "NXT", "NEXT", "LAST", "MAX", "NONE", "ANY", "BY"),
        *("FILTER", "OR", "AND", "NOT", "AS", "PROJ", "TRUE", "FALSE"),
    )
)
"""Words that cannot be names, except attributes that stand alone in square brackets."""

UNITS = {
    "MS": "MS",
    "MILLISECOND": "MS",
    "MILLISECONDS": "MS",
    "SECOND": "SECONDS",
    "SECONDS": "SECONDS",
    "MINUTE": "MINUTES",
    "MINUTES": "MINUTES",
    "HOUR": "HOURS",
    "HOURS": "HOURS",
}
"""The unit of time that a word after a whole number names."""

EVENTS = ("EVENT", "EVENTS")
