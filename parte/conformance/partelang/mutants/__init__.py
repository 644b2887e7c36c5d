"""Mutants of `sound` and of the algebra; each topic has a file of them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from parte.conformance.mutants import read_mutants
from parte.conformance.partelang.mutants.models import ParteMutant

FOLDER = Path(__file__).parent

LEVEL_1 = ("defects", "windows", "expiry", "negation", "bounds", "matching", "emission", "values")
TOPICS = (*LEVEL_1, *sorted(path.stem for path in FOLDER.glob("level-2-*.toml")))
"""The order in which mutants are reported."""


@cache
def mutants() -> tuple[ParteMutant, ...]:
    """Return every mutant."""
    return read_mutants(FOLDER, TOPICS, ParteMutant)
