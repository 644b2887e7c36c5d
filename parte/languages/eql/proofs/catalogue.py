"""All lemmas about EQL, in the order of the parts of the machine."""

from __future__ import annotations

import parte.languages.eql.semantics.machine  # noqa: F401  # the modules that it imports enter the rules
from parte.languages.eql.proofs.theorems import chains, conditions, counting, queries, relations, runs
from parte.languages.eql.semantics.repairs import MODELS
from parte.proofs.lemma import Catalogue

CATALOGUE = Catalogue.of(MODELS, conditions, chains, queries, runs, relations, counting)
