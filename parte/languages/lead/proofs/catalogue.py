"""All lemmas about LEAD, in the order of the parts of the machine."""

from __future__ import annotations

from collections.abc import Sequence

import parte.languages.lead.semantics.machine  # noqa: F401  # the modules that it imports enter the rules
from parte.languages.lead.proofs.theorems import counting, firing, operators, printed, runs, steps, terms
from parte.languages.lead.semantics.repairs import MODELS
from parte.proofs.lemma import Catalogue, Lemma

LEMMAS: Sequence[Lemma] = (
    *firing.LEMMAS,
    *steps.LEMMAS,
    *terms.LEMMAS,
    *operators.LEMMAS,
    *runs.LEMMAS,
    *counting.LEMMAS,
    *printed.LEMMAS,
)

CATALOGUE = Catalogue(LEMMAS, MODELS)
