"""The colours of the text of LEAD."""

from __future__ import annotations

from parte.editing.words import Colouring, Place, words_of
from parte.languages.lead.semantics.syntax import lexis

_LEAD_DECLARATIONS = ("TIMEEVENT", "EVENTTYPE", "EVENT")
_LEAD_OPERATORS = ("FOLLOWED", "OR", "AND", "NOT", "WITHIN")
_LEAD_CONSTANTS = ("TRUE", "FALSE")
_LEAD_KEYWORDS = {*lexis.KEYWORDS, *lexis.SYNONYMS}

COLOURING = Colouring(
    "LEAD",
    "lead",
    ".lead",
    lexis.LEXIS,
    words_of(
        keyword=sorted(_LEAD_KEYWORDS - {*_LEAD_DECLARATIONS, *_LEAD_OPERATORS, *_LEAD_CONSTANTS}),
        declaration=_LEAD_DECLARATIONS,
        operator=_LEAD_OPERATORS,
        constant=_LEAD_CONSTANTS,
    ),
    frozenset(lexis.UNITS),
    (Place(r"\.", r"(?!\().*", frozenset(_LEAD_KEYWORDS)),),
    any_case=True,
)
