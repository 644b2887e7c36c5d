"""Mutants of `sound` and of the definition; each topic has a file of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from parte.conformance.mutants import MachineMutant, Modules, Original, read_mutants
from parte.languages.eql.semantics.repairs import MODELS

FOLDER = Path(__file__).parent
TOPICS = ("chains", "missing", "conditions", "queries", "definition")
"""The order in which mutants are reported."""

MODULES = Modules.of_guest("parte.languages.eql", "conformance.engine")


@dataclass(frozen=True, slots=True)
class EqlMutant(MachineMutant):
    """A mutant of EQL."""

    original = Original(MODULES, "EqlEngine", MODELS)


@cache
def mutants() -> tuple[EqlMutant, ...]:
    """Return every mutant."""
    return read_mutants(FOLDER, TOPICS, EqlMutant)
