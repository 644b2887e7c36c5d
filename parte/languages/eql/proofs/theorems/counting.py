"""The text of the code: nothing is counted, numbered or cut but in reviewed phrases."""

from __future__ import annotations

from parte.languages.eql.algebra import sequences
from parte.languages.eql.semantics import machine
from parte.proofs.counting import lemma
from parte.proofs.mutation import Mutant

IMPORTING = (sequences, machine)
"""These import the modules of the table, so that the lemma is stated again for edited ones."""

LEMMAS = (
    lemma(
        "parte.languages.eql",
        __import__,
        "eql-machine",
        Mutant(
            "five-slots",
            "parte.languages.eql.semantics.sequences:Sequences._kill",
            "for chain in state.slots\n",
            "for chain in state.slots[:5]\n",
        ),
    ),
)
