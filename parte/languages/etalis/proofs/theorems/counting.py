"""The text of the code: nothing is counted, numbered or cut but in reviewed phrases."""

from __future__ import annotations

from parte.languages.etalis.algebra import evaluation
from parte.languages.etalis.semantics import machine
from parte.proofs.counting import lemma
from parte.proofs.mutation import Mutant

IMPORTING = (evaluation, machine)
"""These import the modules of the table, so that the lemma is stated again for edited ones."""

LEMMAS = (
    lemma(
        "parte.languages.etalis",
        __import__,
        "4, 5, 6",
        Mutant(
            "take-nine",
            "parte.languages.etalis.semantics.policies:select",
            "        return fitting\n",
            "        return fitting[:9]\n",
        ),
    ),
)
