"""The support of editors for LEAD."""

from __future__ import annotations

from parte.editing.support import Support
from parte.languages.lead.editing.colouring import COLOURING
from parte.languages.lead.editing.names import names
from parte.languages.lead.semantics.syntax import lexis, tree
from parte.languages.lead.semantics.syntax.codes import CODES
from parte.languages.lead.semantics.syntax.parser import expected

CLAUSES = {
    "lead-text": "FROM AS DEFINE TIMEEVENT EVENTTYPE ENRICH MATCH RANGE",
    "lead-seq": "FOLLOWED",
    "lead-or": "OR",
    "lead-and": "AND",
    "lead-not": "NOT",
    "lead-within": "WITHIN",
    "lead-filter": "FILTER",
    "lead-sub-context": "SUBCONTEXT",
    "lead-pick": "MAX MIN",
    "lead-wait": "WAIT",
    "lead-first": "FIRST",
    "lead-last": "LAST",
    "lead-adjacent": "ADJ ADJACENT",
    "lead-every": "EVERY",
    "lead-all": "ALL CONSUME",
    "lead-collect": "COLLECT ACCEPT TERMINATE INVALIDATE",
    "lead-partition": "PARTITION BY WINDOW",
    "lead-check": "CHECK WHERE END",
    "lead-emit": "EMIT EVENT",
    "lead-conditions": "COUNT SUM AVG ANY AT LEAST MOST BETWEEN TRUE FALSE",
}
"""The clauses of the specification, each with the words whose meaning it states."""

SUPPORT = Support(
    COLOURING,
    CODES,
    names,
    expected,
    spelt={"UNIT": list(lexis.UNITS), "EVERY_ITEM": ["EVERY"]},
    units={word: tree.Unit[unit].value for word, unit in lexis.UNITS.items()},
    clauses=CLAUSES,
)
