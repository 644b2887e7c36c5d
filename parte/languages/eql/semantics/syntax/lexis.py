"""The words, numbers and symbols of EQL (specification: eql-text). Keywords are written in lower case."""

from __future__ import annotations

from parte.languages.eql.semantics.syntax.tree import Unit
from parte.semantics.source.scanner import lexis

SYMBOLS = {
    ",": "_COMMA",
    "(": "LPAR",
    ")": "RPAR",
    "[": "LSQB",
    "]": "RSQB",
    ":": "COLON",
    "!": "BANG",
    "?": "QUESTION",
    "|": "PIPE",
    "=": "ASSIGN",
    "+": "PLUS",
    "-": "MINUS",
    "*": "TIMES",
    "/": "OVER",
    "%": "MODULO",
} | dict.fromkeys(("==", "!=", "<", "<=", ">", ">="), "RELATION")

_FOREIGN = {
    "=<": ("<=", "at most is written `<=`"),
    "=>": (">=", "at least is written `>=`"),
    "<>": ("!=", "unequal is written `!=`"),
    "&&": (",", "conditions are joined by `and`"),
    "||": (",", "conditions are joined by `or`"),
}
_HINTS = {"'": 'strings stand in double quotes: "…"', "`": "a name in backquotes ends on its line"}
_PART, _QUOTED = "[A-Za-z_@][A-Za-z0-9_@]*", "`(?:[^`\n]|``)+`"

LEXIS = lexis(
    SYMBOLS,
    ("//", "/*"),
    _FOREIGN,
    _HINTS,
    quote='"',
    COMMENT=r"//[^\n]*|/\*(?s:.*?)(?:\*/|\Z)",
    NAME=rf"(?:{_PART}|{_QUOTED})(?:\.(?:[A-Za-z0-9_@]+|{_QUOTED}))*~?",
    STRING=r'"""[^\n]*?""""{0,2}|"(?:[^"\\\n]|\\[^\n])*"',
)

KINDS = {word: word.upper() for word in ("sequence", "sample", "by", "with", "until", "where", "any", "and", "or")} | {
    **{word: word.upper() for word in ("not", "in", "like", "regex", "null", "true", "false")},
    "in~": "IN_FOLDED",
    "like~": "LIKE_FOLDED",
    "regex~": "REGEX_FOLDED",
}
"""The words that are no names, with the kinds of their tokens."""
AFTER = {
    "WITH": {"maxspan": "MAXSPAN", "runs": "RUNS"},
    "PIPE": {"head": "HEAD", "tail": "TAIL"},
    "INTEGER": {unit.name.lower(): "UNIT" for unit in Unit},
}
"""The words that are keywords after a token of some kind only."""
