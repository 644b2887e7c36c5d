"""Mutants of `sound` and of the definition; each topic has its file."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from parte.conformance.mutants import MachineMutant, Modules, Original, read_mutants
from parte.languages.lead.semantics.listing import RULES
from parte.languages.lead.semantics.repairs import MODELS, SOUND

FOLDER = Path(__file__).parent
TOPICS = ("defects", "nets", "definition")
"""The order in which mutants are reported."""

MODULES = Modules.of_guest("parte.languages.lead", "conformance.engine")


@dataclass(frozen=True, slots=True)
class LeadMutant(MachineMutant):
    """A mutant of LEAD."""

    original = Original(MODULES, "LeadEngine", MODELS)


@cache
def mutants() -> tuple[LeadMutant, ...]:
    """Return every mutant."""
    return read_mutants(FOLDER, TOPICS, LeadMutant)


AS_PUBLISHED = LeadMutant(
    "sound/as-published",
    tuple(RULES),
    ("lead-machine",),
    "all nets as published: none of the repairs",
    without=SOUND.repair_names(),
)
"""An engine that follows L to the letter. It is compared last, because it errs in many ways."""
