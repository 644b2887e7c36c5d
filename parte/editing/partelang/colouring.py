"""The colours of the text of PARTElang."""

from __future__ import annotations

from parte.editing.words import Colouring, Place, words_of
from parte.semantics.events.duration import UNITS
from parte.semantics.partelang.syntax import functions
from parte.semantics.partelang.syntax.core import Scalar
from parte.semantics.partelang.syntax.declarations import LIST
from parte.semantics.partelang.syntax.expectations import KEYWORDS
from parte.semantics.partelang.syntax.lexis import LEXIS

_CONSTANTS = ("true", "false")
_OPERATORS = "!=|<=|>=|[=≠<≤>≥+*-]|/(?!/)"
_CONNECTIVES = ("and", "or", "not")
"""Words of level 2. A colouring does not know the level: at level 1 they are coloured where they are no operands."""
_NO_CONSTANTS = frozenset(KEYWORDS) - {*_CONSTANTS}

COLOURING = Colouring(
    "PARTElang",
    "parte",
    ".parte",
    LEXIS,
    words_of(
        declaration=("type", "template", "predicate", "rule"),
        keyword=("where", "when", "in", "then", "emit", "at", "with"),
        operator=("no", *_CONNECTIVES),
        constant=_CONSTANTS,
        type=[scalar.value for scalar in Scalar],
        function=[*functions.BUILT_IN, LIST],
    ),
    frozenset(UNITS),
    (
        Place(r"\.", "", frozenset((*KEYWORDS, *_CONNECTIVES))),
        Place("", ":", frozenset((*KEYWORDS, *_CONNECTIVES))),
        Place("", r"!=|<=|>=|[=≠<≤>≥+*.,)]|/(?!/)", frozenset(_CONNECTIVES)),
        Place(_OPERATORS, "", _NO_CONSTANTS),
        Place("", rf"{_OPERATORS}|[.,)]", _NO_CONSTANTS),
    ),
)
