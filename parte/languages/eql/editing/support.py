"""The support of EQL in editors."""

from __future__ import annotations

from parte.editing.support import Support
from parte.languages.eql.editing.colouring import COLOURING, FUNCTION_WORDS
from parte.languages.eql.editing.names import names
from parte.languages.eql.semantics.syntax import lexis, tree
from parte.languages.eql.semantics.syntax.codes import CODES
from parte.languages.eql.semantics.syntax.parser import expected

CLAUSES = {
    "eql-text": "where any",
    "eql-chain": "sequence runs",
    "eql-sample": "sample",
    "eql-key": "by",
    "eql-span": "with maxspan",
    "eql-until": "until",
    "eql-pipe": "head tail",
    "eql-three": "and or not in in~ true false null",
    "eql-patterns": "like like~ regex regex~",
    "eql-functions": " ".join(FUNCTION_WORDS),
}
"""The clauses of the specification, each with the words whose meaning it states."""

SUPPORT = Support(
    COLOURING,
    CODES,
    names,
    expected,
    spelt={kind: [word] for word, kind in lexis.KINDS.items() if "~" in word} | {"UNIT": [*lexis.AFTER["INTEGER"]]},
    units={unit.name.lower(): unit.value for unit in tree.Unit},
    clauses=CLAUSES,
)
