"""The words, numbers and symbols of LEAD (specification: lead-text). Keywords may be in any case."""

from __future__ import annotations

from parte.semantics.source.scanner import lexis

SYMBOLS = {
    ",": "_COMMA",
    "(": "LPAR",
    ")": "RPAR",
    ".": "DOT",
    "->": "ARROW",
    "==>": "STEP",
    "!": "BANG",
    "+": "PLUS",
    "-": "MINUS",
    "*": "STAR",
} | dict.fromkeys(("==", "!=", "<", "<=", ">", ">="), "OPERATOR")

_FOREIGN = {
    "=<": ("<=", "at most is written `<=`"),
    "=>": (">=", "at least is written `>=`"),
    "=": ("==", "equal is written `==`"),
    "<>": ("!=", "unequal is written `!=`"),
    "&&": (",", "conditions and patterns are joined by `and`"),
    "||": (",", "alternatives are joined by `or`"),
}

_HINTS = {
    '"': "strings stand in single quotes: `'…'`",
    "{": "rules have no braces",
    "}": "rules have no braces",
    ";": "clauses are not separated; one pattern after another is written `->`",
}

LEXIS = lexis(
    SYMBOLS,
    ("//",),
    _FOREIGN,
    _HINTS,
    FOREIGN=r"=<|=>|<>|&&|\|\||=(?!=)",
    SYMBOL="==>|->|==|!=|<=(?!>)|>=|<(?![=>])|>|[().,!+*-]",
    UNKNOWN=r"[^ \t\r\f\n'A-Za-z0-9_().,!+*<>=-]+|<",
)

CLAUSES = ("FROM", "DEFINE", "ENRICH", "MATCH", "PARTITION", "EMIT", "CHECK")
"""The words that begin the clauses, in the order of the clauses; the last two begin the outcome."""

KEYWORDS = frozenset(
    (
        *CLAUSES,
        *("AS", "TIMEEVENT", "EVENTTYPE", "FOLLOWED", "BY", "WINDOW", "OR", "AND", "NOT", "WITHIN", "FILTER"),
        *("SUBCONTEXT", "RANGE", "TERMINATE", "MAX", "MIN", "WAIT", "FIRST", "LAST", "ADJ", "EVERY", "ALL"),
        *("CONSUME", "COLLECT", "ACCEPT", "INVALIDATE", "ANY", "WHERE", "END", "EVENT", "COUNT", "SUM", "AVG"),
        *("AT", "LEAST", "MOST", "BETWEEN", "TRUE", "FALSE"),
    )
)
"""Words that are no names, except behind a full stop."""

SYNONYMS = {"ADJACENT": "ADJ"}

UNITS = {
    **dict.fromkeys(("MS", "MILLISECOND", "MILLISECONDS"), "MS"),
    **dict.fromkeys(("S", "SEC", "SECOND", "SECONDS"), "SECONDS"),
    **dict.fromkeys(("MINUTE", "MINUTES"), "MINUTES"),
    **dict.fromkeys(("H", "HOUR", "HOURS"), "HOURS"),
    **dict.fromkeys(("D", "DAY", "DAYS"), "DAYS"),
}
"""The unit of time of a word behind a whole number."""
