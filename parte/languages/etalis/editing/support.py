"""The support of ETALIS in editors."""

from __future__ import annotations

from parte.editing.support import Support
from parte.languages.etalis.editing.colouring import COLOURING
from parte.languages.etalis.editing.names import names
from parte.languages.etalis.semantics.syntax.codes import CODES
from parte.languages.etalis.semantics.syntax.lexis import OPERATORS
from parte.languages.etalis.semantics.syntax.parser import expected

CLAUSES = {
    **{
        f"etalis-{word}": f"{word} {word.upper()}"
        for word in ("seq", "and", "par", "or", "equals", "meets", "during", "starts", "finishes", "where", "not")
    },
    "etalis-data": "true false",
}
"""The clauses of the specification, each with the words whose meaning it states."""

SUPPORT = Support(
    COLOURING,
    CODES,
    names,
    expected,
    spelt={"OPERATOR": OPERATORS, "NOT": ["NOT"], "WHERE": ["WHERE"]},
    samples={"LOWER": "x_x_x", "UPPER": "X_x_x"},
    clauses=CLAUSES,
)
