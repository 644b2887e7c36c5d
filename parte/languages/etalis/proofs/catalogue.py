"""All lemmas about ETALIS, in the order of the parts of the machine; finally those about the clauses that E prints."""

from __future__ import annotations

import parte.languages.etalis.semantics.machine  # noqa: F401  # the modules that it imports enter the rules
from parte.languages.etalis.proofs.theorems import clauses, counting, forgetting, operators, pairs, runs, steps
from parte.languages.etalis.semantics.published.repairs import MODELS
from parte.proofs.lemma import Catalogue

CATALOGUE = Catalogue.of(MODELS, steps, operators, pairs, forgetting, runs, counting, clauses)
"""The machine has no repairs; those of the clauses that E prints are on, or only those without which nothing runs."""
