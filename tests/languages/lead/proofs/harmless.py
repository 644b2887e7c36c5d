"""Changes of comments in modules that nearly all lemmas of LEAD need."""

from __future__ import annotations

from parte.proofs.mutation import Edit

LANGUAGE = "LEAD"
HARMLESS = [
    Edit("parte.languages.lead.semantics.tokens:joined", "A match of both", "One match of both"),
    Edit("parte.languages.lead.semantics.net:step", "An instant: guards", "One instant: guards"),
    Edit("parte.languages.lead.algebra.formulas:disjoint", "Whether two matches", "If two matches"),
]
