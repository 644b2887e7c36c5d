"""All lemmas about ETALIS, in the order of the parts of the machine; finally those about the clauses that E prints."""

from __future__ import annotations

from collections.abc import Sequence

import parte.languages.etalis.semantics.machine  # noqa: F401  # the modules that it imports enter the rules
from parte.languages.etalis.proofs.theorems import clauses, counting, forgetting, operators, pairs, runs, steps
from parte.languages.etalis.semantics.published.repairs import MODELS
from parte.proofs.lemma import Catalogue, Lemma

LEMMAS: Sequence[Lemma] = (
    *steps.LEMMAS,
    *operators.LEMMAS,
    *pairs.LEMMAS,
    *forgetting.LEMMAS,
    *runs.LEMMAS,
    *counting.LEMMAS,
    *clauses.LEMMAS,
)

CATALOGUE = Catalogue(LEMMAS, MODELS)
"""The machine has no repairs; those of the clauses that E prints are on, or only those without which nothing runs."""
