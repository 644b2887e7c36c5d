"""All lemmas about ETALIS, in the order of the parts of the machine; at last those about the clauses that E prints."""

from __future__ import annotations

from collections.abc import Sequence

import parte.languages.etalis.semantics.machine  # noqa: F401  # the modules that it imports enter the rules
from parte.languages.etalis.proofs.theorems import clauses, forgetting, operators, pairs, runs, steps
from parte.languages.etalis.semantics.published.repairs import ALL, RUNNING
from parte.proofs.lemma import PUBLISHED, Catalogue, Lemma

LEMMAS: Sequence[Lemma] = (
    *steps.LEMMAS,
    *operators.LEMMAS,
    *pairs.LEMMAS,
    *forgetting.LEMMAS,
    *runs.LEMMAS,
    *clauses.LEMMAS,
)

CATALOGUE = Catalogue(LEMMAS, lambda model: RUNNING if model == PUBLISHED else ALL)
"""The machine has no repairs; those of the clauses that E prints are on, or only those without which nothing runs."""


def lacking(_: str, names: tuple[str, ...]) -> frozenset[str]:
    """All repairs of the clauses less some, but for those without which nothing runs."""
    return (ALL - set(names)) | RUNNING
