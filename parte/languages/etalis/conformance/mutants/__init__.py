"""Mutants of `sound` and of the definition; each topic has a file of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from parte.conformance.mutants import MachineMutant, Modules, Original, read_mutants
from parte.languages.etalis.semantics.listing import RULES
from parte.languages.etalis.semantics.published.repairs import MODELS

FOLDER = Path(__file__).parent
TOPICS = ("machine", "operators", "negation", "policies", "definition")
"""The order in which mutants are reported."""

MODULES = Modules.of_guest("parte.languages.etalis", "conformance.measure")


@dataclass(frozen=True, slots=True)
class EtalisMutant(MachineMutant):
    """A mutant of ETALIS."""

    original = Original(MODULES, "EtalisEngine", MODELS)


@cache
def mutants() -> tuple[EtalisMutant, ...]:
    """Return every mutant."""
    return read_mutants(FOLDER, TOPICS, EtalisMutant)


AS_PUBLISHED = EtalisMutant(
    "published/as-printed",
    tuple(RULES),
    ("etalis-steps",),
    "the clauses that E prints, with the repairs without which nothing runs",
)
"""An engine that follows E to the letter. It is compared last, because it errs in many ways."""
