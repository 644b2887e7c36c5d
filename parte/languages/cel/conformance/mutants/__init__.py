"""Mutants of `sound` and of the definition; each topic has a file of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from parte.conformance.mutants import MachineMutant, Modules, Original, read_mutants
from parte.languages.cel.semantics.listing import RULES
from parte.languages.cel.semantics.repairs import MODELS, SOUND

FOLDER = Path(__file__).parent
TOPICS = ("defects", "construction", "evaluation", "queries", "distribution", "definition")
"""The order in which mutants are reported."""

MODULES = Modules.of_guest("parte.languages.cel", "conformance.measure")


@dataclass(frozen=True, slots=True)
class CelMutant(MachineMutant):
    """A mutant of CEL."""

    original = Original(MODULES, "CelEngine", MODELS)


@cache
def mutants() -> tuple[CelMutant, ...]:
    """Return every mutant."""
    return read_mutants(FOLDER, TOPICS, CelMutant)


AS_PUBLISHED = CelMutant(
    "sound/as-published",
    tuple(RULES),
    ("cel-machine",),
    "all algorithms as published: none of the repairs",
    without=SOUND.repair_names(),
)
"""An engine that follows T to the letter. It is compared last, because it errs in many ways."""
