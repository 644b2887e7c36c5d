"""The text of the code: nothing is counted, numbered or cut but in reviewed phrases."""

from __future__ import annotations

from parte.languages.cel.algebra import denotation, queries
from parte.languages.cel.algebra import predicates as definition_predicates
from parte.languages.cel.semantics import (
    automata,
    construction,
    determinised,
    distribution,
    enumeration,
    evaluation,
    machine,
    maximal,
    predicates,
    refinement,
    tecs,
    union_lists,
)
from parte.languages.cel.semantics.syntax import checking, tree
from parte.proofs.counting import lemma
from parte.proofs.mutation import Mutant

MODULES = (
    denotation,
    definition_predicates,
    queries,
    automata,
    construction,
    determinised,
    distribution,
    enumeration,
    evaluation,
    machine,
    maximal,
    predicates,
    refinement,
    tecs,
    union_lists,
    checking,
    tree,
)

LEMMAS = (
    lemma(
        MODULES,
        "parte.languages.cel.proofs",
        "3, 4, 5",
        Mutant(
            "treat-three",
            "parte.languages.cel.semantics.construction:cea_or",
            "for automaton in automata:",
            "for automaton in automata[:3]:",
        ),
    ),
)
