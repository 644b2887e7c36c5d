"""What adapters of foreign engines declare to have (specification: protocol-constructs)."""

from __future__ import annotations

from functools import cache

from parte.conformance.constructs import constructs_of
from parte.languages.partelang import PARTELANG


@cache
def all_but(*lacking: str) -> tuple[str, ...]:
    """All of PARTElang but what an engine lacks, and but `rejects`: adapters are given what is valid."""
    return tuple(sorted(constructs_of(PARTELANG) - {"rejects", *lacking}))
