"""All lemmas about LEAD, in the order of the parts of the machine."""

from __future__ import annotations

from collections.abc import Sequence

import parte.semantics.lead.machine  # noqa: F401  # the modules that it imports enter the rules
from parte.proofs.lead.theorems import firing, operators, runs
from parte.proofs.lemma import Catalogue, Lemma
from parte.semantics.lead.repairs import repairs_of

LEMMAS: Sequence[Lemma] = (*firing.LEMMAS, *operators.LEMMAS, *runs.LEMMAS)

CATALOGUE = Catalogue(LEMMAS, repairs_of)
