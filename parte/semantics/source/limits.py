"""Limits on the size of a source, in any language. Sources may be hostile: every limit has its own error code."""

from __future__ import annotations

MAX_SOURCE_CHARACTERS = 2 * 1024 * 1024
MAX_SOURCE_BYTES = 4 * MAX_SOURCE_CHARACTERS
"""A source with more bytes has too many characters: each takes at most 4 bytes."""
MAX_TOKENS = 500_000
MAX_NAME_CHARACTERS = 128
MAX_NUMBER_CHARACTERS = 100
MAX_BRACKETS = 64
"""Maximum number of round and square brackets open at once."""
MAX_EXPRESSION_DEPTH = 100
"""Maximum height of an expression tree; `a + b + c` has height 3. Later stages recurse over the tree."""
MAX_REPORTED = 1000
"""Maximum number of diagnostics of one severity in one report."""
