"""Changes of comments in modules that nearly all lemmas of EQL need."""

from __future__ import annotations

from parte.proofs.mutation import Edit

LANGUAGE = "EQL"
HARMLESS = [
    Edit("parte.languages.eql.semantics.sequences:overwrite", "A chain that comes", "Each chain that comes"),
    Edit("parte.languages.eql.semantics.chains:start", "An event of the first", "Each event of the first"),
    Edit("parte.languages.eql.algebra.sequences:Clauses.levels", "Return the chains", "Return each of the chains"),
]
