"""The text of the code: nothing is counted, numbered or cut but in reviewed phrases."""

from __future__ import annotations

from parte.languages.eql.algebra import conditions as defined_conditions
from parte.languages.eql.algebra import keys
from parte.languages.eql.algebra import sequences as definition
from parte.languages.eql.semantics import chains, conditions, machine, plans, sequences
from parte.languages.eql.semantics.syntax import tree
from parte.proofs.counting import lemma
from parte.proofs.mutation import Mutant

MODULES = (chains, conditions, machine, plans, sequences, defined_conditions, keys, definition, tree)

LEMMAS = (
    lemma(
        MODULES,
        "parte.languages.eql.proofs",
        "eql-machine",
        Mutant(
            "five-slots",
            "parte.languages.eql.semantics.sequences:Sequences._kill",
            "for chain in state.slots\n",
            "for chain in state.slots[:5]\n",
        ),
    ),
)
