"""How large a program may be. Sources are hostile: every limit has an error code of its own (`codes.py`)."""

from __future__ import annotations

import math

MAX_SOURCE_CHARACTERS = 2 * 1024 * 1024
MAX_TOKENS = 500_000
MAX_NAME_CHARACTERS = 128
MAX_NUMBER_CHARACTERS = 100
MAX_BRACKETS = 64
"""Round and square brackets open at once."""
MAX_EXPRESSION_DEPTH = 100
"""Height of an expression tree; `a + b + c` has height 3. Everything downstream recurses over it."""
MAX_PATTERNS = 64
MAX_LIST_CAPACITY = 1024
MAX_REPORTED = 1000
"""Diagnostics of one severity in one report."""

LEAST_INTEGER = -(2**63)
GREATEST_INTEGER = 2**63 - 1


def fits_integer(value: int) -> bool:
    """Whether an Integer, a timestamp or a duration in milliseconds is within signed 64 bit."""
    return LEAST_INTEGER <= value <= GREATEST_INTEGER


def fits_float(value: float) -> bool:
    """Whether a Float is finite."""
    return math.isfinite(value)
