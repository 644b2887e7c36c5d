"""The support of CEL in editors."""

from __future__ import annotations

from parte.editing.support import Support
from parte.languages.cel.editing.colouring import COLOURING
from parte.languages.cel.editing.names import names
from parte.languages.cel.semantics.syntax import lexis, tree
from parte.languages.cel.semantics.syntax.codes import CODES
from parte.languages.cel.semantics.syntax.parser import expected

CLAUSES = {
    "core-q-select": "SELECT ALL",
    "core-q-from": "FROM",
    "cel-queries": "WHERE",
    "core-q-partition": "PARTITION BY",
    "core-q-within": "WITHIN",
    "core-q-consume": "CONSUME NONE ANY",
    "core-cea-strict": "STRICT",
    "core-cea-nxt": "NXT NEXT",
    "core-cea-last": "LAST",
    "core-cea-max": "MAX",
    "core-den-filter": "FILTER",
    "core-den-or": "OR",
    "core-den-as": "AS",
    "core-den-proj": "PROJ",
    "cel-predicates": "AND NOT TRUE FALSE",
}
"""The clauses of the specification, each with the words whose meaning it states."""

SUPPORT = Support(
    COLOURING,
    CODES,
    names,
    expected,
    spelt={"UNIT": list(lexis.UNITS), "EVENTS": ["EVENTS"]},
    units={word: tree.Unit[unit].value for word, unit in lexis.UNITS.items()},
    clauses=CLAUSES,
)
