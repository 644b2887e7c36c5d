"""All lemmas about LEAD, in the order of the parts of the machine."""

from __future__ import annotations

from collections.abc import Sequence

import parte.semantics.lead.machine  # noqa: F401  # the modules that it imports enter the rules
from parte.proofs.lead.theorems import firing, operators, printed, runs, steps
from parte.proofs.lemma import Catalogue, Lemma
from parte.semantics.lead.repairs import repairs_of

LEMMAS: Sequence[Lemma] = (*firing.LEMMAS, *steps.LEMMAS, *operators.LEMMAS, *runs.LEMMAS, *printed.LEMMAS)

CATALOGUE = Catalogue(LEMMAS, repairs_of)
