"""Changes of comments in modules that nearly all lemmas of CEL need."""

from __future__ import annotations

from parte.proofs.mutation import Edit

LANGUAGE = "CEL"
HARMLESS = [
    Edit("parte.languages.cel.semantics.tecs:joined", "a plain union", "just a union"),
    Edit(
        "parte.languages.cel.semantics.automata:Automaton",
        "whose states are the numbers",
        "with the numbers as states,",
    ),
    Edit("parte.languages.cel.algebra.denotation:den_or", "the union of the valuations", "the united valuations"),
]
