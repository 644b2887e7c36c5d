"""How the text of ETALIS is coloured."""

from __future__ import annotations

from parte.editing.words import Colouring, words_of
from parte.languages.etalis.semantics.syntax import lexis

COLOURING = Colouring(
    "ETALIS",
    "etalis",
    ".etalis",
    lexis.LEXIS,
    words_of(
        keyword=("WHERE", "where"),
        operator=[word for each in (*lexis.OPERATORS, "NOT") for word in (each, each.lower())],
        constant=("true", "false"),
    ),
    frozenset(),
)
