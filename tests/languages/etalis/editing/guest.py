"""ETALIS in the tests of editors."""

from __future__ import annotations

from parte.languages.etalis.semantics.syntax import parser
from tests.parte.editing.guest import Guest, joined

GUEST = Guest(
    "ETALIS",
    "parte.languages.etalis.semantics.syntax",
    lambda tokens: map(parser._typed, tokens),
    "a :- b",
    completions=(
        ("a(X) <- b(X) ", {"SEQ", "AND", "WHERE"}, {"NOT", "a"}),
        ("a(X) <- ", {"a", "NOT"}, {"SEQ", "X"}),
        ("a(X) <- b(X, Y) WHERE ", {"X", "Y"}, {"SEQ"}),
    ),
    misspelt=("a(Value) <- b(Valu).", "Value", "Valu"),
    hovers=(
        ("a(X) <- b(X) SEQ c.\nd <- a(1).", "d <- ", ["event `a`", "a(X) <- b(X) SEQ c."]),
        ("a <- b SEQ c.", "SE", ["(specification: etalis-seq)"]),
    ),
    large={
        "errors": "wheree wh.\n" * 30_000,
        "variables": f"e <- NOT(a({joined(', ', 'X{}', 9_900)})).[b, c].\n",
    },
    identity=("etalis", "a"),
)
