"""The colours of the text of EQL."""

from __future__ import annotations

from parte.editing.words import Colouring, Place, words_of
from parte.languages.eql.semantics.syntax import lexis
from parte.languages.eql.semantics.syntax.functions import FUNCTIONS

FUNCTION_WORDS = (*FUNCTIONS, *(f"{name}~" for name, function in FUNCTIONS.items() if function.folds))

COLOURING = Colouring(
    "EQL",
    "eql",
    ".eql",
    lexis.LEXIS,
    words_of(
        keyword=("sequence", "sample", "by", "with", "until", "where", "any", "maxspan", "runs", "head", "tail"),
        operator=("and", "or", "not", "in", "in~", "like", "like~", "regex", "regex~"),
        constant=("true", "false", "null"),
        function=FUNCTION_WORDS,
    ),
    frozenset(lexis.AFTER["INTEGER"]),
    (
        Place("", "(?!=(?!=)).+", frozenset(lexis.AFTER["WITH"])),
        Place("", "(?![0-9]).+", frozenset(lexis.AFTER["PIPE"])),
    ),
)
