"""All lemmas about CEL, in the order of the parts of the machine."""

from __future__ import annotations

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
from parte.proofs.lemma import Catalogue

CATALOGUE = Catalogue.of(
    MODELS,
    construction,
    strategies,
    compact_set,
    union_lists,
    evaluation,
    enumeration,
    shares,
    distribution,
    queries,
    runs,
    counting,
)
