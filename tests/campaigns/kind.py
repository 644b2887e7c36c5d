"""A kind of input of the command: the files that are beside each, what reads it, and how often it is drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.campaigns.specimens import Files

RUNS = frozenset({0, 2, 3})
"""The exit codes of a run."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One input: the files beside it, what reads it, and how often it is drawn."""

    files: Callable[[], Files]
    changed: str
    runs: tuple[tuple[tuple[str, ...], ...], ...]
    same: bool = False
    codes: frozenset[int] = frozenset({0, 1, 2})
    weight: int = 1
    parquet: Callable[[], Any] | None = None
    odd: bool = True
    places: tuple[str, ...] = ()
    """What else than a file an error may be about."""
