"""The text of the code: nothing is counted, numbered or cut but in reviewed phrases."""

from __future__ import annotations

from parte.languages.cel.algebra import queries
from parte.languages.cel.semantics import distribution, machine, maximal
from parte.proofs.counting import lemma
from parte.proofs.mutation import Mutant

IMPORTING = (queries, machine, distribution, maximal)
"""These import the modules of the table, so that the lemma is stated again for edited ones."""

LEMMAS = (
    lemma(
        "parte.languages.cel",
        __import__,
        "3, 4, 5",
        Mutant(
            "treat-three",
            "parte.languages.cel.semantics.construction:cea_or",
            "for automaton in automata:",
            "for automaton in automata[:3]:",
        ),
    ),
)
