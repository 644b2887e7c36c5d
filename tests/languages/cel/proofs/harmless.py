"""Changes of comments in modules that nearly all lemmas of CEL need."""

from __future__ import annotations

from parte.proofs.mutation import Edit

LANGUAGE = "CEL"
HARMLESS = [
    Edit("parte.languages.cel.semantics.tecs:joined", "A union as it is", "Just a union"),
    Edit("parte.languages.cel.semantics.automata:Automaton", "States are numbers", "Its states are numbers"),
    Edit("parte.languages.cel.algebra.denotation:den_or", "the valuations of each", "those of each"),
]
