"""Messages for syntax errors: expected and actual tokens, and a hint (specification: diagnostic-form)."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Set
from dataclasses import dataclass

from parte.semantics.events.duration import unit_advice
from parte.semantics.source.parts import NAMES, cut, listed
from parte.semantics.source.tokens import Token

_OPERAND = frozenset({"NAME", "STRING", "INTEGER", "FLOAT", "LPAR", "MINUS"})
_OPERATOR = frozenset({"PLUS", "MINUS", "STAR", "SLASH"})

_DESCRIPTIONS = NAMES | {
    "FLOAT": "a number",
    "LBRACE": "`{`",
    "RBRACE": "`}`",
    "EQUAL": "`=`",
    "MINUS": "`-`",
    "LOPEN": "`(`",
    "ROPEN": "`)`",
    "QUESTION": "`?`",
    "$END": "the end of the program",
}
KEYWORDS = {
    word: word.upper()
    for word in (
        *("type", "template", "predicate", "rule", "where", "no", "when", "in", "then"),
        *("emit", "at", "with", "true", "false"),
    )
}
CONNECTIVES = {"and": "AND", "or": "OR", "not": "NOT", "in": "AMONG", "is": "IS"}
"""The words that level 2 has in conditions."""
CLAUSE_WORDS = {"once": "ONCE", "per": "PER"}
"""The words that level 2 has outside braces."""
CLAUSES = {"having": "HAVING", "all": "ALL", "pattern": "PATTERN", "use": "USE", "end": "END"}
CLAUSES |= {"either": "EITHER", "import": "IMPORT"}
"""The words that level 2 has in rules, for named patterns and for other files."""
SELECTIONS = {"first": "FIRST", "last": "LAST"}
"""The words that level 2 has before the variable of a pattern, beside `all`."""
LEVEL_2 = CONNECTIVES | CLAUSES | CLAUSE_WORDS | SELECTIONS | {"distinct": "DISTINCT"}
"""The words of level 2."""
EXPECTED = {"present": "PRESENT", "missing": "MISSING", "ever": "EVER", "exports": "EXPORTS", "as": "AS"}
"""Words of level 2 that are words where nothing else is expected."""
BRACKETS = {"LPAR": "LOPEN", "RPAR": "ROPEN", "DOT": "STEP"}
"""The kinds that signs have in places of level 2 only: round brackets at open ends of windows, dots in variables."""
ADDED = frozenset({*LEVEL_2.values(), *EXPECTED.values(), *BRACKETS.values(), "QUESTION"})
"""The kinds of tokens that level 2 has, and level 1 has not."""
DECLARATIONS = frozenset({"TYPE", "TEMPLATE", "PREDICATE", "RULE"})


@dataclass(frozen=True, slots=True)
class Situation:
    """The state of the parser at an error: the token before, the one that does not fit, and those that would fit.

    `actual_token` is None at the end of the text.
    """

    previous: Token | None
    actual_token: Token | None
    expected: Set[str]

    @property
    def in_expression(self) -> bool:
        """True if an operand has just ended."""
        return "PLUS" in self.expected

    def message(self) -> str:
        """Return the expected tokens and the actual one."""
        actual = "the end of the text" if self.actual_token is None else _described(self.actual_token)
        return f"expected {listed(list(self._alternatives()))}, found {actual}"

    def _alternatives(self) -> Iterator[str]:
        expected = set(self.expected)
        if self.in_expression:
            yield "an operator"
            expected -= {*_OPERATOR, "EQUAL", "COMPARISON", "DOT", "STEP", "LPAR", "UNIT", "NAME", "STRING"}
            expected -= {"INTEGER", "FLOAT", "TIMESTAMP", "TRUE", "FALSE", *CONNECTIVES.values()}
        elif expected >= _OPERAND:
            yield "an expression"
            expected -= {*_OPERAND, "TIMESTAMP", "TRUE", "FALSE", "NOT"}
        elif expected >= {"NO", "NAME"}:
            yield "a constraint" if self._after_when() else "a pattern"
            expected -= {"NO", "ALL", "USE", "EITHER", "NAME", *SELECTIONS.values()}
        if expected - {"EVER"} == {"MINUS", "INTEGER"}:
            expected = set()
            yield "a duration"
        declarations = expected >= DECLARATIONS
        if declarations:
            expected -= {*DECLARATIONS, "PATTERN", "IMPORT", "$END"}
        for kind in sorted(expected, key=lambda kind: (kind == "_COMMA", kind)):
            yield _DESCRIPTIONS.get(kind, f"`{kind.lower()}`")
        if declarations:
            yield "a declaration"

    def _after_when(self) -> bool:
        return "WHEN" not in self.expected

    def hint(self) -> str:
        """Return a hint how to correct the error."""
        kind = self.actual_token.type if self.actual_token else "$END"
        before = self.previous.type if self.previous else ""
        expected = self.expected
        if (word := self._misspelt()) is not None:
            return f"did you mean `{word}`?"
        if before == "NAME" and self.previous == "not":
            return _ELSEWHERE["not"]
        if kind == "NAME" and self.actual_token is not None and self.actual_token.lower() in _ELSEWHERE:
            return _ELSEWHERE[self.actual_token.lower()]
        if kind in ("EQUAL", "COMPARISON") and self.in_expression:
            return "comparisons do not chain: write two conditions, or put one comparison into parentheses"
        if kind == "DOT" and (before == "INTEGER" or ("FLOAT" in expected and not self.in_expression)):
            return "a Float has digits on both sides of its point, as in `0.5`"
        if before == "INTEGER" and kind == "NAME" and self.actual_token is not None:
            advice = unit_advice(self.actual_token.value)
            if "is written" in advice:
                return advice
        if kind == "OR" and not self.in_expression and (self.previous or "") not in KEYWORDS:
            return "alternatives begin with `either`, and are no negated patterns, sets or selections"
        if expected <= {"OR", "LBRACE", "COLON"} and "OR" in expected:
            return "alternatives are written `either v : T1 { … } or v : T2 { … }`"
        if "PER" in expected or (before == "NAME" and self.previous == "per" and "LPAR" in expected):
            return "a suppression is written `once per (k) in 1 hour`, or `once in 1 hour`"
        if "UNIT" in expected and not self.in_expression:
            return "write a unit after the number: ms, seconds, minutes, hours or days"
        if kind == "IN" and expected == {"COLON"}:
            return "constraints stand after `when`: it is missing before this one"
        if kind == "EMIT" and "THEN" in expected:
            return "emissions stand after `then`"
        if kind == "LBRACE" and "WITH" in expected:
            return "assignments stand after `with`"
        if kind == "COLON" and expected == {"NAME"} and before == "NAME" and self.previous in SELECTIONS:
            return f"`{self.previous}` is a keyword: choose another name"
        if kind == "PLUS":
            return "a positive number has no sign"
        if kind == "SEMICOLON" and "SEMICOLON" not in expected:
            return "`;` stands in list types only, as in `[String; 3]`"
        if "RBRACE" in expected and (kind == "$END" or kind in DECLARATIONS or kind in _CLAUSES):
            return "is a `}` missing before this?"
        if "RBRACE" in expected and self.in_expression:
            return "conditions and assignments are separated by commas and end with `}`"
        if kind == "IMPORT":
            return "imports stand behind `level 2`, before all declarations"
        if expected == {"STRING"}:
            return 'a file is imported by `import "f.parte"`'
        if self.actual_token is not None and "NAME" in expected and kind in (*KEYWORDS.values(), *ADDED):
            return f"`{self.actual_token.value}` is a keyword: choose another name"
        if expected >= DECLARATIONS and not expected & {"NO", "NAME", "EMIT"}:
            return "a program consists of `type`, `template`, `predicate` and `rule` declarations"
        if {"LSQB", "RPAR"} <= expected:
            return "a predicate is written `predicate name(String, Float)`"
        return next((hint for sign, hint in _HINTS if sign in expected), "correct the text here")

    def _misspelt(self) -> str | None:
        """Return the keyword that is similar to the word, or to the one before it."""
        word, expected = self.actual_token, self.expected
        if self.previous is not None and self.previous.type == "NAME" and expected <= {"COLON", "IN"}:
            # It was read as the variable of a pattern or of a constraint.
            word, expected = self.previous, _CLAUSES | DECLARATIONS
        if word is None or word.type != "NAME":
            return None
        words = [kind.lower() for kind in expected if kind.lower() in (*KEYWORDS, *EXPECTED)]
        close = difflib.get_close_matches(word.value[:20].lower(), sorted(words), n=1, cutoff=0.7)
        return close[0] if close else None


_ELSEWHERE = {
    **dict.fromkeys(
        ("within", "before", "after", "during", "followed", "followed_by"),
        "time stands after `when`: `b in a [0 ms, 1 minutes]` says that b comes with a or at most a minute after it",
    ),
    "between": "no `x` between `a` and `b` takes two windows: `no x in a [0 ms, 1 hour], no x in b [-1 hour, 0 ms]`",
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

_CLAUSES = frozenset({"WHEN", "HAVING", "THEN", "EMIT", "WITH"})

_HINTS = (
    ("AS", "a named pattern is used by `use P(5) as p`"),
    ("MISSING", "a condition is written `k is missing` or `k is present`"),
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
    if token.type == "TIMESTAMP":
        return f"the timestamp {value}"
    if token.type in ("INTEGER", "FLOAT"):
        return f"the number {value}"
    return f"`{value}`"
