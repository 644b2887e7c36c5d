"""The text of the code: nothing is counted, numbered or cut but in reviewed phrases."""

from __future__ import annotations

from parte.languages.lead.algebra import rules
from parte.languages.lead.semantics import feeding
from parte.proofs.counting import lemma
from parte.proofs.mutation import Mutant

IMPORTING = (rules, feeding)
"""These import the modules of the table, so that the lemma is stated again for edited ones."""

LEMMAS = (
    lemma(
        "parte.languages.lead",
        __import__,
        "3, 5",
        Mutant(
            "store-nine",
            "parte.languages.lead.semantics.policies:_present",
            "for waiting in tokens)",
            "for waiting in tokens[:9])",
        ),
    ),
)
