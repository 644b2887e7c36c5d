"""Limits on the size of a program, beyond those for every source (`parte.semantics.source.limits`)."""

from __future__ import annotations

MAX_PATTERNS = 64
MAX_LIST_CAPACITY = 1024
