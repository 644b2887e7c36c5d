"""The colours of the text of PARTElang."""

from __future__ import annotations

from parte.editing.words import Colouring, Place, words_of
from parte.semantics.events.duration import UNITS
from parte.semantics.partelang.syntax import expectations, functions
from parte.semantics.partelang.syntax.core import Scalar
from parte.semantics.partelang.syntax.declarations import LIST
from parte.semantics.partelang.syntax.expectations import KEYWORDS
from parte.semantics.partelang.syntax.lexis import LEXIS

_CONSTANTS = ("true", "false")
_ENDS = frozenset(("ever",))
"""The word of level 2 in place of an end of a window."""
_EXPECTED = tuple(word for word in expectations.EXPECTED if word not in _ENDS)
_OPERATORS = "!=|<=|>=|[=≠<≤>≥+*-]|/(?!/)"
_CONNECTIVES = ("and", "or", "not", "is")
_CLAUSES = ("once", "per")
_OF_LEVEL_2 = (*_CONNECTIVES, *_CLAUSES)
"""Words of level 2. A colouring does not know the level: at level 1 they are coloured where they are no operands."""
_SELECTIONS = ("first", "last")
"""Words of level 2 before a variable."""
_OF_SETS = ("all", "having", "distinct", "either")
"""Words of level 2 about sets, and about alternatives."""
_OF_REUSE = ("pattern", "use", "end", "import")
"""Words of level 2 about named patterns and other files."""
_NO_CONSTANTS = frozenset((*KEYWORDS, *_OF_SETS, *_OF_REUSE)) - {*_CONSTANTS}

COLOURING = Colouring(
    "PARTElang",
    "parte",
    ".parte",
    LEXIS,
    words_of(
        declaration=("type", "template", "predicate", "pattern", "rule"),
        keyword=(
            *("where", "when", "in", "having", "then", "emit", "at", "with", "use", "end", "import", "ever"),
            *_CLAUSES,
        ),
        operator=("no", "all", "distinct", "either", *_CONNECTIVES, *_SELECTIONS, *_EXPECTED),
        constant=_CONSTANTS,
        type=[scalar.value for scalar in Scalar],
        function=[
            *functions.BUILT_IN,
            *(name for name in functions.AGGREGATES if name not in (*functions.BUILT_IN, *_SELECTIONS)),
            LIST,
        ],
    ),
    frozenset(UNITS),
    (
        Place(r"\.", "", frozenset((*KEYWORDS, *_OF_LEVEL_2, *_SELECTIONS, *_OF_SETS, *_OF_REUSE, *_EXPECTED))),
        Place("", r"!=|<=|>=|[=≠<≤>≥+*.,:;(){}\[\]-]|/(?!/)|in(?![A-Za-z0-9_])", frozenset(_SELECTIONS)),
        Place("", ":", frozenset((*KEYWORDS, *_OF_LEVEL_2, *_OF_SETS, *_OF_REUSE, *_EXPECTED))),
        Place("", r"!=|<=|>=|[=≠<≤>≥+*.,)]|/(?!/)", frozenset(_OF_LEVEL_2)),
        Place(r"[.:({]", "", _ENDS),
        Place("", r"[=.:{\[]|in(?![A-Za-z0-9_])|where(?![A-Za-z0-9_])", _ENDS),
        Place(rf"{_OPERATORS}|[({{,]", "", frozenset(_EXPECTED)),
        Place("", _OPERATORS, frozenset(_EXPECTED)),
        Place(_OPERATORS, "", _NO_CONSTANTS),
        Place("", rf"{_OPERATORS}|[.,)]", _NO_CONSTANTS),
    ),
)
