"""Changes of comments in modules that nearly all lemmas of LEAD need."""

from __future__ import annotations

from parte.proofs.mutation import Edit

LANGUAGE = "LEAD"
HARMLESS = [
    Edit("parte.languages.lead.semantics.tokens:joined", "Return a match of both", "Return one match of both"),
    Edit("parte.languages.lead.semantics.net:step", "An instant: guards", "One instant: guards"),
    Edit("parte.languages.lead.algebra.unions:disjoint", "Return whether two matches", "Return True if two matches"),
]
