"""How large a program may be, beyond what every source obeys (`parte.semantics.source.limits`)."""

from __future__ import annotations

MAX_PATTERNS = 64
MAX_LIST_CAPACITY = 1024
