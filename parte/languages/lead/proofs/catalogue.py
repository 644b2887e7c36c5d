"""All lemmas about LEAD, in the order of the parts of the machine."""

from __future__ import annotations

import parte.languages.lead.semantics.machine  # noqa: F401  # the modules that it imports enter the rules
from parte.languages.lead.proofs.theorems import counting, firing, operators, printed, runs, steps, terms
from parte.languages.lead.semantics.repairs import MODELS
from parte.proofs.lemma import Catalogue

CATALOGUE = Catalogue.of(MODELS, firing, steps, terms, operators, runs, counting, printed)
