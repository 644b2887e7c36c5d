"""All lemmas about EQL, in the order of the parts of the machine."""

from __future__ import annotations

from collections.abc import Sequence

import parte.languages.eql.semantics.machine  # noqa: F401  # the modules that it imports enter the rules
from parte.languages.eql.proofs.theorems import chains, conditions, counting, queries, relations, runs
from parte.languages.eql.semantics.repairs import MODELS
from parte.proofs.lemma import Catalogue, Lemma

LEMMAS: Sequence[Lemma] = (
    *conditions.LEMMAS,
    *chains.LEMMAS,
    *queries.LEMMAS,
    *runs.LEMMAS,
    *relations.LEMMAS,
    *counting.LEMMAS,
)

CATALOGUE = Catalogue(LEMMAS, MODELS)
