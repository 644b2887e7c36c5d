"""The colours of the text of CEL."""

from __future__ import annotations

from parte.editing.words import Colouring, Place, words_of
from parte.languages.cel.semantics.syntax import lexis

COLOURING = Colouring(
    "CEL",
    "ceql",
    ".ceql",
    lexis.LEXIS,
    words_of(
        keyword=(*lexis.CLAUSES, "ALL", "STRICT", "NXT", "NEXT", "LAST", "MAX", "NONE", "ANY", "BY"),
        operator=("FILTER", "OR", "AND", "NOT", "AS", "PROJ"),
        constant=("TRUE", "FALSE"),
    ),
    frozenset((*lexis.UNITS, *lexis.EVENTS)),
    (Place(r"\[", r"\]", lexis.KEYWORDS),),
    any_case=True,
)
