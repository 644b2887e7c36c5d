"""Messages for syntax errors: expected and actual tokens, and a hint (specification: diagnostic-form)."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Set
from dataclasses import dataclass

from lark import Token

from parte.semantics.events.duration import unit_advice
from parte.semantics.source.parts import NAMES, cut, listed

_OPERAND = frozenset({"NAME", "STRING", "INTEGER", "FLOAT", "LPAR", "MINUS"})
_OPERATOR = frozenset({"PLUS", "MINUS", "STAR", "SLASH"})

_DESCRIPTIONS = NAMES | {
    "FLOAT": "a number",
    "LBRACE": "`{`",
    "RBRACE": "`}`",
    "EQUAL": "`=`",
    "MINUS": "`-`",
    "$END": "the end of the program",
}
KEYWORDS = {
    word: word.upper()
    for word in (
        *("type", "template", "predicate", "rule", "where", "no", "when", "in", "then"),
        *("emit", "at", "with", "true", "false"),
    )
}
CONNECTIVES = {"and": "AND", "or": "OR", "not": "NOT", "in": "AMONG"}
"""The words that level 2 has in conditions."""
DECLARATIONS = frozenset({"TYPE", "TEMPLATE", "PREDICATE", "RULE"})


@dataclass(frozen=True, slots=True)
class Situation:
    """The state of the parser at an error: the token before, the one that does not fit, and those that would fit.

    `found` is None at the end of the text.
    """

    previous: Token | None
    found: Token | None
    expected: Set[str]

    @property
    def in_expression(self) -> bool:
        """True if an operand has just ended."""
        return "PLUS" in self.expected

    def message(self) -> str:
        """Return the expected tokens and the actual one."""
        actual = "the end of the text" if self.found is None else _described(self.found)
        return f"expected {listed(list(self._alternatives()))}, found {actual}"

    def _alternatives(self) -> Iterator[str]:
        expected = set(self.expected)
        if self.in_expression:
            yield "an operator"
            expected -= {*_OPERATOR, "EQUAL", "COMPARISON", "DOT", "LPAR", "UNIT", "NAME", "STRING"}
            expected -= {"INTEGER", "FLOAT", "TRUE", "FALSE", *CONNECTIVES.values()}
        elif expected >= _OPERAND:
            yield "an expression"
            expected -= {*_OPERAND, "TRUE", "FALSE", "NOT"}
        elif expected >= {"NO", "NAME"}:
            yield "a constraint" if self._after_when() else "a pattern"
            expected -= {"NO", "NAME"}
        if {"MINUS", "INTEGER"} == expected:
            expected = set()
            yield "a duration"
        declarations = expected >= DECLARATIONS
        if declarations:
            expected -= {*DECLARATIONS, "$END"}
        for kind in sorted(expected, key=lambda kind: (kind == "_COMMA", kind)):
            yield _DESCRIPTIONS.get(kind, f"`{kind.lower()}`")
        if declarations:
            yield "a declaration"

    def _after_when(self) -> bool:
        return "WHEN" not in self.expected

    def hint(self) -> str:
        """Return a hint how to correct the error."""
        kind = self.found.type if self.found else "$END"
        before = self.previous.type if self.previous else ""
        expected = self.expected
        if (word := self._misspelt()) is not None:
            return f"did you mean `{word}`?"
        if before == "NAME" and self.previous == "not":
            return _ELSEWHERE["not"]
        if kind == "NAME" and self.found is not None and self.found.lower() in _ELSEWHERE:
            return _ELSEWHERE[self.found.lower()]
        if kind in ("EQUAL", "COMPARISON") and self.in_expression:
            return "comparisons do not chain: write two conditions, or put one comparison into parentheses"
        if kind == "DOT" and (before == "INTEGER" or ("FLOAT" in expected and not self.in_expression)):
            return "a Float has digits on both sides of its point, as in `0.5`"
        if before == "INTEGER" and kind == "NAME" and self.found is not None:
            advice = unit_advice(self.found.value)
            if "is written" in advice:
                return advice
        if "UNIT" in expected and not self.in_expression:
            return "write a unit after the number: ms, seconds, minutes, hours or days"
        if kind == "IN" and expected == {"COLON"}:
            return "constraints stand after `when`: it is missing before this one"
        if kind == "EMIT" and "THEN" in expected:
            return "emissions stand after `then`"
        if kind == "LBRACE" and "WITH" in expected:
            return "assignments stand after `with`"
        if kind == "PLUS":
            return "a positive number has no sign"
        if kind == "SEMICOLON" and "SEMICOLON" not in expected:
            return "`;` stands in list types only, as in `[String; 3]`"
        if "RBRACE" in expected and (kind == "$END" or kind in DECLARATIONS or kind in _CLAUSES):
            return "is a `}` missing before this?"
        if "RBRACE" in expected and self.in_expression:
            return "conditions and assignments are separated by commas and end with `}`"
        if self.found is not None and "NAME" in expected and kind in (*KEYWORDS.values(), *CONNECTIVES.values()):
            return f"`{self.found.value}` is a keyword: choose another name"
        if expected >= DECLARATIONS and not expected & {"NO", "NAME", "EMIT"}:
            return "a program consists of `type`, `template`, `predicate` and `rule` declarations"
        if {"LSQB", "RPAR"} <= expected:
            return "a predicate is written `predicate name(String, Float)`"
        return next((hint for sign, hint in _HINTS if sign in expected), "correct the text here")

    def _misspelt(self) -> str | None:
        """Return the keyword that is similar to the word, or to the one before it."""
        word, expected = self.found, self.expected
        if self.previous is not None and self.previous.type == "NAME" and expected <= {"COLON", "IN"}:
            # It was read as the variable of a pattern or of a constraint.
            word, expected = self.previous, _CLAUSES | DECLARATIONS
        if word is None or word.type != "NAME":
            return None
        words = [kind.lower() for kind in expected if kind.lower() in KEYWORDS]
        close = difflib.get_close_matches(word.value[:20].lower(), sorted(words), n=1, cutoff=0.7)
        return close[0] if close else None


_ELSEWHERE = {
    **dict.fromkeys(
        ("within", "before", "after", "during", "followed", "followed_by"),
        "time stands after `when`: `b in a [0 ms, 1 minutes]` says that b comes with a or at most a minute after it",
    ),
    **dict.fromkeys(("not", "absent"), "`no` says that an event is absent: `no b : Template { … }`"),
    **dict.fromkeys(
        ("event", "schema", "struct", "class", "record"),
        "events are declared by `template Name { slot : Integer }`",
    ),
    **dict.fromkeys(
        ("select", "from", "match", "pattern", "insert", "create"),
        "this is no PARTElang; programs of another language are read by `--language NAME`, or by their ending",
    ),
}
"""Words of other languages, and their equivalents in PARTElang."""

_CLAUSES = frozenset({"WHEN", "THEN", "EMIT", "WITH"})

_HINTS = (
    ("WHERE", "a rule is written `rule Name where …`"),
    ("IN", "a constraint is written `b in a [0 days, 14 days]`"),
    ("AT", "an emission is written `emit Template at a.timestamp with { … }`"),
    ("LSQB", "a constraint is written `b in a [0 days, 14 days]`; a list type `[String; 3]`"),
    ("RSQB", "is a `]` missing before this?"),
    ("COLON", "a pattern is written `variable : Template { … }`, a slot `name : Type`"),
    ("SEMICOLON", "a list type is written `[String; 3]`"),
    ("RPAR", "is a `)` missing before this?"),
    ("LBRACE", "is a `{` missing before this?"),
    ("EQUAL", "a value is given by `attribute = expression`, a type by `type Name = Type`"),
    ("RBRACE", "conditions, slots and assignments are separated by commas and end with `}`"),
    ("STRING", "an expression is an attribute, a constant, a call or a combination of these"),
    ("EMIT", "an emission is written `emit Template at a.timestamp with { … }`"),
    ("NO", "patterns come first, then `when` with constraints, then `then` with emissions"),
    ("NAME", "a name consists of letters, digits and underscores and begins with no digit"),
    ("INTEGER", "write a whole number"),
)


def _described(token: Token) -> str:
    value = cut(token)
    if token.type == "STRING":
        return f"the string {value}"
    if token.type in ("INTEGER", "FLOAT"):
        return f"the number {value}"
    return f"`{value}`"
