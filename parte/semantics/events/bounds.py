"""Bounds on values beside their types: `name: Name`, `size: Annotated[int, Bounds(least=1)]`.

Constructors do not check them; readers of files and their schemas do (`parte.semantics.events.codec`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

LEAST_INTEGER = -(2**63)
GREATEST_INTEGER = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits of a number, of the length of a string or a sequence, and of the content of a string; and its meaning."""

    least: int | None = None
    greatest: int | None = None
    shortest: int | None = None
    longest: int | None = None
    pattern: str | None = None
    choices: tuple[str, ...] = ()
    meaning: str | None = None


Name = Annotated[str, Bounds(pattern="^[A-Za-z_][A-Za-z0-9_]*$", longest=128)]
Text = Annotated[str, Bounds(shortest=1)]
"""A string that is not empty."""
Natural = Annotated[int, Bounds(least=0)]
Positive = Annotated[int, Bounds(least=1)]
Integer64 = Annotated[int, Bounds(LEAST_INTEGER, GREATEST_INTEGER)]
Seconds = Annotated[float, Bounds(least=0)]
