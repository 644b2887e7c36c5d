"""Limits on the size of a program, in addition to those of every source (`parte.semantics.source.limits`)."""

from __future__ import annotations

MAX_PATTERNS = 64
MAX_LIST_CAPACITY = 1024
