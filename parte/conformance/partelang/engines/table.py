"""The engines for PARTElang: the models of this project, and the foreign engines in the folders beside this module."""

from __future__ import annotations

from functools import partial

from parte.algebra.partelang.evaluators import EVALUATORS
from parte.conformance.engines.registry import Listed, found_engines
from parte.conformance.partelang.engines.reference import ReferenceEngine
from parte.conformance.partelang.engines.varied import VariedEngine
from parte.proofs.partelang.variants import VARIANTS
from parte.semantics.partelang.repairs import MODELS

ENGINES: dict[str, Listed] = {
    **{name: Listed(partial(ReferenceEngine, name)) for name in EVALUATORS},
    **{name: Listed(partial(ReferenceEngine, model)) for name, model in MODELS.items()},
    **{variant.name: Listed(partial(VariedEngine, variant)) for variant in VARIANTS},
    **found_engines("parte.conformance.partelang.engines"),
}
"""Every engine by name; the foreign ones come last."""
