"""The colours of the text of ETALIS."""

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
        operator=[word for operator in (*lexis.OPERATORS, "NOT") for word in (operator, operator.lower())],
        constant=("true", "false"),
    ),
    frozenset(),
)
