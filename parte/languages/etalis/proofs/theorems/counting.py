"""The text of the code: nothing is counted, numbered or cut but in reviewed phrases."""

from __future__ import annotations

from parte.languages.etalis.algebra import (
    fixpoint,
    patterns,
)
from parte.languages.etalis.algebra import (
    policies as definition_policies,
)
from parte.languages.etalis.algebra import (
    terms as definition_terms,
)
from parte.languages.etalis.semantics import binarisation, goals, machine, negation, nodes, operators, policies, terms
from parte.languages.etalis.semantics.syntax import tree, values
from parte.proofs.counting import lemma
from parte.proofs.mutation import Mutant

MODULES = (
    fixpoint,
    patterns,
    definition_policies,
    definition_terms,
    binarisation,
    goals,
    machine,
    negation,
    nodes,
    operators,
    policies,
    terms,
    tree,
    values,
)

LEMMAS = (
    lemma(
        MODULES,
        "parte.languages.etalis.proofs",
        "4, 5, 6",
        Mutant(
            "take-nine",
            "parte.languages.etalis.semantics.policies:select",
            "        return fitting\n",
            "        return fitting[:9]\n",
        ),
    ),
)
