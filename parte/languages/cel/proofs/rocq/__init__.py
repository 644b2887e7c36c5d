"""The theorems about the compact set and its enumeration that Rocq checks."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from parte.proofs.rocq.links import Theory

THEORY: Final = Theory(__name__, Path(__file__).parent)
