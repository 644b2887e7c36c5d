"""All lemmas about CEL, in the order of the parts of the machine."""

from __future__ import annotations

from collections.abc import Sequence

import parte.languages.cel.semantics.machine  # noqa: F401  # the modules that it imports enter the rules
from parte.languages.cel.proofs.theorems import (
    compact_set,
    construction,
    counting,
    distribution,
    enumeration,
    evaluation,
    queries,
    runs,
    shares,
    strategies,
    union_lists,
)
from parte.languages.cel.semantics.repairs import MODELS
from parte.proofs.lemma import Catalogue, Lemma

LEMMAS: Sequence[Lemma] = (
    *construction.LEMMAS,
    *strategies.LEMMAS,
    *compact_set.LEMMAS,
    *union_lists.LEMMAS,
    *evaluation.LEMMAS,
    *enumeration.LEMMAS,
    *shares.LEMMAS,
    *distribution.LEMMAS,
    *queries.LEMMAS,
    *runs.LEMMAS,
    *counting.LEMMAS,
)

CATALOGUE = Catalogue(LEMMAS, MODELS)
