"""The constructs that adapters of foreign engines declare (specification: protocol-constructs)."""

from __future__ import annotations

from functools import cache

from parte.conformance.constructs import constructs_of
from parte.languages.partelang import PARTELANG


@cache
def all_but(*lacking: str) -> tuple[str, ...]:
    """Return all constructs of PARTElang except those that an engine lacks, and except `rejects`: adapters get valid
    programs only."""
    return tuple(sorted(constructs_of(PARTELANG) - {"rejects", *lacking}))
